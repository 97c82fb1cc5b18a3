package validate_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// mutation is a change to a valid document, and the violated rule.
type mutation struct {
	sort string // dropped, renamed, …
	what string
	file string
	root *yaml.Node // the changed document
	// rule and path are the expected finding, empty if the document stays valid. Findings of the rules in follow are
	// consequences at other places, and are permitted.
	rule   string
	path   krm.Path
	follow []string
}

// Each single change to a valid document that violates a rule is found at its path, and nothing else is reported; changes
// that violate no rule are not reported.
func TestMutations(t *testing.T) {
	t.Parallel()
	counts := map[string]int{}
	broken := 0
	for _, file := range slices.Sorted(maps.Values(fixtures)) {
		for _, mutate := range []func(*testing.T, string) []mutation{
			dropped, renamed, retyped, duplicated, reordered, reindented, outOfRange, misspelled, fromExamples,
		} {
			for _, m := range mutate(t, file) {
				counts[m.sort]++
				if m.rule != "" {
					broken++
				}
				m.judge(t)
			}
		}
	}
	total := 0
	for _, n := range counts {
		total += n
	}
	t.Logf("%d mutations, %d of them break a rule: %v", total, broken, counts)
	assert.Greater(t, broken, 400)
	assert.Greater(t, total-broken, 100)
}

func (m mutation) judge(t *testing.T) {
	t.Helper()
	got := check(t, m.root)
	about := fmt.Sprintf("%s %s of %s", m.sort, m.what, m.file)
	assert.Len(t, slices.Compact(slices.Clone(got)), len(got), about)
	found := m.rule == ""
	for _, line := range got {
		words := strings.SplitN(line, " ", 3)
		path, _, _ := strings.Cut(words[2], ": ")
		switch {
		case words[1] == m.rule && path == string(m.path):
			found = true
		case !slices.Contains(m.follow, words[1]):
			assert.Fail(t, "a finding too many", "%s\n%s", about, line)
		}
	}
	assert.True(t, found, "%s\nwant %s %s\ngot  %s", about, m.rule, m.path, strings.Join(got, "\n     "))
}
