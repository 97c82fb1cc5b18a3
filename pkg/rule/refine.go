package rule

import (
	"fmt"
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/decode"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// refine makes one problem of one mistake, and puts the advice behind those that real files are known to have.
func refine(problems []decode.Problem) []decode.Problem {
	if len(problems) == 0 {
		return nil
	}
	unknown := map[krm.Path][]decode.Problem{}
	for _, p := range problems {
		if p.Rule == decode.RuleUnknown {
			parent, _ := split(p.Path)
			unknown[parent] = append(unknown[parent], p)
		}
	}
	kept := make([]decode.Problem, 0, len(problems))
	for _, p := range problems {
		parent, key := split(p.Path)
		if p.Rule == decode.RuleRequired && meant(key, unknown[parent]) {
			continue
		}
		kept = append(kept, advise(p))
	}
	return kept
}

// meant tells whether one of the unknown keys is the missing one by another name.
func meant(missing string, unknown []decode.Problem) bool {
	for _, p := range unknown {
		_, key := split(p.Path)
		if p.Proposed == missing || strings.Contains(p.Message, fmt.Sprintf("did you mean %q", missing)) || near(key, missing) {
			return true
		}
	}
	return false
}

func near(key, missing string) bool {
	nearest, _ := decode.Nearest(key, []string{missing})
	return nearest != ""
}

// advise words the mistakes that real files have (Sandbox reference, Mistakes found in real files; ResourcePlugin
// reference, Old syntax).
func advise(p decode.Problem) decode.Problem {
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
	{decode.RuleType, "spec.resources[].params", "not a list",
		"must be a mapping of strings, as in params: {dbname: test}, not a list"},
	{decode.RuleType, "spec.resource[].params", "not a list",
		"must be a mapping of strings, as in params: {dbname: test}, not a list"},
	{decode.RuleType, "spec.endpoints", "not a mapping", endpointList},
	{decode.RuleType, "spec.forks[].endpoints", "not a mapping", endpointList},
	{decode.RuleType, "spec.defaultRouteGroup.endpoints", "not a mapping", endpointList},
	{decode.RuleUnknown, "spec.forks[].customizations.command", "",
		`unknown key "command": a command must be changed by a patch, as in patch: {type: strategic, value: "…"}`},
	{decode.RuleUnknown, "spec.forks[].patches", "",
		`unknown key "patches": a fork has one patch, and it must be given as customizations.patch`},
	{decode.RuleUnknown, "spec.workloads", "",
		`unknown key "workloads": workloads must be given as forks, as in ` +
			`forks: [{forkOf: {kind: Deployment, namespace: NS, name: NAME}}]`},
	{decode.RuleUnknown, "spec.defaultRouteGroup.match", "",
		`unknown key "match": the default route group matches its own sandbox and must not be given one`},
	{decode.RuleUnknown, "spec.runner.basePodTemplate", "",
		`unknown key "basePodTemplate": it is called "podTemplateOverlay" today, and it must be a string that holds YAML`},
	{decode.RuleUnknown, "spec.version", "",
		`unknown key "version": the version must be part of the name, as in name: my-plugin@1.0.0`},
	{decode.RuleUnknown, "version", "ignored",
		`key "version" is ignored: the version must be part of the name, as in name: my-plugin@1.0.0`},
	{decode.RuleUnknown, "spec.create[].env", "", oldVariable},
	{decode.RuleUnknown, "spec.delete[].env", "", oldVariable},
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
