package validate

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// The rules input-unread and output-unwritten compare the script of a step with its inputs and outputs. They only report
// certain mistakes: a script that starts a program of its image, which may read and write anything, is not reported.

// isUnread reports whether nothing can be concluded from a script: it is unreadable, incomplete, has no command, or is
// reported by other rules.
func (p *plugin) isUnread(s step) bool {
	return strings.Contains(s.Script, "@{") || !hasCode(s.Script) || p.Unsure(s.path.Key("script")) || p.isJoined(s)
}

// hasCode reports whether a script has a line that is neither blank nor a comment.
func hasCode(script string) bool {
	for line := range strings.Lines(script) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			return true
		}
	}
	return false
}

// isDoubtful reports whether other rules report the name or the variable of an input.
func (p *plugin) isDoubtful(in *v1alpha1.Input, at krm.Path) bool {
	return in.Name == "" || document.CheckIdentifier(in.Name) != "" || document.CheckVariable(in.Env()) != "" ||
		strings.ContainsAny(in.Env(), "-.") || p.Unsure(at) || p.Unsure(at.Key("name")) || p.Unsure(at.Key("as"))
}

// carriers returns the names of the variable and the file of an input for a message.
func carriers(in *v1alpha1.Input) string {
	variable, file := in.Env(), in.Path()
	switch {
	case variable == "":
		return file
	case file == "":
		return "$" + variable
	}
	return "$" + variable + ", " + file
}

// forPrograms reports whether an input is meant for a program that reads it by itself: its variable or its file has a name
// that was chosen, or one that programs are known to read.
func forPrograms(in *v1alpha1.Input) bool {
	variable, file := in.Env(), in.Path()
	if variable == "" {
		return strings.Contains(file, "/.") || slices.ContainsFunc([]string{"/etc/", "/root/", "/home/", "/var/"},
			func(folder string) bool { return strings.HasPrefix(file, folder) })
	}
	return variable != v1alpha1.DefaultEnv(in.Name) || file != "" || slices.ContainsFunc(readByPrograms,
		func(prefix string) bool { return strings.HasPrefix(variable, prefix) })
}

// readByPrograms are prefixes of variables that well-known programs read.
var readByPrograms = strings.Fields("AWS_ ARM_ AZURE_ CLOUDSDK_ DATABASE_URL DOCKER_ GCP_ GH_ GIT GOOGLE_ HELM_ HTTP " +
	"KUBE LANG LC_ MONGO MYSQL NO_PROXY NPM_ PATH PG PULUMI_ REDIS TF_ TZ VAULT_")

// runsOthers reports whether a script is of another language, cannot be parsed, which a nil file means, or runs code that
// may read every variable and write any file: another script, a program by its path, or a text that is not known.
func runsOthers(file *syntax.File, script string) bool {
	if file == nil {
		return shellOf(script) != ""
	}
	found := false
	syntax.Walk(file, func(node syntax.Node) bool {
		call, isCall := node.(*syntax.CallExpr)
		if isCall && len(call.Args) > 0 {
			name := call.Args[0].Lit()
			changesFiles := name == "exec" && len(call.Args) == 1 // such as `exec 3<>/dev/tcp/…`, which runs nothing
			found = found || name == "" || strings.Contains(name, "/") || slices.Contains(runners, name) && !changesFiles
		}
		if expansion, ok := node.(*syntax.ParamExp); ok && expansion.Excl {
			found = true
		}
		return !found
	})
	return found
}

// runners are commands that run a script, or pass on all variables.
var runners = strings.Fields(". source eval exec env printenv envsubst declare make bash sh dash ash zsh ksh python " +
	"python2 python3 node deno bun ruby perl php java npx yarn pnpm docker podman ansible-playbook")

// parsedShell parses a shell script, and returns nil for other scripts and those that cannot be parsed.
func parsedShell(script string) *syntax.File {
	if shellOf(script) == "" || !parseable(script) {
		return nil
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(script), "")
	if err != nil {
		return nil
	}
	return file
}
