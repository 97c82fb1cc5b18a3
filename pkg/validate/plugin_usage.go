package validate

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
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

// reads reports whether a script contains the variable or the file of an input.
func reads(script string, in *v1alpha1.Input) bool {
	return hasWord(script, in.Env()) || in.Path() != "" && mentions(script, path.Clean(in.Path()))
}

// hasWord reports whether a text contains an identifier.
func hasWord(text, word string) bool {
	for at := 0; word != ""; at += len(word) {
		next := strings.Index(text[at:], word)
		if next < 0 {
			return false
		}
		at += next
		if !isNamePart(text, at-1) && !isNamePart(text, at+len(word)) {
			return true
		}
	}
	return false
}

// isNamePart reports whether the byte at an index is part of an identifier.
func isNamePart(text string, at int) bool {
	return at >= 0 && at < len(text) && (document.IsAlphanumeric(rune(text[at])) || text[at] == '_')
}

// mentions reports whether a script may use a file: it contains the path of the file, the path of its folder, as in `cd
// /outputs` and `>/outputs/$key`, or the name of the file in a relative path.
func mentions(script, file string) bool {
	folder, name := path.Split(file)
	folder = path.Clean(folder)
	for line := range strings.Lines(script) {
		if words := strings.Fields(line); len(words) > 0 && words[0] == "mkdir" {
			continue
		}
		for word := range strings.FieldsFuncSeq(line, endsPath) {
			word = strings.TrimRight(word, "/.,")
			switch {
			case word == file || strings.HasPrefix(word, file+"/"), folder != "/" && word == folder,
				!strings.HasPrefix(word, "/") && path.Base(word) == name:
				return true
			}
			if below, found := strings.CutPrefix(word, folder+"/"); found && folder != "/" && !isLiteral(below) {
				return true
			}
		}
	}
	return false
}

// endsPath reports whether a character ends a path in a script, or can be before one.
func endsPath(r rune) bool { return strings.ContainsRune(" \t\r\n\"'`;|&()<>=:,[]", r) }

// isLiteral reports whether a path contains nothing that a script would expand.
func isLiteral(text string) bool { return !strings.ContainsAny(text, "$*?{}%\\") }

// forPrograms reports whether an input is meant for a program that reads it directly: its variable or file has a chosen
// name, or a name that programs are known to read.
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

// delegates reports whether a script is in another language, cannot be parsed, or runs code that may read every variable and
// write any file: another script, a program by its path, or an unknown text.
func delegates(script string) bool {
	file := parsedShell(script)
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

// unset returns a variable that a script reads, that is not set, and that is likely to be meant for an input, or "".
func (p *plugin) unset(s step, in *v1alpha1.Input) string {
	file := parsedShell(s.Script)
	if file == nil || in.Env() == "" {
		return ""
	}
	known := p.takenBy(s)
	var read []string
	syntax.Walk(file, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.Assign:
			if node.Name != nil {
				known[node.Name.Value] = true
			}
		case *syntax.WordIter:
			known[node.Name.Value] = true
		case *syntax.CallExpr: // such as `read`, `getopts` and `printf -v`
			for _, word := range node.Args {
				known[word.Lit()] = true
			}
		case *syntax.ParamExp:
			if node.Param != nil {
				read = append(read, node.Param.Value)
			}
		}
		return true
	})
	for _, name := range read {
		nearest, _ := strictyaml.Suggest(name, []string{in.Env()})
		isPart := strings.HasSuffix(name, "_"+in.Env()) || strings.HasSuffix(in.Env(), "_"+name)
		if !known[name] && (nearest != "" || isPart) {
			return name
		}
	}
	return ""
}

// takenBy returns the variables that are set for a step before its script starts, as far as the plugin specifies them.
func (p *plugin) takenBy(s step) map[string]bool {
	known := map[string]bool{}
	for _, name := range contract.StepVariables() {
		known[name] = true
	}
	for i := range s.Inputs {
		known[s.Inputs[i].Env()] = true
	}
	for _, main := range p.overlayMains() {
		for _, variable := range main.Env {
			known[variable.Name] = true
		}
	}
	return known
}
