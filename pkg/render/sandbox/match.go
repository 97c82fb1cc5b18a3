package sandbox

import (
	"regexp"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
)

// matcher finds the sandboxes that route groups match, with an index over their labels: a value costs one lookup, a
// glob one comparison for each value of the label.
type matcher struct {
	sandboxes []*input
	labels    map[string]map[string][]int // the indexes of sandboxes, by key and value
}

func newMatcher(sandboxes []*input) *matcher {
	m := &matcher{sandboxes: sandboxes, labels: map[string]map[string][]int{}}
	for i, s := range sandboxes {
		for key, value := range s.Spec.Labels {
			if m.labels[key] == nil {
				m.labels[key] = map[string][]int{}
			}
			m.labels[key][value] = append(m.labels[key][value], i)
		}
	}
	return m
}

// Matches reports whether a sandbox is in a route group.
func Matches(g *v1alpha1.RouteGroupSpec, s *v1alpha1.SandboxSpec) bool {
	m := newMatcher([]*input{{Sandbox: &document.Sandbox{Spec: *s}}})
	return len(m.matched(&routedGroup{RouteGroup: &document.RouteGroup{Spec: *g}})) > 0
}

// matched returns the indexes of the sandboxes in the group, in order. A group with a cluster has only sandboxes of
// that cluster (RouteGroup spec, match).
func (m *matcher) matched(g *routedGroup) []int {
	if g.Spec.Match == nil {
		return nil
	}
	return slices.DeleteFunc(m.find(g.Spec.Match), func(i int) bool {
		return g.Spec.Cluster != "" && m.sandboxes[i].Spec.Cluster != g.Spec.Cluster
	})
}

// find returns the matching indexes, sorted. A match has exactly one of label, any and all: see the rule match-form.
func (m *matcher) find(match *v1alpha1.RouteGroupMatch) (found []int) {
	switch {
	case match.Label != nil:
		found = m.labelled(match.Label)
	case len(match.All) > 0:
		found = m.find(&match.All[0])
		for i := 1; i < len(match.All) && len(found) > 0; i++ {
			other := m.find(&match.All[i])
			found = slices.DeleteFunc(found, func(at int) bool {
				_, both := slices.BinarySearch(other, at)
				return !both
			})
		}
	default:
		for i := range match.Any {
			found = append(found, m.find(&match.Any[i])...)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// labelled returns the indexes of the sandboxes with the label. In its value `*` matches any run of characters,
// including none, slashes and dots, `?` matches exactly one character, and all other characters match themselves.
// Matching is case-sensitive. There are no classes and no escapes, since the RouteGroup spec has none.
func (m *matcher) labelled(label *v1alpha1.LabelMatch) (found []int) {
	values := m.labels[label.Key]
	if !strings.ContainsAny(label.Value, "*?") {
		return slices.Clone(values[label.Value])
	}
	pattern := strings.NewReplacer(`\*`, `.*`, `\?`, `.`).Replace(regexp.QuoteMeta(label.Value))
	glob, err := regexp.Compile(`(?s)^` + pattern + `$`)
	if err != nil {
		return nil // it is not UTF-8
	}
	for value, at := range values {
		if glob.MatchString(value) {
			found = append(found, at...)
		}
	}
	return found
}
