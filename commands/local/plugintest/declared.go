package plugintest

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/overlay"
)

// undeclared returns a message for each variable that a script reads, but neither the plugin declares nor the script sets.
// Such a script gets another value on another machine or in another image. Only scripts for a shell are read.
func undeclared(plugin *document.Plugin) (messages []string) {
	known, isKnown := overlayVariables(&plugin.Spec)
	if !isKnown {
		return nil
	}
	for ref, step := range document.Steps(&plugin.Spec) {
		file := shellFile(step.Script)
		if file == nil {
			continue
		}
		set := slices.Concat(known, contract.StepVariables())
		for i := range step.Inputs {
			set = append(set, step.Inputs[i].Env())
		}
		for _, name := range readButUnset(file, set) {
			messages = append(messages, fmt.Sprintf("%s: the script of step %q reads $%s, which nothing declares: make it an input, "+
				"or set it in the script or the overlay", ref.Path().Key("script"), step.Name, name))
		}
	}
	return messages
}

// overlayVariables returns the variables that the overlay sets in main; false if they are not known.
func overlayVariables(plugin *v1alpha1.ResourcePluginSpec) (names []string, isKnown bool) {
	parsed, problems := overlay.Parse(plugin.Runner.PodTemplateOverlay)
	if len(problems) > 0 {
		return nil, false
	}
	for _, container := range parsed.Template.Spec.Containers {
		if container.Name != contract.MainContainer {
			continue
		}
		if len(container.EnvFrom) > 0 {
			return nil, false
		}
		for _, variable := range container.Env {
			names = append(names, variable.Name)
		}
	}
	return names, true
}

// shellFile parses a script for a shell; nil for one of another language, with directives, or that reads other scripts.
func shellFile(script string) *syntax.File {
	line, _, _ := strings.Cut(script, "\n")
	if declared, isDeclared := strings.CutPrefix(line, "#!"); isDeclared {
		words := strings.Fields(declared)
		shells := []string{"sh", "bash", "dash", "ash"}
		if len(words) == 0 || !slices.ContainsFunc(words, func(w string) bool { return slices.Contains(shells, path.Base(w)) }) {
			return nil
		}
	}
	if strings.Contains(script, "@{") {
		return nil
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(script), "")
	if err != nil {
		return nil
	}
	readsOthers := false
	syntax.Walk(file, func(node syntax.Node) bool {
		if call, isCall := node.(*syntax.CallExpr); isCall && len(call.Args) > 0 {
			readsOthers = readsOthers || slices.Contains([]string{".", "source", "eval"}, call.Args[0].Lit())
		}
		return !readsOthers
	})
	if readsOthers {
		return nil
	}
	return file
}

// readButUnset returns the variables that a script reads and nothing sets, in the order in which it reads them.
func readButUnset(file *syntax.File, set []string) (unset []string) {
	var read []string
	syntax.Walk(file, func(node syntax.Node) bool {
		set = append(set, setBy(node)...)
		switch node := node.(type) {
		case *syntax.ArithmExp:
			read = append(read, operands(node.X)...)
		case *syntax.ArithmCmd:
			read = append(read, operands(node.X)...)
		case *syntax.ParamExp:
			if node.Param != nil {
				read = append(read, node.Param.Value)
			}
		}
		return true
	})
	for _, name := range read {
		if !slices.Contains(set, name) && !isStandard(name) {
			set, unset = append(set, name), append(unset, name)
		}
	}
	return unset
}

// setBy returns the variables that a part of a script may set.
func setBy(node syntax.Node) (names []string) {
	switch node := node.(type) {
	case *syntax.Assign:
		if node.Name != nil {
			return []string{node.Name.Value}
		}
	case *syntax.WordIter:
		return []string{node.Name.Value}
	case *syntax.CallExpr: // such as `read`, `getopts`, `printf -v` and `unset`
		for _, word := range node.Args {
			names = append(names, word.Lit())
		}
	case *syntax.CoprocClause:
		names = []string{"COPROC_PID"}
		if node.Name != nil {
			names = []string{node.Name.Lit(), node.Name.Lit() + "_PID"}
		}
	case *syntax.BinaryArithm:
		if isAssignment(node.Op) {
			return operands(node.X)
		}
	case *syntax.UnaryArithm:
		if node.Op == syntax.Inc || node.Op == syntax.Dec {
			return operands(node.X)
		}
	}
	return names
}

// isAssignment reports whether an arithmetic operator sets its left operand.
func isAssignment(op syntax.BinAritOperator) bool {
	return strings.HasSuffix(op.String(), "=") &&
		!slices.Contains([]syntax.BinAritOperator{syntax.Eql, syntax.Neq, syntax.Leq, syntax.Geq}, op)
}

// operands returns the variables that an arithmetic expression names without a dollar sign, but for subscripts of arrays,
// which may be strings.
func operands(x syntax.ArithmExpr) []string {
	switch x := x.(type) {
	case *syntax.Word:
		if name := x.Lit(); syntax.ValidName(name) {
			return []string{name}
		}
	case *syntax.BinaryArithm:
		return append(operands(x.X), operands(x.Y)...)
	case *syntax.UnaryArithm:
		return operands(x.X)
	case *syntax.ParenArithm:
		return operands(x.X)
	}
	return nil
}

// isStandard reports whether a variable is set by shells, containers or Kubernetes, or is a special parameter.
func isStandard(name string) bool {
	if !isVariable(name) {
		return true
	}
	return slices.Contains(standardVariables, name) || slices.ContainsFunc(standardPrefixes, func(prefix string) bool {
		return strings.HasPrefix(name, prefix)
	}) || strings.HasSuffix(name, "_SERVICE_HOST") || strings.HasSuffix(name, "_SERVICE_PORT")
}

// isVariable reports whether a name is that of a variable, and not that of a special parameter such as $1 or $@.
func isVariable(name string) bool {
	return name != "" && strings.Trim(name, "0123456789@*#?!$-_") != "" && (name[0] < '0' || name[0] > '9')
}

// standardVariables are those of POSIX, of bash and of container runtimes:
// https://pubs.opengroup.org/onlinepubs/9799919799/basedefs/V1_chap08.html,
// https://www.gnu.org/software/bash/manual/html_node/Bash-Variables.html
var standardVariables = strings.Fields("HOME PATH PWD OLDPWD HOSTNAME USER LOGNAME SHELL TERM TMPDIR TZ LANG LANGUAGE IFS " +
	"PS1 PS2 PS3 PS4 OPTARG OPTIND OPTERR PPID UID EUID GROUPS RANDOM SRANDOM SECONDS LINENO REPLY SHLVL FUNCNAME PIPESTATUS " +
	"DIRSTACK EPOCHSECONDS EPOCHREALTIME COLUMNS LINES HOSTTYPE MACHTYPE OSTYPE MAPFILE COPROC " +
	"HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy")

var standardPrefixes = []string{"BASH", "LC_", "KUBERNETES_"}
