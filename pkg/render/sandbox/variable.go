package sandbox

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/tree"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// SetVariable sets a variable of the main container.
func SetVariable(workload *yaml.Node, name, value string) *yaml.Node {
	b := bench{workload: workload}
	b.container("", "", func(container *yaml.Node) *yaml.Node {
		return upsert(container, name, tree.Field{Key: "value", Value: tree.Text(value)})
	})
	return b.workload
}

// variable sets or deletes a variable.
func (b *bench) variable(v *v1alpha1.Env, at krm.Path) {
	if v.Operation == "delete" {
		b.container(v.Container, at, func(container *yaml.Node) *yaml.Node { return b.remove(container, v.Name, at) })
		return
	}
	source, ok := b.source(v, at)
	if !ok {
		return
	}
	b.container(v.Container, at, func(container *yaml.Node) *yaml.Node { return upsert(container, v.Name, source) })
}

// upsert sets a variable in its place, or adds it at the end, where it may refer to all others. Of several of one name the
// last one counts.
func upsert(container *yaml.Node, name string, source tree.Field) *yaml.Node {
	return tree.Update(container, func(env *yaml.Node) *yaml.Node {
		if env == nil || env.Kind != yaml.SequenceNode {
			return tree.ListOf(variableOf(name, source))
		}
		content := slices.Clone(env.Content)
		for i, entry := range slices.Backward(content) {
			if tree.String(entry, "name") == name {
				other := map[string]string{"value": "valueFrom", "valueFrom": "value"}[source.Key]
				content[i] = tree.With(tree.Without(entry, other), source.Key, source.Value)
				return tree.WithContent(env, content)
			}
		}
		return tree.WithContent(env, append(content, variableOf(name, source)))
	}, "env")
}

func variableOf(name string, source tree.Field) *yaml.Node {
	return tree.Map(tree.Field{Key: "name", Value: tree.Text(name)}, source)
}

func (b *bench) remove(container *yaml.Node, name string, at krm.Path) *yaml.Node {
	old := tree.List(container, "env")
	left := slices.DeleteFunc(slices.Clone(old), func(entry *yaml.Node) bool { return tree.String(entry, "name") == name })
	switch {
	case len(left) == len(old) && len(tree.List(container, "envFrom")) > 0:
		b.report(at, krm.Warning, "variable %q must be in the container's env to be deleted: envFrom may still set it", name)
		return container
	case len(left) == len(old):
		b.report(at, krm.Warning, "variable %q must be in the container's env to be deleted: there is none", name)
		return container
	case len(left) == 0:
		return tree.Without(container, "env")
	}
	return tree.With(container, "env", tree.WithContent(tree.Get(container, "env"), left))
}

// source returns the field that gives a variable its value.
func (b *bench) source(v *v1alpha1.Env, at krm.Path) (tree.Field, bool) {
	from := v.ValueFrom
	switch {
	case from == nil:
		return tree.Field{Key: "value", Value: tree.Text(v.Value)}, true
	case from.Resource != nil:
		secret, key := b.Output(*from.Resource)
		return customizationKeyOf("secretKeyRef", v1alpha1.KeyReference{Name: secret, Key: key}), true
	case from.ConfigMap != nil:
		return customizationKeyOf("configMapKeyRef", *from.ConfigMap), true
	case from.Secret != nil:
		return customizationKeyOf("secretKeyRef", *from.Secret), true
	case from.Fork != nil:
		value, ok := b.expression(from.Fork, at.Key("valueFrom").Key("fork"))
		return tree.Field{Key: "value", Value: tree.Text(value)}, ok
	}
	b.report(at.Key("valueFrom"), krm.Error, "must name one of resource, fork, configMap and secret")
	return tree.Field{}, false
}

func customizationKeyOf(kind string, r v1alpha1.KeyReference) tree.Field {
	var optional *yaml.Node
	if r.Optional {
		optional = tree.Bool(true)
	}
	return tree.Field{Key: "valueFrom", Value: tree.Map(tree.Field{Key: kind, Value: tree.Map(
		tree.Field{Key: "name", Value: tree.Text(r.Name)},
		tree.Field{Key: "key", Value: tree.Text(r.Key)},
		tree.Field{Key: "optional", Value: optional},
	)})}
}
