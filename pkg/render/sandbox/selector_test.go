package sandbox_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/pkg/render/sandbox"
)

func parse(t *testing.T, text string) *yaml.Node {
	t.Helper()
	var document yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte(text), &document))
	return document.Content[0]
}

func TestWhatIsNoSelector(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"null", "[]", "x", "{matchExpressions: [{key: a}]}", "{matchExpressions: [{key: a, operator: In}]}",
		"{matchExpressions: [{key: a, operator: Exists, values: [b]}]}", "{matchExpressions: [{operator: Exists}]}",
		"{matchExpressions: [{key: a, operator: Gt, values: ['1']}]}",
	} {
		_, ok := sandbox.ReadSelector(parse(t, text))
		assert.False(t, ok, text)
	}
	for _, text := range []string{"null", "[]", "{}"} {
		_, ok := sandbox.ReadSelectorMap(parse(t, text))
		assert.False(t, ok, text)
	}
	_, ok := sandbox.ReadSelector(nil)
	assert.False(t, ok)
}

func TestEmptySelectorTakesAll(t *testing.T) {
	t.Parallel()
	s, ok := sandbox.ReadSelector(parse(t, "{}"))
	assert.True(t, ok)
	assert.True(t, s.Matches(nil))
}

func pick(random *rand.Rand, from ...string) string { return from[random.IntN(len(from))] }

// randomSelector returns a LabelSelector over few keys and values, so that they meet often.
func randomSelector(random *rand.Rand) string {
	var out []string
	if random.IntN(2) == 0 {
		out = append(out, "matchLabels: {"+pick(random, "a", "b", "c", "ours")+": "+pick(random, "x", "w")+"}")
	}
	var expressions []string
	for range random.IntN(3) {
		switch key := pick(random, "a", "b", "c", "d", "ours"); random.IntN(4) {
		case 0:
			expressions = append(expressions, "{key: "+key+", operator: In, values: [x, "+pick(random, "w", "z", "fork")+"]}")
		case 1:
			expressions = append(expressions, "{key: "+key+", operator: NotIn, values: [x, "+pick(random, "w", "z", "fork")+"]}")
		case 2:
			expressions = append(expressions, "{key: "+key+", operator: Exists}")
		default:
			expressions = append(expressions, "{key: "+key+", operator: DoesNotExist}")
		}
	}
	if len(expressions) > 0 {
		out = append(out, "matchExpressions: ["+strings.Join(expressions, ", ")+"]")
	}
	return "{" + strings.Join(out, ", ") + "}"
}

func randomLabels(random *rand.Rand) map[string]string {
	set := map[string]string{}
	for _, key := range []string{"a", "b", "c", "d", "e"} {
		if random.IntN(2) == 0 {
			set[key] = pick(random, "x", "w", "z", "fork")
		}
	}
	return set
}

func oracle(t *testing.T, text string) labels.Selector {
	t.Helper()
	var typed metav1.LabelSelector
	require.NoError(t, sigsyaml.UnmarshalStrict([]byte(text), &typed))
	s, err := metav1.LabelSelectorAsSelector(&typed)
	require.NoError(t, err)
	return s
}

func TestMatchesAsKubernetesDoes(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		text, set := randomSelector(random), randomLabels(random)
		s, ok := sandbox.ReadSelector(parse(t, text))
		require.True(t, ok, text)
		require.Equal(t, oracle(t, text).Matches(labels.Set(set)), s.Matches(set), "%s of %v", text, set)
	}
}

// escaped changes labels as an escape says, and adds one that the Pod has in any case.
func escaped(e *sandbox.Exclusion, set map[string]string) map[string]string {
	out := map[string]string{"ours": "fork-1"}
	for key, value := range set {
		if !e.Drops(key) {
			out[key] = value
		}
	}
	for key, value := range e.Set {
		out[key] = value
	}
	return out
}

// No selector that is not reported takes the changed labels, and what is reported cannot be escaped together with the ones
// before it: no labels at all do it.
func TestEscapesFromAnySelectors(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	caught, safe := 0, 0
	for range 600 {
		texts := make([]string, 1+random.IntN(5))
		selectors := make([]sandbox.Selector, len(texts))
		for i := range texts {
			texts[i] = randomSelector(random)
			selectors[i], _ = sandbox.ReadSelector(parse(t, texts[i]))
		}
		e := sandbox.ExclusionFrom(selectors, func(key string) bool { return key == "ours" })
		set := labels.Set(escaped(e, randomLabels(random)))
		for i, text := range texts {
			if slices.Contains(e.Caught, i) {
				caught++
				require.False(t, avoidable(selectors, e.Caught, i), "%s of %q", text, texts)
				continue
			}
			safe++
			require.False(t, oracle(t, text).Matches(set), "%s of %q takes %v", text, texts, set)
		}
	}
	assert.Greater(t, caught, 20)
	assert.Greater(t, safe, 500)
}

// avoidable tries all labels there are to get out of a selector and of those before it that were not reported.
func avoidable(all []sandbox.Selector, caught []int, at int) bool {
	var selectors []sandbox.Selector
	for i := range at + 1 {
		if i == at || !slices.Contains(caught, i) {
			selectors = append(selectors, all[i])
		}
	}
	values := []string{"", "x", "w", "z", "fork", "other"} // "" is missing
	set := map[string]string{}
	for n := range 6 * 6 * 6 * 6 {
		clear(set)
		rest := n
		for _, key := range []string{"a", "b", "c", "d"} {
			if value := values[rest%6]; value != "" {
				set[key] = value
			}
			rest /= 6
		}
		if selectorFree(selectors, set) {
			return true
		}
	}
	return false
}

// free tells whether no selector takes the labels, whatever value the label has that every fork has: all that selectors
// name, and one that none does.
func selectorFree(selectors []sandbox.Selector, set map[string]string) bool {
	for _, ours := range []string{"x", "w", "z", "fork", "fork-1"} {
		set["ours"] = ours
		if slices.ContainsFunc(selectors, func(s sandbox.Selector) bool { return s.Matches(set) }) {
			return false
		}
	}
	return true
}

// hardSet is a set of selectors that it would take ages to escape from: each of seven Pods must be in one of six places, two
// never in the same.
func hardSet() (selectors []sandbox.Selector) {
	at := func(pod, place int) string { return string(rune('a'+pod)) + string(rune('0'+place)) }
	for pod := range 7 {
		var nowhere sandbox.Selector
		for place := range 6 {
			nowhere = append(nowhere, sandbox.Requirement{Key: at(pod, place), Operator: sandbox.DoesNotExist})
			for other := range pod {
				selectors = append(selectors, sandbox.Selector{
					{Key: at(pod, place), Operator: sandbox.Exists}, {Key: at(other, place), Operator: sandbox.Exists},
				})
			}
		}
		selectors = append(selectors, nowhere)
	}
	return selectors
}

func equals(key string, values ...string) sandbox.Selector {
	return sandbox.Selector{{Key: key, Operator: sandbox.In, Values: values}}
}

// The search ends soon. What is not told as caught is escaped all the same, and what is told does take the labels: also what
// comes after the search has given up.
func TestSearchEnds(t *testing.T) {
	t.Parallel()
	hard := hardSet()
	later := []sandbox.Selector{
		equals("app", "web"), equals("a0", "x", "fork"), {{Key: "tier", Operator: sandbox.NotIn, Values: []string{"x"}}},
		{{Key: "tier", Operator: sandbox.Exists}}, equals("tier", "fork", "forkx"),
	}
	selectors := append(slices.Clone(hard), later...)
	escape := sandbox.ExclusionFrom(selectors, func(string) bool { return false })
	require.NotEmpty(t, escape.Caught)
	for i, s := range selectors {
		assert.Equal(t, slices.Contains(escape.Caught, i), s.Matches(escape.Set), i)
	}
	var caught []int
	for _, i := range escape.Caught {
		if i >= len(hard) {
			caught = append(caught, i-len(hard))
		}
	}
	assert.Equal(t, []int{3}, caught, "it contradicts the one before it")
}

// A selector that nothing escapes from costs no search: it says nothing of those after it.
func TestWhatTakesAllSaysNothingOfTheRest(t *testing.T) {
	t.Parallel()
	var selectors []sandbox.Selector
	for i := range 40 {
		key := "k" + strconv.Itoa(i)
		selectors = append(selectors, sandbox.Selector{{Key: key, Operator: sandbox.Exists}, {Key: key + "x", Operator: sandbox.Exists}})
	}
	all := len(selectors)
	// The last one asks for another way out of the first.
	selectors = append(selectors, sandbox.Selector{}, equals("ours", "x"), sandbox.Selector{{Key: "k0", Operator: sandbox.DoesNotExist}})
	escape := sandbox.ExclusionFrom(selectors, func(key string) bool { return key == "ours" })
	assert.Equal(t, []int{all, all + 1}, escape.Caught)
	assert.Equal(t, []string{"k0"}, slices.Sorted(maps.Keys(escape.Set)))
}

// Very many selectors, and one that the labels found for the others do not escape.
func TestManySelectors(t *testing.T) {
	t.Parallel()
	var selectors []sandbox.Selector
	for i := range 20_000 {
		selectors = append(selectors, sandbox.Selector{{Key: "k" + strconv.Itoa(i), Operator: sandbox.Exists}, {Key: "a", Operator: sandbox.Exists}})
	}
	selectors = append(selectors, sandbox.Selector{{Key: "k19999", Operator: sandbox.DoesNotExist}})
	escape := sandbox.ExclusionFrom(selectors, func(string) bool { return false })
	assert.Empty(t, escape.Caught)
	assert.Len(t, escape.Set, 1)
}
