package validate

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/overlay"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

var inputName = Rule{
	ID: "input-name", Severity: krm.Error,
	Summary: "An input's name has letters, digits and inner dashes, starts with a letter, and has at most 30 characters.",
	Why:     "It names the sandbox's param and, by default, the variable.",
	Example: "spec.create[0].inputs[0].name: db_name",
	checks: eachInput(func(r *Rule, p *plugin, in input) {
		p.Must(r, in.path.Key("name"), "input name", document.CheckIdentifier(in.Name))
	}),
}

var inputUnique = Rule{
	ID: "input-unique", Severity: krm.Error,
	Summary: "An input's name is given once in a step.",
	Why:     "Of two inputs of one name, one would be lost.",
	Example: "spec.create[0].inputs[1].name: db-name",
	checks: eachStep(func(r *Rule, p *plugin, s step) {
		names := make(map[string]bool, len(s.Inputs))
		for i := range s.Inputs {
			p.Once(r, names, s.Inputs[i].Name, "input", s.at.Input(i))
		}
	}),
}

var inputSource = Rule{
	ID: "input-source", Severity: krm.Error,
	Summary: "An input has exactly one of valueFromSandbox: true and valueFromStep.",
	Why:     "The input would have no value, or two.",
	Example: "spec.create[0].inputs[0].valueFromSandbox: false",
	checks: eachInput(func(r *Rule, p *plugin, in input) {
		switch {
		case in.ValueFromSandbox && in.ValueFromStep != nil:
			p.Report(r, in.path, "input %q must have only one of valueFromSandbox and valueFromStep", in.Name)
		case !in.ValueFromSandbox && in.ValueFromStep == nil:
			p.Report(r, in.path, "input %q must have a source: valueFromSandbox: true or valueFromStep", in.Name)
		}
	}),
}

var inputVariable = Rule{
	ID: "input-variable", Severity: krm.Warning,
	Summary: "An input's variable is one that a shell can read: letters, digits and underscores, not starting with a digit.",
	Why:     "A shell script could not read the value.",
	Sources: []string{"https://pubs.opengroup.org/onlinepubs/9799919799/basedefs/V1_chap03.html"},
	Example: "spec.create[0].inputs[0].as.env: DB-NAME",
	checks: []check{pluginCheck(func(r *Rule, p *plugin) {
		p.variables(func(path krm.Path, name string) {
			if document.CheckVariable(name) == "" && strings.ContainsAny(name, "-.") {
				proposed := strings.NewReplacer("-", "_", ".", "_").Replace(name)
				p.Report(r, path, "a shell script cannot read a variable named %q: call it %q", name, proposed)
			}
		})
	})},
}

var inputReserved = Rule{
	ID: "input-reserved", Severity: krm.Warning,
	Summary: "An input's variable is not one of " + strings.Join(contract.StepVariables(), ", ") + ".",
	Why:     "Every step gets these, and they take precedence.",
	Example: "spec.create[0].inputs[0].as.env: SIGNADOT_SANDBOX_ID",
	checks: []check{pluginCheck(func(r *Rule, p *plugin) {
		p.variables(func(path krm.Path, name string) {
			if slices.Contains(contract.StepVariables(), name) {
				p.Report(r, path, "%q is set for every step and takes precedence: the input must have another variable", name)
			}
		})
	})},
}

var inputPath = Rule{
	ID: "input-path", Severity: krm.Error,
	Summary: "An input's as.path is the absolute path of a file, without `..`, and not where the step's own parts are.",
	Why:     "The file is mounted there before the script starts.",
	Example: "spec.create[0].inputs[0].as.path: ../etc/passwd",
	checks: eachInput(func(r *Rule, p *plugin, in input) {
		wrong := document.CheckFile(in.Path())
		if wrong == "" {
			wrong = checkMount(in.Path())
		}
		p.Must(r, in.path.Key("as").Key("path"), "", wrong)
	}),
}

// checkMount checks the requirements of Kubernetes and the renderer for a mounted file.
func checkMount(file string) string {
	switch {
	case strings.Contains(file, ":"):
		return fmt.Sprintf("must not hold a colon as %q does: Kubernetes cannot mount it", file)
	case overlay.Reserved(path.Clean(file)):
		return fmt.Sprintf("must not be %q: the step needs what is mounted there", file)
	}
	return ""
}

var inputClash = Rule{
	ID: "input-clash", Severity: krm.Error,
	Summary: "Two inputs of a step have different variables and different files, and no file is a folder of another.",
	Why:     "One of the values would be lost.",
	Sources: []string{},
	Example: "spec.create[0].inputs[1].as.env: DBNAME",
	checks: eachStep(func(r *Rule, p *plugin, s step) {
		p.variableClash(r, s)
		p.fileClash(r, s)
	}),
}

func (p *plugin) variableClash(r *Rule, s step) {
	first := make(map[string]string, len(s.Inputs)) // the first input of each variable
	for i := range s.Inputs {
		name, variable := s.Inputs[i].Name, s.Inputs[i].Env()
		other, taken := first[variable]
		switch {
		case variable == "":
		case !taken:
			first[variable] = name
		case other != name: // repeated names are reported by the rule "input-unique"
			p.Report(r, s.at.Input(i), "inputs %q and %q must not share the variable %q: give one of them another as.env",
				other, name, variable)
		}
	}
}

// fileClash sorts the files, so that a file is followed by files that would be in it if it were a folder.
func (p *plugin) fileClash(r *Rule, s step) {
	type mounted struct {
		path  string // clean, ending in a slash
		input int
	}
	var files []mounted
	for i := range s.Inputs {
		if name := s.Inputs[i].Path(); name != "" && document.CheckFile(name) == "" {
			files = append(files, mounted{path: path.Clean(name) + "/", input: i})
		}
	}
	slices.SortStableFunc(files, func(a, b mounted) int { return strings.Compare(a.path, b.path) })
	for i, root := 1, 0; i < len(files); i++ {
		if !strings.HasPrefix(files[i].path, files[root].path) {
			root = i
			continue
		}
		shared := fmt.Sprintf("the file %q", strings.TrimSuffix(files[root].path, "/"))
		if files[i].path != files[root].path {
			shared += ", which would have to be a folder too"
		}
		later, earlier := max(files[i].input, files[root].input), min(files[i].input, files[root].input)
		p.Report(r, s.at.Input(later).Key("as").Key("path"), "inputs %q and %q must not share %s",
			s.Inputs[earlier].Name, s.Inputs[later].Name, shared)
	}
}

// variables calls do for each variable of an input. A variable derived from a valid name is valid.
func (p *plugin) variables(do func(path krm.Path, name string)) {
	for _, in := range p.inputs {
		if in.As != nil && in.As.Env != "" {
			do(in.path.Key("as").Key("env"), in.As.Env)
		}
	}
}

// RuleInputUnread is the id of the rule about inputs that no script reads.
const RuleInputUnread = "input-unread"

var inputUnread = Rule{
	ID: RuleInputUnread, Severity: krm.Warning,
	Summary: "A shell script reads the inputs of its step.",
	Why: "The value has no effect. Variables that programs may read by themselves, such as AWS_REGION, and scripts that " +
		"start a program by its path, are not reported.",
	Example: "spec.create[0].inputs[1].as.env: SIZES",
	checks: eachStep(func(r *Rule, p *plugin, s step) {
		if p.isUnread(s) || shellOf(s.Script) == "" {
			return
		}
		use := newScriptUse(s.Script)
		var unset []string
		isKnown := false
		for i := range s.Inputs {
			in, at := &s.Inputs[i], s.at.Input(i)
			if p.isDoubtful(in, at) || use.reads(in) {
				continue
			}
			if use.delegates() {
				return
			}
			if !isKnown {
				unset, isKnown = use.unset(p.setBefore(s)), true
			}
			if meant := meantFor(in, unset); meant != "" {
				p.Report(r, at, "input %q is never read (%s): the script reads $%s, which nothing sets",
					in.Name, carriers(in), meant)
			} else if !forPrograms(in) && strings.Contains(s.Script, "$") {
				p.Report(r, at, "input %q is never read (%s): read it in the script, or remove it", in.Name, carriers(in))
			}
		}
	}),
}

var stepCycle = Rule{
	ID: "step-cycle", Severity: krm.Error,
	Summary: "No step waits for itself, directly or through others.",
	Why:     "None of the steps of a cycle could ever start.",
	Example: "spec.create[0].inputs[0]: {name: user, valueFromStep: {name: seed, output: user}, as: {env: DBNAME}}",
	checks: []check{pluginCheck(func(r *Rule, p *plugin) {
		for _, cycle := range p.graph().Cycles() {
			p.Report(r, cycle.Steps[0].Input(cycle.Input).Key("valueFromStep").Key("name"),
				"steps must not wait for each other: %s", cycle)
		}
	})},
}
