package validate

import (
	"slices"
	"strings"

	messages "github.com/resource-plugins/krm-functions/api/externalplugin/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// externalPlugin is an ExternalPlugin that is checked.
type externalPlugin struct {
	*document.ExternalPlugin
	checked
}

// exchange is a request with its response, and their paths. What is not given, or cannot be read, is empty.
type exchange struct {
	request  messages.Request
	response messages.Response

	requestPath, responsePath krm.Path
}

func (p *externalPlugin) check() {
	read, problems := document.ReadExternalPlugin(p.item)
	p.ExternalPlugin, p.checked = read, newChecked(p.item, problems)
	checksOf(func(r *Rule, check externalPluginCheck) { check(r, p) })
	for i, one := range p.Spec.Exchanges {
		path := exchangePath(i)
		e := exchange{requestPath: path.Key("request"), responsePath: path.Key("response")}
		if one.Request != nil {
			e.request = *one.Request
		}
		if one.Response != nil {
			e.response = *one.Response
		}
		checksOf(func(r *Rule, check exchangeCheck) { check(r, p, e) })
	}
}

func exchangePath(i int) krm.Path { return krm.Path("spec.exchanges").Index(i) }

// asks reports whether the request is about flags or metadata.
func (e exchange) asks() bool {
	return e.request.Command == messages.CommandFlags || e.request.Command == messages.CommandMetadata
}

var exchangeUnique = Rule{
	ID: "exchange-unique", Severity: krm.Error,
	Summary: "An external plugin has one exchange of a name.",
	Why:     "It would not be clear which one has failed.",
	sources: []string{},
	Example: "spec.exchanges[1].name: init",
	checks: []check{externalPluginCheck(func(r *Rule, p *externalPlugin) {
		seen := map[string]bool{}
		for i, one := range p.Spec.Exchanges {
			p.once(r, seen, one.Name, "exchange", exchangePath(i))
		}
	})},
}

var messageVersion = Rule{
	ID: "message-version", Severity: krm.Error,
	Summary: "The apiVersion of a request is v1alpha1.",
	Why:     "There is no other version.",
	Example: "spec.exchanges[0].request.apiVersion: v1",
	checks: []check{exchangeCheck(func(r *Rule, p *externalPlugin, e exchange) {
		if version := e.request.APIVersion; version != "" && version != messages.APIVersion {
			p.propose(r, e.requestPath.Key("apiVersion"), messages.APIVersion, "must be %q, not %q", messages.APIVersion, version)
		}
	})},
}

var messageCommand = Rule{
	ID: "message-command", Severity: krm.Error,
	Summary: "The command of a request is one that kubebuilder sends, or delete.",
	Why:     "No host would send the request. Released hosts do not send delete.",
	Example: "spec.exchanges[1].request.command: create-api",
	checks: []check{exchangeCheck(func(r *Rule, p *externalPlugin, e exchange) {
		p.oneOf(r, e.requestPath.Key("command"), e.request.Command, messages.Commands()...)
	})},
}

var messageArgs = Rule{
	ID: "message-args", Severity: krm.Error,
	Summary: "The commands flags and metadata have one argument: --init, --api, --webhook or --edit.",
	Why:     "Kubebuilder asks for one subcommand at a time.",
	Example: "spec.exchanges[2].request.args: [--create-api]",
	checks: []check{exchangeCheck(func(r *Rule, p *externalPlugin, e exchange) {
		known := messages.Subcommands()
		if e.asks() && (len(e.request.Args) != 1 || !slices.Contains(known, e.request.Args[0])) {
			p.report(r, e.requestPath.Key("args"), "must be one of %s for the command %q, not %q", strings.Join(known, ", "),
				e.request.Command, e.request.Args)
		}
	})},
}

var responseEcho = Rule{
	ID: "response-echo", Severity: krm.Warning,
	Summary: "A response repeats the apiVersion and the command of its request.",
	Why:     "A host cannot tell otherwise which request is answered. Kubebuilder does not look, so it is a warning.",
	Example: "spec.exchanges[0].response.command: edit",
	checks:  []check{exchangeCheck(checkEcho)},
}

func checkEcho(r *Rule, p *externalPlugin, e exchange) {
	for _, one := range []struct {
		key, asked, answered string
		known                []string
	}{
		{"apiVersion", e.request.APIVersion, e.response.APIVersion, []string{messages.APIVersion}},
		{"command", e.request.Command, e.response.Command, messages.Commands()},
	} {
		if slices.Contains(one.known, one.asked) && one.asked != one.answered && !p.unsure(e.responsePath) {
			p.propose(r, e.responsePath.Key(one.key), one.asked, "must be that of the request, %q, not %q", one.asked, one.answered)
		}
	}
}

var responseError = Rule{
	ID: "response-error", Severity: krm.Error,
	Summary: "A response with `error: true` has errorMsgs, and one with errorMsgs has `error: true`.",
	Why:     "Kubebuilder would print that something failed and not what, or would not stop.",
	Example: "spec.exchanges[3].response.errorMsgs: []",
	checks: []check{exchangeCheck(func(r *Rule, p *externalPlugin, e exchange) {
		texts := slices.DeleteFunc(slices.Clone(e.response.ErrorMsgs), func(text string) bool { return text == "" })
		switch path := e.responsePath; {
		case p.unsure(path.Key("error")) || p.unsure(path.Key("errorMsgs")):
		case e.response.Error && len(texts) == 0:
			p.report(r, path.Key("errorMsgs"), "must say why the command has failed: `error` is true")
		case !e.response.Error && len(texts) > 0:
			p.report(r, path.Key("error"), "must be true: errorMsgs are not shown otherwise")
		}
	})},
}

var flagForm = Rule{
	ID: "flag-form", Severity: krm.Error,
	Summary: "A flag is listed once, by its name without hyphens in front, and its type is string, bool, int or float.",
	Why:     "Kubebuilder ends with a panic if a flag is listed twice, and takes any other type for string.",
	Example: "spec.exchanges[2].response.flags[0].Type: integer",
	checks:  []check{exchangeCheck(checkFlags)},
}

func checkFlags(r *Rule, p *externalPlugin, e exchange) {
	seen := map[string]bool{}
	for i, flag := range e.response.Flags {
		path := e.responsePath.Key("flags").Index(i)
		switch {
		case seen[flag.Name] && flag.Name != "":
			p.report(r, path.Key("Name"), "flag %q must be listed once", flag.Name)
		case flag.Name != "":
			p.must(r, path.Key("Name"), "name", document.CheckFlagName(flag.Name))
		}
		seen[flag.Name] = true
		p.oneOf(r, path.Key("Type"), flag.Type, messages.FlagTypes()...)
	}
	asked := e.request.Command
	if len(e.response.Flags) > 0 && asked != messages.CommandFlags && slices.Contains(messages.Commands(), asked) {
		p.report(r, e.responsePath.Key("flags"), "must be given in answer to the command %q alone, not %q",
			messages.CommandFlags, asked)
	}
}
