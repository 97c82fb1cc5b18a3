package kubebuilder

import (
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

func exchangePath(i int) krm.Path { return krm.Path("spec.exchanges").Index(i) }

// isQuestion reports whether the request is for flags or metadata.
func (e exchange) isQuestion() bool {
	return e.request.Command == v1alpha1.CommandFlags || e.request.Command == v1alpha1.CommandMetadata
}

var exchangeUnique = rule{
	Rule: validate.Rule{
		ID: "exchange-unique", Severity: krm.Error,
		Summary: "An external plugin has one exchange of a name.",
		Why:     "It would not be clear which one has failed.",
		Sources: []string{},
		Example: "spec.exchanges[1].name: init",
	},
	plugin: func(r *validate.Rule, p *externalPlugin) {
		seen := map[string]bool{}
		for i, exchange := range p.Spec.Exchanges {
			p.Once(r, seen, exchange.Name, "exchange", exchangePath(i))
		}
	},
}

var messageVersion = rule{
	Rule: validate.Rule{
		ID: "message-version", Severity: krm.Error,
		Summary: "The apiVersion of a request is v1alpha1.",
		Why:     "There is no other version.",
		Example: "spec.exchanges[0].request.apiVersion: v1",
	},
	exchange: func(r *validate.Rule, p *externalPlugin, e exchange) {
		if version := e.request.APIVersion; version != "" && version != v1alpha1.APIVersion {
			p.Propose(r, e.requestPath.Key("apiVersion"), v1alpha1.APIVersion, "must be %q, not %q", v1alpha1.APIVersion, version)
		}
	},
}

var messageCommand = rule{
	Rule: validate.Rule{
		ID: "message-command", Severity: krm.Error,
		Summary: "The command of a request is one that kubebuilder sends, or delete.",
		Why:     "No host would send the request. Released hosts do not send delete.",
		Example: "spec.exchanges[1].request.command: create-api",
	},
	exchange: func(r *validate.Rule, p *externalPlugin, e exchange) {
		p.OneOf(r, e.requestPath.Key("command"), e.request.Command, v1alpha1.Commands()...)
	},
}

var messageArgs = rule{
	Rule: validate.Rule{
		ID: "message-args", Severity: krm.Error,
		Summary: "The commands flags and metadata have one argument: --init, --api, --webhook or --edit.",
		Why:     "Kubebuilder asks for one subcommand at a time.",
		Example: "spec.exchanges[2].request.args: [--create-api]",
	},
	exchange: func(r *validate.Rule, p *externalPlugin, e exchange) {
		known := v1alpha1.Subcommands()
		if e.isQuestion() && (len(e.request.Args) != 1 || !slices.Contains(known, e.request.Args[0])) {
			p.Report(r, e.requestPath.Key("args"), "must be one of %s for the command %q, not %q", strings.Join(known, ", "),
				e.request.Command, e.request.Args)
		}
	},
}

var responseEcho = rule{
	Rule: validate.Rule{
		ID: "response-echo", Severity: krm.Warning,
		Summary: "A response repeats the apiVersion and the command of its request.",
		Why:     "A host cannot tell otherwise which request is answered. Kubebuilder does not look, so it is a warning.",
		Example: "spec.exchanges[0].response.command: edit",
	},
	exchange: checkEcho,
}

func checkEcho(r *validate.Rule, p *externalPlugin, e exchange) {
	for _, field := range []struct {
		key, asked, answered string
		known                []string
	}{
		{"apiVersion", e.request.APIVersion, e.response.APIVersion, []string{v1alpha1.APIVersion}},
		{"command", e.request.Command, e.response.Command, v1alpha1.Commands()},
	} {
		if slices.Contains(field.known, field.asked) && field.asked != field.answered && !p.Unsure(e.responsePath) {
			p.Propose(r, e.responsePath.Key(field.key), field.asked, "must be that of the request, %q, not %q",
				field.asked, field.answered)
		}
	}
}

var responseError = rule{
	Rule: validate.Rule{
		ID: "response-error", Severity: krm.Error,
		Summary: "A response with `error: true` has errorMsgs, and one with errorMsgs has `error: true`.",
		Why:     "Kubebuilder would print that something failed and not what, or would not stop.",
		Example: "spec.exchanges[3].response.errorMsgs: []",
	},
	exchange: func(r *validate.Rule, p *externalPlugin, e exchange) {
		texts := slices.DeleteFunc(slices.Clone(e.response.ErrorMsgs), func(text string) bool { return text == "" })
		switch path := e.responsePath; {
		case p.Unsure(path.Key("error")) || p.Unsure(path.Key("errorMsgs")):
		case e.response.Error && len(texts) == 0:
			p.Report(r, path.Key("errorMsgs"), "must say why the command has failed: `error` is true")
		case !e.response.Error && len(texts) > 0:
			p.Report(r, path.Key("error"), "must be true: errorMsgs are not shown otherwise")
		}
	},
}

var flagForm = rule{
	Rule: validate.Rule{
		ID: "flag-form", Severity: krm.Error,
		Summary: "A flag is listed once, by its name without hyphens in front, and its type is string, bool, int or float.",
		Why:     "Kubebuilder ends with a panic if a flag is listed twice, and takes any other type for string.",
		Example: "spec.exchanges[2].response.flags[0].Type: integer",
	},
	exchange: checkFlags,
}

func checkFlags(r *validate.Rule, p *externalPlugin, e exchange) {
	seen := map[string]bool{}
	for i, flag := range e.response.Flags {
		path := e.responsePath.Key("flags").Index(i)
		switch {
		case seen[flag.Name] && flag.Name != "":
			p.Report(r, path.Key("Name"), "flag %q must be listed once", flag.Name)
		case flag.Name != "":
			p.Must(r, path.Key("Name"), "name", v1alpha1.CheckFlagName(flag.Name))
		}
		seen[flag.Name] = true
		p.OneOf(r, path.Key("Type"), flag.Type, v1alpha1.FlagTypes()...)
	}
	asked := e.request.Command
	if len(e.response.Flags) > 0 && asked != v1alpha1.CommandFlags && slices.Contains(v1alpha1.Commands(), asked) {
		p.Report(r, e.responsePath.Key("flags"), "must be given only in answer to the command %q, not %q",
			v1alpha1.CommandFlags, asked)
	}
}
