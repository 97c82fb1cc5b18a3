package validate

import (
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/digest"
	"github.com/resource-plugins/krm-functions/internal/template"
	"github.com/resource-plugins/krm-functions/internal/version"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// immutableVersion: ResourcePlugin spec, publishing; contract, Identity: variables are part of a version.
var immutableVersion = Rule{
	ID: "immutable-version", Severity: krm.Error,
	Demand:  "A version of a plugin that the older state has is as it was (--base, --base-ref).",
	Why:     "A published version is immutable: the server refuses another content under the same name and version.",
	Example: "spec.description: another one",
	pluginUpdates: func(u *updateCheck) {
		for _, now := range u.after.plugins {
			then := u.before.byName[now.name.String()]
			if then == nil || !differ(then, now) {
				continue
			}
			message := version.AlreadyExists(now.name)
			if u.sameButVariables(then.spec(), now.spec()) {
				message += "; the documents differ only in what variables gave: give --set the values of the published one"
			}
			u.report(&now.check, namePath, "%s", message)
		}
	},
}

// differ tells whether two documents publish different things. What has no digest is told of elsewhere.
func differ(a, b *updatedPlugin) bool {
	one, err := digest.Of(a.name, a.spec())
	if err != nil {
		return false
	}
	other, err := digest.Of(b.name, b.spec())
	return err == nil && one != other
}

func (p *updatedPlugin) spec() *yaml.Node { return krm.Value(p.item.YNode(), "spec") }

// versionInUse: ResourcePlugin spec, publishing.
var versionInUse = Rule{
	ID: "version-in-use", Severity: krm.Error,
	Demand:  "A version that a sandbox has is not removed (--base, --base-ref).",
	Why:     "The server refuses it: the sandbox could neither be made again nor be torn down.",
	Example: "metadata.name: another@1.0.0",
	pluginUpdates: func(u *updateCheck) {
		if u.Partial {
			return
		}
		needs := u.after.needs()
		for _, then := range u.before.plugins {
			if u.after.byName[then.name.String()] != nil {
				continue
			}
			users := map[string]bool{}
			for _, n := range needs[then.name.Bare] {
				users[n.sandbox] = users[n.sandbox] || n.Admits(then.name.Version)
			}
			maps.DeleteFunc(users, func(_ string, uses bool) bool { return !uses })
			if len(users) > 0 {
				names := strings.Join(slices.Sorted(maps.Keys(users)), ", ")
				u.report(&then.check, namePath, "%s", version.StillReferenced(then.name.Shown(), names))
			}
		}
	},
}

// need is a sandbox's reference that no version of its state does for.
type need struct {
	version.Reference
	sandbox string
}

// needs returns, by the plugin's name, what the sandboxes of a state lack.
func (s *state) needs() map[string][]need {
	versions := make(map[string][]*updatedPlugin, len(s.plugins))
	for _, p := range s.plugins {
		versions[p.name.Bare] = append(versions[p.name.Bare], p)
	}
	needs := map[string][]need{}
	for _, one := range s.sandboxes {
		for _, resource := range one.Spec.Resources {
			reference, err := version.ParseReference(resource.Plugin)
			if err != nil {
				continue
			}
			does := func(p *updatedPlugin) bool { return reference.Admits(p.name.Version) }
			if !slices.ContainsFunc(versions[reference.Bare], does) {
				needs[reference.Bare] = append(needs[reference.Bare], need{reference, one.Name})
			}
		}
	}
	return needs
}

// sameButVariables tells whether two values differ only in what variables gave.
func (u *updateCheck) sameButVariables(a, b *yaml.Node) bool {
	left := digest.MaxSize // aliases can make a small tree large
	var same func(a, b *yaml.Node) bool
	same = func(a, b *yaml.Node) bool {
		left--
		a, b = target(a), target(b)
		if a == nil || b == nil || left < 0 || a.Kind != b.Kind {
			return a == b
		}
		switch a.Kind {
		case yaml.ScalarNode:
			return a.Value == b.Value || sameText(a, b, u.Origins(a), u.Origins(b))
		case yaml.SequenceNode:
			return slices.EqualFunc(a.Content, b.Content, same)
		case yaml.MappingNode:
			if len(a.Content) != len(b.Content) {
				return false
			}
			for i := 0; i+1 < len(a.Content); i += 2 {
				if !same(a.Content[i+1], krm.Value(b, a.Content[i].Value)) {
					return false
				}
			}
			return true
		default:
			return false
		}
	}
	return same(a, b)
}

func target(node *yaml.Node) *yaml.Node {
	for node != nil && node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	return node
}

// sameText tells whether two texts differ only in what variables gave. Of a text that was expanded before it got here
// nobody knows what a variable gave: there the text around the other one's variables must be found.
func sameText(a, b *yaml.Node, ofA, ofB []template.Origin) bool {
	partsA, partsB := around(a.Value, ofA), around(b.Value, ofB)
	switch {
	case len(partsA) > 1 && len(partsB) > 1:
		return slices.Equal(partsA, partsB)
	case len(partsA) > 1:
		return matches(partsA, b.Value)
	case len(partsB) > 1:
		return matches(partsB, a.Value)
	default:
		return false
	}
}

// around returns the text between the parts that variables gave.
func around(text string, origins []template.Origin) []string {
	var parts []string
	from := 0
	for _, o := range origins {
		if o.Variable != "" {
			parts = append(parts, text[from:o.Start])
			from = o.End
		}
	}
	return append(parts, text[from:])
}

// matches tells whether text is the parts, at least two, with anything between them.
func matches(parts []string, text string) bool {
	text, begins := strings.CutPrefix(text, parts[0])
	last := len(parts) - 1
	text, ends := strings.CutSuffix(text, parts[last])
	for _, part := range parts[1:last] {
		_, rest, found := strings.Cut(text, part)
		if !found {
			return false
		}
		text = rest
	}
	return begins && ends
}
