package validate

import (
	"path"

	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

var outputName = Rule{
	ID: "output-name", Severity: krm.Error,
	Summary: "An output's name has letters, digits and inner dashes, starts with a letter, and has at most 30 characters.",
	Why:     "It becomes a key of a Secret, and sandboxes refer to it as <step>.<output>.",
	Example: "spec.create[0].outputs[1].name: db.port",
	checks: eachOutput(func(r *Rule, p *plugin, out output) {
		p.Must(r, out.path.Key("name"), "output name", document.CheckIdentifier(out.Name))
	}),
}

var outputUnique = Rule{
	ID: "output-unique", Severity: krm.Error,
	Summary: "An output's name is given once in a step.",
	Why:     "Of two outputs of one name, one would be lost.",
	Example: "spec.create[0].outputs[1].name: host",
	checks: eachStep(func(r *Rule, p *plugin, s step) {
		names := make(map[string]bool, len(s.Outputs))
		for i := range s.Outputs {
			p.Once(r, names, s.Outputs[i].Name, "output", s.at.Output(i))
		}
	}),
}

var outputPath = Rule{
	ID: "output-path", Severity: krm.Error,
	Summary: "An output's valueFromPath is the absolute path of a file, without `..`.",
	Why:     "It is read after the script ended, whatever folder the script was in.",
	Example: "spec.create[0].outputs[0].valueFromPath: tmp/host",
	checks: eachOutput(func(r *Rule, p *plugin, out output) {
		p.Must(r, out.path.Key("valueFromPath"), "", document.CheckFile(out.ValueFromPath))
	}),
}

var outputUnwritten = Rule{
	ID: "output-unwritten", Severity: krm.Warning,
	Summary: "A script names the files of its step's outputs.",
	Why: "A step without the file of an output fails when its script has ended. Scripts that build the path, or start a " +
		"program by its path, are not reported.",
	Example: "spec.create[0].outputs[0].valueFromPath: /outputs/bucket",
	checks: eachStep(func(r *Rule, p *plugin, s step) {
		if p.isUnread(s) {
			return
		}
		use := newScriptUse(s.Script)
		for i, out := range s.Outputs {
			file := out.ValueFromPath
			if file == "" || document.CheckFile(file) != "" || use.mentions(path.Clean(file)) {
				continue
			}
			if use.delegates() {
				return
			}
			p.Report(r, s.at.Output(i).Key("valueFromPath"), "no line of the script names %q: write the output there", file)
		}
	}),
}
