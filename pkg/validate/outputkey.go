package validate

import (
	"fmt"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Rules for valueFrom.resource.outputKey of variables and files, and for the values of an OutputSecret.

var outputKey = Rule{
	ID: "output-key", Severity: krm.Error,
	Summary: "An outputKey is `<step>.<output>`, two names with a dot between them.",
	Why:     "No output can have another key.",
	Sources: []string{pluginSpec, sandboxSpec},
	Example: "spec.forks[0].customizations.env[1].valueFrom.resource.outputKey: provision/host",
	checks: eachOutputKey(func(r *Rule, d *Document, path krm.Path, key string, from *plugin) {
		if isOutputKey(key) {
			return
		}
		meant, found := dotted(key)
		switch {
		case !found:
			d.Report(r, path, "must be <step>.<output> such as %q, not %q", "provision.host", key)
		case from != nil && len(from.outputsOf.Of(meant)) > 0:
			d.Propose(r, path, meant, "must be <step>.<output>, not %q: did you mean %q?", key, meant)
		default:
			d.Report(r, path, "must be <step>.<output>, not %q: did you mean %q?", key, meant)
		}
	}),
}

// isOutputKey reports whether a key is `<step>.<output>`, or a name without a dot.
func isOutputKey(key string) bool {
	step, output, dotted := strings.Cut(key, ".")
	return document.CheckIdentifier(step) == "" && step != "" &&
		(!dotted || document.CheckIdentifier(output) == "" && output != "")
}

// dotted returns the intended outputKey if it has two names with another separator than a dot.
func dotted(key string) (meant string, found bool) {
	names := strings.FieldsFunc(key, func(r rune) bool { return strings.ContainsRune("./: ", r) })
	meant = strings.Join(names, ".")
	return meant, len(names) == 2 && isOutputKey(meant)
}

var outputKeyForm = Rule{
	ID: "output-key-form", Severity: krm.Warning,
	Summary: "An outputKey names its step: the name of an output is not enough.",
	Why: "A key without a dot is an old form that is still in use. It is rendered if the plugin is in the input and exactly " +
		"one of its create steps has an output of that name.",
	Sources: []string{pluginSpec, sandboxSpec},
	Example: "spec.forks[0].customizations.env[1].valueFrom.resource.outputKey: host",
	checks: []check{ofSandboxes(func(r *Rule, d *Document, path krm.Path, key string, from *plugin) {
		if strings.Contains(key, ".") || !isOutputKey(key) {
			return
		}
		if from == nil {
			d.Report(r, path, "%s", document.NamesNoStep(key, nil))
			return
		}
		switch outputs := from.outputsOf.Of(key); len(outputs) {
		case 0: // for the rule "unknown-output-key"
		case 1:
			d.Propose(r, path, outputs[0].Key(), "%s", document.NamesNoStep(key, outputs))
		default:
			d.Report(r, path, "%s", document.NamesNoStep(key, outputs))
		}
	})},
}

var unknownOutputKey = Rule{
	ID: "unknown-output-key", Severity: krm.Error,
	Summary: "An outputKey is one that a create step of the resource's plugin produces.",
	Why:     "The workload would wait for a value that no step writes.",
	Sources: []string{pluginSpec, sandboxSpec},
	Example: "spec.forks[0].customizations.env[1].valueFrom.resource.outputKey: provision.hots",
	checks: eachOutputKey(func(r *Rule, d *Document, path krm.Path, key string, from *plugin) {
		if from == nil || !isOutputKey(key) || len(from.outputsOf.Of(key)) > 0 {
			return
		}
		step, _, dotted := strings.Cut(key, ".")
		if dotted && from.deletes[step] {
			d.Report(r, path, "an outputKey must be of a create step: %q of plugin %q is a delete step, "+
				"which runs when the sandbox ends", step, from.Name)
			return
		}
		d.suggest(r, path, fmt.Sprintf("plugin %q has no output", from.Name), key, from.outputKeys,
			"its outputs are "+strictyaml.Listed(from.outputKeys))
	}),
}

// outputKeyCheck checks one outputKey, with the plugin of its resource, or nil if that is unknown. The rule "required"
// reports empty keys.
type outputKeyCheck func(r *Rule, d *Document, path krm.Path, key string, from *plugin)

// eachOutputKey checks each outputKey of all sandboxes and of all OutputSecrets.
func eachOutputKey(do outputKeyCheck) []check {
	return []check{ofSandboxes(do), listCheck{contract.OutputSecret, func(r *Rule, d *documents) {
		for _, s := range d.secrets {
			from := d.providers()[resource{d.sandboxOf(s), s.Spec.Resource}]
			for _, key := range s.Keys() {
				if !s.namesNoStep(key) { // for the rule "output-secret-key"
					do(r, &s.Document, dataPath.Key(key), s.Spec.Data[key], from)
				}
			}
		}
	}}}
}

func ofSandboxes(do outputKeyCheck) check {
	return listCheck{contract.Sandbox, func(r *Rule, d *documents) {
		for _, s := range d.sandboxes {
			for _, v := range s.sources {
				if v.resource != nil && v.resource.OutputKey != "" {
					from := d.providers()[resource{s, v.resource.Name}]
					do(r, &s.Document, v.from("resource").Key("outputKey"), v.resource.OutputKey, from)
				}
			}
		}
	}}
}
