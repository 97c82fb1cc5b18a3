package document

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

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

// Without returns the params that are not given, sorted.
func (p *Params) Without(given map[string]string) []string {
	return slices.DeleteFunc(slices.Clone(p.names), func(name string) bool { _, is := given[name]; return is })
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

// emptinessTests matches the code in a shell script that asks whether a variable or a file is empty: a test, or an expansion
// with a default.
var emptinessTests = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`-[zn] "?\$\{?(\w+)|\$\{(\w+)[:+-]|"\$(\w+)" !?=|"\$\{(\w+)\}" !?=|-s "?(/[^\s"]+)`)
})

// TestedIn returns the variables, and the paths of files, of which a shell script asks whether they are empty.
func TestedIn(script string) map[string]bool {
	tested := map[string]bool{}
	for _, groups := range emptinessTests().FindAllStringSubmatch(script, -1) {
		for _, name := range groups[1:] {
			tested[name] = true
		}
	}
	delete(tested, "")
	return tested
}

// Needed returns the params without which a script fails or does not test whether they are empty, sorted.
func Needed(spec *v1alpha1.ResourcePluginSpec) []string {
	needed := map[string]bool{}
	for _, step := range Steps(spec) {
		tested := TestedIn(step.Script)
		for i := range step.Inputs {
			in := &step.Inputs[i]
			if in.ValueFromSandbox && (!tested[cmp.Or(in.Env(), in.Path())] || strings.Contains(step.Script, "${"+in.Env()+":?")) {
				needed[in.Name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(needed))
}
