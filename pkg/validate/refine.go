package validate

import (
	"fmt"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// refine makes one problem of one mistake, and puts the advice behind those that real files are known to have.
func refine(problems []strictyaml.Problem) []strictyaml.Problem {
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
		kept = append(kept, advise(p))
	}
	return kept
}

// meant tells whether one of the unknown keys is the missing one by another name.
func meant(missing string, unknown []strictyaml.Problem) bool {
	for _, p := range unknown {
		_, key := split(p.Path)
		if p.Proposed == missing || strings.Contains(p.Message, fmt.Sprintf("did you mean %q", missing)) || near(key, missing) {
			return true
		}
	}
	return false
}

func near(key, missing string) bool {
	nearest, _ := strictyaml.Nearest(key, []string{missing})
	return nearest != ""
}

// advise words the mistakes that real files have (Sandbox reference, Mistakes found in real files; ResourcePlugin
// reference, Old syntax).
func advise(p strictyaml.Problem) strictyaml.Problem {
	for _, a := range advices {
		if a.rule == p.Rule && strings.Contains(p.Message, a.found) && a.place == pattern(p.Path) {
			p.Message = a.message
			break
		}
	}
	return p
}

// advice replaces the message about a place that is often mistaken.
type advice struct {
	rule    string
	place   string // a path with [] for any index
	found   string // what the plain message must speak of, empty for anything
	message string
}

const (
	endpointList = `must be a list: each endpoint begins with a dash, as in "- name: web"`
	oldVariable  = `unknown key "env": it is called "inputs" today, as in ` +
		`inputs: [{name: NAME, valueFromSandbox: true, as: {env: NAME}}]`
)

var advices = []advice{
	{strictyaml.RuleType, "spec.resources[].params", "not a list",
		"must be a mapping of strings, as in params: {dbname: test}, not a list"},
	{strictyaml.RuleType, "spec.resource[].params", "not a list",
		"must be a mapping of strings, as in params: {dbname: test}, not a list"},
	{strictyaml.RuleType, "spec.endpoints", "not a mapping", endpointList},
	{strictyaml.RuleType, "spec.forks[].endpoints", "not a mapping", endpointList},
	{strictyaml.RuleType, "spec.defaultRouteGroup.endpoints", "not a mapping", endpointList},
	{strictyaml.RuleUnknown, "spec.forks[].customizations.command", "",
		`unknown key "command": a command must be changed by a patch, as in patch: {type: strategic, value: "…"}`},
	{strictyaml.RuleUnknown, "spec.forks[].patches", "",
		`unknown key "patches": a fork has one patch, and it must be given as customizations.patch`},
	{strictyaml.RuleUnknown, "spec.workloads", "",
		`unknown key "workloads": workloads must be given as forks, as in ` +
			`forks: [{forkOf: {kind: Deployment, namespace: NS, name: NAME}}]`},
	{strictyaml.RuleUnknown, "spec.defaultRouteGroup.match", "",
		`unknown key "match": the default route group matches its own sandbox and must not be given one`},
	{strictyaml.RuleUnknown, "spec.runner.basePodTemplate", "",
		`unknown key "basePodTemplate": it is called "podTemplateOverlay" today, and it must be a string that holds YAML`},
	{strictyaml.RuleUnknown, "spec.version", "",
		`unknown key "version": the version must be part of the name, as in name: my-plugin@1.0.0`},
	{strictyaml.RuleUnknown, "version", "ignored",
		`key "version" is ignored: the version must be part of the name, as in name: my-plugin@1.0.0`},
	{strictyaml.RuleUnknown, "spec.create[].env", "", oldVariable},
	{strictyaml.RuleUnknown, "spec.delete[].env", "", oldVariable},
}

// pattern is a path with its indexes left out.
func pattern(path krm.Path) string {
	var b strings.Builder
	inside := false
	for _, r := range string(path) {
		inside = inside && r != ']'
		if !inside {
			b.WriteRune(r)
		}
		inside = inside || r == '['
	}
	return b.String()
}
