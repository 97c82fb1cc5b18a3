package sandbox

import (
	"slices"
	"sort"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
)

// matcher finds the sandboxes that route groups match, by an index over their labels: a group costs what it may match,
// not the number of sandboxes.
type matcher struct {
	sandboxes []*input
	labels    map[string][]labelled // by key, sorted by value
}

// labelled is the sandbox at an index, with its value of a label.
type labelled struct {
	value string
	at    int
}

func newMatcher(sandboxes []*input) *matcher {
	m := &matcher{sandboxes: sandboxes, labels: map[string][]labelled{}}
	for i := range sandboxes {
		for key, value := range sandboxes[i].Spec.Labels {
			m.labels[key] = append(m.labels[key], labelled{value, i})
		}
	}
	for _, entries := range m.labels {
		slices.SortFunc(entries, func(a, b labelled) int {
			if c := strings.Compare(a.value, b.value); c != 0 {
				return c
			}
			return a.at - b.at
		})
	}
	return m
}

// matched returns the indexes of the sandboxes that take part in the group, in order. A group with a cluster takes
// those of its cluster alone (RouteGroup spec, match).
func (m *matcher) matched(g *routedGroup) []int {
	if g.Spec.Match == nil {
		return nil
	}
	found := m.find(g.Spec.Match)
	if g.Spec.Cluster == "" {
		return found
	}
	return slices.DeleteFunc(found, func(i int) bool { return m.sandboxes[i].Spec.Cluster != g.Spec.Cluster })
}

// find returns the matching indexes, sorted. A match that says nothing, or more than one thing, matches nothing: the
// RouteGroup spec allows exactly one.
func (m *matcher) find(match *v1alpha1.RouteGroupMatch) []int {
	switch {
	case match.Label != nil && match.Any == nil && match.All == nil:
		return m.labelMatches(match.Label)
	case match.Label == nil && len(match.Any) > 0 && match.All == nil:
		var found []int
		for i := range match.Any {
			found = append(found, m.find(&match.Any[i])...)
		}
		slices.Sort(found)
		return slices.Compact(found)
	case match.Label == nil && match.Any == nil && len(match.All) > 0:
		found := m.find(&match.All[0])
		for i := 1; i < len(match.All) && len(found) > 0; i++ {
			other := m.find(&match.All[i])
			found = slices.DeleteFunc(found, func(at int) bool {
				_, both := slices.BinarySearch(other, at)
				return !both
			})
		}
		return found
	default:
		return nil
	}
}

// labelMatches looks only at the values that begin as the glob does in front of its first star or question mark.
func (m *matcher) labelMatches(label *v1alpha1.LabelMatch) []int {
	prefix := label.Value
	if i := strings.IndexAny(prefix, "*?"); i >= 0 {
		prefix = prefix[:i]
	}
	entries := m.labels[label.Key]
	first := sort.Search(len(entries), func(i int) bool { return entries[i].value >= prefix })
	var found []int
	for _, entry := range entries[first:] {
		if !strings.HasPrefix(entry.value, prefix) {
			break
		}
		if globMatches(label.Value, entry.value) {
			found = append(found, entry.at)
		}
	}
	slices.Sort(found)
	return found
}
