package validate

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// dedupe drops the problem of a missing required key if an unknown key is probably meant to be that key, and replaces the
// messages of common mistakes.
func dedupe(root *yaml.Node, problems []strictyaml.Problem) []strictyaml.Problem {
	if len(problems) == 0 {
		return nil
	}
	unknown := map[krm.Path][]strictyaml.Problem{}
	for _, p := range problems {
		if p.Rule == strictyaml.RuleUnknown {
			parent, _ := split(p.Path)
			unknown[parent] = append(unknown[parent], p)
		}
	}
	kept := make([]strictyaml.Problem, 0, len(problems))
	for _, p := range problems {
		parent, key := split(p.Path)
		if p.Rule == strictyaml.RuleRequired && meant(key, unknown[parent]) {
			continue
		}
		if message := hint(root, p); message != "" {
			p.Message = message
		}
		kept = append(kept, p)
	}
	return kept
}

// meant reports whether one of the unknown keys is another name for the missing key.
func meant(missing string, unknown []strictyaml.Problem) bool {
	for _, p := range unknown {
		_, key := split(p.Path)
		if nearest, _ := strictyaml.Nearest(key, []string{missing}); nearest != "" || p.Proposed == missing {
			return true
		}
	}
	return false
}

// hint returns the message of a common mistake, or "" for other problems.
func hint(root *yaml.Node, p strictyaml.Problem) string {
	for _, h := range hints {
		if h.rule != p.Rule || h.found != p.Found || h.path != pattern(p.Path) {
			continue
		}
		if value, _ := p.Path.Find(root); h.value == "" || value != nil && value.Value == h.value {
			return h.message
		}
	}
	return ""
}

const (
	endpointList = `must be a list: each endpoint begins with a dash, as in "- name: web"`
	paramMapping = "must be a mapping of strings, as in params: {dbname: test}, not a list"
	oldVariable  = `unknown key "env": it is called "inputs" today, as in ` +
		`inputs: [{name: NAME, valueFromSandbox: true, as: {env: NAME}}]`
	fromSandbox = `unknown key "valueFrom": did you mean "valueFromSandbox: true"?`
)

// hints are the messages of common mistakes, by rule, path without indexes, kind of the value and, unless it is empty, the
// value.
var hints = []struct {
	rule    string
	path    string
	found   yaml.Kind
	value   string
	message string
}{
	{strictyaml.RuleType, "spec.resources[].params", yaml.SequenceNode, "", paramMapping},
	{strictyaml.RuleType, "spec.resource[].params", yaml.SequenceNode, "", paramMapping},
	{strictyaml.RuleType, "spec.endpoints", yaml.MappingNode, "", endpointList},
	{strictyaml.RuleType, "spec.forks[].endpoints", yaml.MappingNode, "", endpointList},
	{strictyaml.RuleType, "spec.defaultRouteGroup.endpoints", yaml.MappingNode, "", endpointList},
	{strictyaml.RuleUnknown, "spec.forks[].customizations.command", 0, "",
		`unknown key "command": a command must be changed by a patch, as in patch: {type: strategic, value: "…"}`},
	{strictyaml.RuleUnknown, "spec.forks[].patches", 0, "",
		`unknown key "patches": a fork has one patch, and it must be given as customizations.patch`},
	{strictyaml.RuleUnknown, "spec.workloads", 0, "",
		`unknown key "workloads": workloads must be given as forks, as in ` +
			`forks: [{forkOf: {kind: Deployment, namespace: NS, name: NAME}}]`},
	{strictyaml.RuleUnknown, "spec.defaultRouteGroup.match", 0, "",
		`unknown key "match": the default route group matches its own sandbox and must not be given one`},
	{strictyaml.RuleUnknown, "spec.runner.basePodTemplate", 0, "",
		`unknown key "basePodTemplate": it is called "podTemplateOverlay" today, and it must be a string that holds YAML`},
	{strictyaml.RuleUnknown, "spec.version", 0, "",
		`unknown key "version": the version must be part of the name, as in name: my-plugin@1.0.0`},
	{strictyaml.RuleUnknown, "version", 0, "",
		`key "version" is ignored: the version must be part of the name, as in name: my-plugin@1.0.0`},
	{strictyaml.RuleUnknown, "spec.create[].env", 0, "", oldVariable},
	{strictyaml.RuleUnknown, "spec.delete[].env", 0, "", oldVariable},
	{strictyaml.RuleUnknown, "spec.create[].inputs[].valueFrom", 0, "sandbox", fromSandbox},
	{strictyaml.RuleUnknown, "spec.delete[].inputs[].valueFrom", 0, "sandbox", fromSandbox},
	{strictyaml.RuleType, "spec.runner.podTemplateOverlay", yaml.MappingNode, "",
		"must be a string that holds YAML, not a mapping: put | after podTemplateOverlay:"},
}
