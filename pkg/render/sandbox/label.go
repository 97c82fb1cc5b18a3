package sandbox

import (
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/tree"
)

// selector is what the fork's workload selects its Pods by. No other Pod has the label with this value: the name ends in
// a hash of whose fork it is.
func (f *Fork) selector() *yaml.Node {
	labels := tree.Map(tree.Field{Key: contract.ForkKey, Value: tree.Text(f.Name)})
	return tree.Map(tree.Field{Key: "matchLabels", Value: labels})
}

// relabel takes off the labels by which anything in the namespace could select the copy, and puts on the fork's own.
func (f *Fork) relabel(labels *yaml.Node) *yaml.Node {
	escape := f.Baseline.Space.Escape
	labels = tree.Only(labels, func(key string) bool {
		return !escape.Drops(key) && !IsOurs(key) && !isIdentity(key) && key != instanceLabel
	})
	for _, key := range slices.Sorted(maps.Keys(escape.Set)) {
		labels = tree.With(labels, key, tree.Text(escape.Set[key]))
	}
	labels = tree.With(labels, contract.ManagedByKey, tree.Text(contract.ManagedBy))
	labels = tree.With(labels, contract.ForkKey, tree.Text(f.Name))
	return tree.With(labels, contract.SandboxKey, tree.Text(contract.LabelValue(f.Owner.Sandbox)))
}

// spread points what places Pods relative to the baseline's own Pods at the fork's own: a fork must neither shun the nodes
// of its baseline nor count its Pods.
func (f *Fork) spread(spec *yaml.Node) *yaml.Node {
	spec = tree.Update(spec, f.eachTerm, "topologySpreadConstraints")
	for _, kind := range []string{"podAffinity", "podAntiAffinity"} {
		spec = tree.Update(spec, f.eachTerm, "affinity", kind, "requiredDuringSchedulingIgnoredDuringExecution")
		spec = tree.Update(spec, func(terms *yaml.Node) *yaml.Node {
			return each(terms, func(weighted *yaml.Node) *yaml.Node {
				return tree.Update(weighted, f.term, "podAffinityTerm")
			})
		}, "affinity", kind, "preferredDuringSchedulingIgnoredDuringExecution")
	}
	return spec
}

func (f *Fork) eachTerm(terms *yaml.Node) *yaml.Node { return each(terms, f.term) }

// term changes a term that looks at the baseline's Pods; one about other namespaces looks at other Pods.
func (f *Fork) term(term *yaml.Node) *yaml.Node {
	if tree.Get(term, "namespaces") != nil || tree.Get(term, "namespaceSelector") != nil {
		return term
	}
	if s, ok := ReadSelector(tree.Get(term, "labelSelector")); ok && s.Matches(f.Baseline.Labels) {
		return tree.With(term, "labelSelector", f.selector())
	}
	return term
}

// each changes the elements of a list; what is no list stays as it is.
func each(list *yaml.Node, change func(*yaml.Node) *yaml.Node) *yaml.Node {
	if list == nil || list.Kind != yaml.SequenceNode {
		return list
	}
	content := make([]*yaml.Node, len(list.Content))
	changed := false
	for i, element := range list.Content {
		content[i] = change(element)
		changed = changed || content[i] != element
	}
	if !changed {
		return list
	}
	return tree.WithContent(list, content)
}
