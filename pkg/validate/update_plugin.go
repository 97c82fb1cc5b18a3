package validate

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// immutableVersion considers the values of variables part of a version.
var immutableVersion = Rule{
	ID: "immutable-version", Severity: krm.Error,
	Summary: "A version of a plugin that the older state has is unchanged (--base, --base-ref).",
	Why:     "A published version is immutable: Signadot refuses other content under the same name and version.",
	Example: "spec.description: another one",
	checks: []check{updateCheck{contract.ResourcePlugin, func(r *Rule, u *update) {
		for _, now := range u.after.plugins {
			name := now.name.String()
			then := cmp.Or(u.before.find(name), u.elsewhere.find(name))
			if then == nil || !differ(then, now) {
				continue
			}
			message := document.AlreadyExists(now.name)
			if u.sameButVariables(then.spec(), now.spec()) {
				message += "; the documents differ only in what variables gave: give --set the values of the published one"
			}
			now.Report(r, namePath, "%s", message)
		}
	}}},
}

// differ reports whether two documents publish different content. Documents without a digest are reported by other rules.
func differ(a, b *plugin) bool {
	one, problem := document.Digest(a.name, a.spec())
	if problem != nil {
		return false
	}
	other, problem := document.Digest(b.name, b.spec())
	return problem == nil && one != other
}

func (p *plugin) spec() *yaml.Node { return krm.Value(p.Item.YNode(), "spec") }

var versionInUse = Rule{
	ID: "version-in-use", Severity: krm.Error,
	Summary: "A version that a sandbox uses is not removed (--base, --base-ref).",
	Why:     "Signadot refuses it: the sandbox could be neither created again nor torn down.",
	Example: "metadata.name: another@1.0.0",
	checks: []check{updateCheck{contract.ResourcePlugin, func(r *Rule, u *update) {
		if u.Partial {
			return
		}
		needs := u.after.needs()
		for _, then := range u.before.plugins {
			if u.after.find(then.name.String()) != nil {
				continue
			}
			users := map[string]bool{}
			for _, n := range needs[then.name.Bare] {
				if n.Admits(then.name.Version) {
					users[n.sandbox] = true
				}
			}
			if len(users) > 0 {
				names := strings.Join(slices.Sorted(maps.Keys(users)), ", ")
				then.Report(r, namePath, "%s", document.StillReferenced(then.name.Shown(), names))
			}
		}
	}}},
}

// need is a sandbox's reference that no version of its state satisfies.
type need struct {
	document.PluginReference
	sandbox string
}

// needs returns, by the plugin's name, the references that no plugin satisfies.
func (d *documents) needs() map[string][]need {
	versions := newIndex(d.plugins).byName
	needs := map[string][]need{}
	for _, one := range d.sandboxes {
		for _, resource := range one.Spec.Resources {
			reference, err := document.ParsePluginReference(resource.Plugin)
			if err != nil {
				continue
			}
			admitted := func(p *plugin) bool { return reference.Admits(p.name.Version) }
			if !slices.ContainsFunc(versions[reference.Bare], admitted) {
				needs[reference.Bare] = append(needs[reference.Bare], need{reference, one.Name})
			}
		}
	}
	return needs
}

// sameButVariables reports whether two values differ only in the values of template variables.
func (u *update) sameButVariables(a, b *yaml.Node) bool {
	left := strictyaml.MaxDigestSize // aliases can make a small tree large
	var same func(a, b *yaml.Node) bool
	same = func(a, b *yaml.Node) bool {
		left--
		a, b = dereference(a), dereference(b)
		if a == nil || b == nil || left < 0 || a.Kind != b.Kind {
			return a == b
		}
		switch a.Kind {
		case yaml.ScalarNode:
			return a.Value == b.Value || sameText(a.Value, b.Value, u.Literals(a), u.Literals(b))
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

func dereference(node *yaml.Node) *yaml.Node {
	for node != nil && node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	return node
}

// sameText reports whether two texts differ only in the values of template variables, given their literals. If a document
// was expanded before, its literals are unknown: then its text must contain those of the other text.
func sameText(a, b string, literalsA, literalsB []string) bool {
	switch {
	case len(literalsA) > 1 && len(literalsB) > 1:
		return slices.Equal(literalsA, literalsB)
	case len(literalsA) > 1:
		return matches(literalsA, b)
	case len(literalsB) > 1:
		return matches(literalsB, a)
	default:
		return false
	}
}

// matches reports whether a text consists of the literals, at least two, with any text between them.
func matches(literals []string, text string) bool {
	text, begins := strings.CutPrefix(text, literals[0])
	last := len(literals) - 1
	text, ends := strings.CutSuffix(text, literals[last])
	for _, literal := range literals[1:last] {
		_, rest, found := strings.Cut(text, literal)
		if !found {
			return false
		}
		text = rest
	}
	return begins && ends
}
