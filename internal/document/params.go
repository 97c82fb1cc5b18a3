package document

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
)

// RuleUnknownParam is the rule of validate-plugin for the params that Params.Unknown returns.
const RuleUnknownParam = "unknown-param"

// Params are the params of a plugin's inputs.
type Params struct {
	plugin string
	taken  map[string]bool
	names  []string // sorted
}

// NewParams returns the params of a plugin, which messages refer to by name.
func NewParams(plugin string, spec *v1alpha1.ResourcePluginSpec) *Params {
	p := &Params{plugin: plugin, taken: map[string]bool{}}
	for _, step := range Steps(spec) {
		for i := range step.Inputs {
			if step.Inputs[i].ValueFromSandbox {
				p.taken[step.Inputs[i].Name] = true
			}
		}
	}
	p.names = slices.Sorted(maps.Keys(p.taken))
	return p
}

// Unknown iterates over the given params that no input uses, sorted, each with a message.
func (p *Params) Unknown(given map[string]string) iter.Seq2[string, string] {
	return func(yield func(param, message string) bool) {
		for _, param := range slices.Sorted(maps.Keys(given)) {
			if p.taken[param] {
				continue
			}
			advice := "its inputs are " + strictyaml.Listed(p.names)
			if meant := p.Meant(param, given); meant != "" {
				advice = fmt.Sprintf("did you mean %q?", meant)
			}
			if !yield(param, fmt.Sprintf("plugin %q has no input for param %q: %s", p.plugin, param, advice)) {
				return
			}
		}
	}
}

// Meant returns the missing param for which an unused one is likely a misspelling, or "".
func (p *Params) Meant(param string, given map[string]string) string {
	if p.taken[param] || len(p.taken) > strictyaml.MaxCandidates || len(given) > strictyaml.MaxCandidates {
		return ""
	}
	free := slices.DeleteFunc(slices.Clone(p.names), func(name string) bool {
		_, isGiven := given[name]
		return isGiven
	})
	nearest, _ := strictyaml.Suggest(param, free)
	return nearest
}
