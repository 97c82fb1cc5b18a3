package validate_test

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

func TestValidDocumentsHaveNoFindings(t *testing.T) {
	t.Parallel()
	assert.Empty(t, check(t, edited(t, aSandbox), edited(t, aRouteGroup)))
	assert.Empty(t, check(t, edited(t, aPlugin), edited(t, aSandbox, fed)))
	assert.Empty(t, check(t, edited(t, aPluginTest), edited(t, aPlugin)))
	assert.Empty(t, check(t, edited(t, anOutputSecret), edited(t, aPlugin), edited(t, aSandbox, fed)))
	assert.Empty(t, check(t, edited(t, anOutputSecret)))
}

// Each rule's example in a valid document violates that rule and no other.
func TestExamplesBreakTheirRules(t *testing.T) {
	t.Parallel()
	valid := map[string]string{aSandbox: fed}
	for _, r := range allRules() {
		if r.ComparesStates() {
			continue // a single document cannot violate it
		}
		file := fixture(t, r)
		documents := []*yaml.Node{edited(t, file, valid[file], r.Example)}
		if strings.HasPrefix(r.ID, "duplicate-") && r.ID != "duplicate-key" {
			documents = append([]*yaml.Node{edited(t, file, valid[file])}, documents...)
		}
		documents = append(neighbours(t, file), documents...)
		got := check(t, documents...)
		if r.ID == "ttl-ignored" {
			got = lines(t, validate.Options{}, documents...)
		}
		if r.ID == "duplicate-plugin" { // the same version in another spelling
			got = got[:len(got)-1]
		}
		if assert.Len(t, got, 1, "%s: %s", r.ID, r.Example) {
			assert.True(t, strings.HasPrefix(got[0], string(r.Severity)+" "+r.ID+" "), "%s: %s", r.Example, got[0])
		}
	}
}

// neighbours are the documents that make a document valid: of a sandbox the plugin that it names, and of a part the others.
func neighbours(t *testing.T, file string) []*yaml.Node {
	t.Helper()
	switch {
	case file == aSandbox || file == aPluginTest:
		return []*yaml.Node{edited(t, aPlugin)}
	case file == anOutputSecret:
		return []*yaml.Node{edited(t, aPlugin), edited(t, aSandbox, fed)}
	case around[file] != nil:
		return around[file](t)
	}
	return nil
}

// fixture returns the valid document that a rule's example is for.
func fixture(t *testing.T, r *validate.Rule) string {
	t.Helper()
	for _, kind := range r.Kinds {
		if file := cmp.Or(fixtures[kind], parts[kind]); fits(t, r.Example, file) {
			return file
		}
	}
	require.Fail(t, "the example fits no document", "%s: %s", r.ID, r.Example)
	return ""
}

// fits reports whether a document contains the mapping that an example changes.
func fits(t *testing.T, example, file string) bool {
	t.Helper()
	path, _, _ := strings.Cut(example, ": ")
	at := strings.LastIndexAny(path, ".[")
	if at < 0 {
		return true
	}
	_, ok := krm.Path(path[:at]).Find(edited(t, file))
	return ok
}

func TestRulesAreDescribed(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range allRules() {
		assert.False(t, seen[r.ID], "%s is given twice", r.ID)
		seen[r.ID] = true
		assert.Regexp(t, `^[a-z]+(-[a-z]+)*$`, r.ID)
		assert.Regexp(t, `^[A-Z].*\.$`, r.Summary, r.ID)
		assert.Regexp(t, `^[A-Z].*[^.]\.$`, r.Why, r.ID)
		assert.Contains(t, r.Example, ": ", r.ID)
		assert.Contains(t, []krm.Severity{krm.Error, krm.Warning, krm.Info}, r.Severity, r.ID)
		assert.Same(t, r, allRules().Find(r.ID))
	}
	assert.Nil(t, allRules().Find("no-such-rule"))
	assert.Len(t, allRules().IDs(), len(allRules()))
}

// A message is one line that starts in lower case.
func TestMessagesAreOneLowerCaseLine(t *testing.T) {
	t.Parallel()
	for _, r := range allRules() {
		for _, file := range slices.Concat(slices.Collect(maps.Values(fixtures)), slices.Collect(maps.Values(parts))) {
			if !fits(t, r.Example, file) {
				continue
			}
			for _, line := range check(t, edited(t, aPlugin), edited(t, file), edited(t, file, r.Example)) {
				_, message, _ := strings.Cut(line, ": ")
				assert.NotContains(t, message, "\n")
				assert.NotContains(t, message, "should")
				assert.Equal(t, strings.ToLower(message[:1]), message[:1], message)
			}
		}
	}
}
