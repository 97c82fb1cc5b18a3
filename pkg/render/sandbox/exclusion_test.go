package sandbox

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	sigsyaml "sigs.k8s.io/yaml"
)

func parse(t *testing.T, text string) object {
	t.Helper()
	var o object
	require.NoError(t, utilyaml.Unmarshal([]byte(text), &o))
	return o
}

// selector returns a selector of requirements, such as "a" (exists), "!a" and "a in (x, w)".
func selector(requirements ...string) labels.Selector {
	s, err := labels.Parse(strings.Join(requirements, ","))
	if err != nil {
		panic(err)
	}
	return s
}

func TestReadSelector_refuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"null", "[]", "x", "{matchExpressions: [{key: a}]}", "{matchExpressions: [{key: a, operator: In}]}",
		"{matchExpressions: [{key: a, operator: Exists, values: [b]}]}", "{matchExpressions: [{operator: Exists}]}",
		"{matchExpressions: [{key: a, operator: Gt, values: ['1']}]}",
	} {
		_, ok := readSelector(parse(t, "selector: "+text), "selector")
		assert.False(t, ok, text)
	}
	_, ok := readSelector(object{}, "selector")
	assert.False(t, ok)
}

func TestEmptySelectorTakesAll(t *testing.T) {
	t.Parallel()
	s, ok := readSelector(parse(t, "selector: {}"), "selector")
	assert.True(t, ok)
	assert.True(t, s.Matches(labels.Set{}))
}

func pick[T any](random *rand.Rand, from ...T) T { return from[random.IntN(len(from))] }

// randomSelector returns a LabelSelector over few keys and values, so that they meet often.
func randomSelector(random *rand.Rand) string {
	var out []string
	if random.IntN(2) == 0 {
		out = append(out, "matchLabels: {"+pick(random, "a", "b", "c", "ours")+": "+pick(random, "x", "w")+"}")
	}
	var expressions []string
	for range random.IntN(3) {
		key := pick(random, "a", "b", "c", "d", "ours")
		if key == "ours" && strings.Contains(strings.Join(append(out, expressions...), ""), key) {
			continue // two conditions on a label with any value may contradict each other
		}
		switch random.IntN(4) {
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

// escaped changes labels as an e says, and adds one that the Pod has in any case.
func escaped(e *exclusion, set map[string]string) map[string]string {
	out := map[string]string{"ours": "fork-1"}
	for key, value := range set {
		if !e.named[key] {
			out[key] = value
		}
	}
	for key, value := range e.set {
		out[key] = value
	}
	return out
}

// No selector that is not reported takes the changed labels, and what is reported cannot be escaped together with the ones
// before it: no labels at all do it.
func TestExclusion_excludesEverySelectorOrReportsIt(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	unavoidable, safe := 0, 0
	for range 600 {
		texts := make([]string, 1+random.IntN(5))
		selectors := make([]labels.Selector, len(texts))
		for i := range texts {
			texts[i] = randomSelector(random)
			selectors[i], _ = readSelector(parse(t, "selector: "+texts[i]), "selector")
		}
		e := newExclusion(selectors, func(key string) bool { return key == "ours" })
		set := labels.Set(escaped(e, randomLabels(random)))
		for i, text := range texts {
			if slices.Contains(e.unavoidable, i) {
				unavoidable++
				require.False(t, avoidable(selectors, e.unavoidable, i), "%s of %q", text, texts)
				continue
			}
			safe++
			require.False(t, oracle(t, text).Matches(set), "%s of %q takes %v", text, texts, set)
		}
	}
	assert.Greater(t, unavoidable, 20)
	assert.Greater(t, safe, 500)
}

// avoidable tries all labels there are to get out of a selector and of those before it that were not reported.
func avoidable(all []labels.Selector, unavoidable []int, at int) bool {
	var selectors []labels.Selector
	for i := range at + 1 {
		if i == at || !slices.Contains(unavoidable, i) {
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

// free reports whether no selector takes the labels, whatever value the label has that every fork has: all that selectors
// name, and one that none does.
func selectorFree(selectors []labels.Selector, set map[string]string) bool {
	for _, ours := range []string{"x", "w", "z", "fork", "fork-1"} {
		set["ours"] = ours
		if slices.ContainsFunc(selectors, func(s labels.Selector) bool { return s.Matches(labels.Set(set)) }) {
			return false
		}
	}
	return true
}

// hardSet is a set of selectors that it would take ages to e from: each of seven Pods must be in one of six places, two
// never in the same.
func hardSet() (selectors []labels.Selector) {
	at := func(pod, place int) string { return string(rune('a'+pod)) + string(rune('0'+place)) }
	for pod := range 7 {
		var nowhere []string
		for place := range 6 {
			nowhere = append(nowhere, "!"+at(pod, place))
			for other := range pod {
				selectors = append(selectors, selector(at(pod, place), at(other, place)))
			}
		}
		selectors = append(selectors, selector(nowhere...))
	}
	return selectors
}

// The search ends soon. What is not told as unavoidable is escaped all the same, and what is told does take the labels: also what
// comes after the search has given up.
func TestSearchEnds(t *testing.T) {
	t.Parallel()
	hard := hardSet()
	later := []labels.Selector{
		selector("app=web"), selector("a0 in (x, fork)"), selector("tier notin (x)"), selector("tier"), selector("tier in (fork, forkx)"),
	}
	selectors := append(slices.Clone(hard), later...)
	e := newExclusion(selectors, func(string) bool { return false })
	require.NotEmpty(t, e.unavoidable)
	for i, s := range selectors {
		assert.Equal(t, slices.Contains(e.unavoidable, i), s.Matches(e.set), i)
	}
	var unavoidable []int
	for _, i := range e.unavoidable {
		if i >= len(hard) {
			unavoidable = append(unavoidable, i-len(hard))
		}
	}
	assert.Equal(t, []int{3}, unavoidable, "it contradicts the one before it")
}

// A selector that nothing escapes from costs no search: it says nothing of those after it.
func TestExclusion_unavoidableSelectorsDoNotAffectOthers(t *testing.T) {
	t.Parallel()
	var selectors []labels.Selector
	for i := range 40 {
		key := "k" + strconv.Itoa(i)
		selectors = append(selectors, selector(key, key+"x"))
	}
	all := len(selectors)
	// The last one asks for another way out of the first.
	selectors = append(selectors, labels.Everything(), selector("ours=x"), selector("!k0"))
	e := newExclusion(selectors, func(key string) bool { return key == "ours" })
	assert.Equal(t, []int{all, all + 1}, e.unavoidable)
	assert.Equal(t, []string{"k0"}, slices.Sorted(maps.Keys(e.set)))
}

// Very many selectors, and one that the labels found for the others do not e.
func TestManySelectors(t *testing.T) {
	t.Parallel()
	var selectors []labels.Selector
	for i := range 20_000 {
		selectors = append(selectors, selector("k"+strconv.Itoa(i), "a"))
	}
	selectors = append(selectors, selector("!k19999"))
	e := newExclusion(selectors, func(string) bool { return false })
	assert.Empty(t, e.unavoidable)
	assert.Len(t, e.set, 1)
}
