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
	"k8s.io/apimachinery/pkg/selection"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
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

// randomSelector returns a LabelSelector over few keys and values, so that selectors often overlap.
func randomSelector(random *rand.Rand) string {
	var out []string
	if random.IntN(2) == 0 {
		out = append(out, "matchLabels: {"+pick(random, "a", "b", "c", "ours", "known", "never")+": "+pick(random, "x", "w")+"}")
	}
	var expressions []string
	for range random.IntN(3) {
		key := pick(random, "a", "b", "c", "d", "ours", "known", "never")
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

// escaped changes labels by an exclusion, and adds a label that all Pods have.
func escaped(e *exclusion, set map[string]string) map[string]string {
	out := map[string]string{"ours": "fork-1", "known": "x"}
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

// testLabels are a label that differs between forks, and one with the same value on all forks.
var testLabels = ownLabels{
	is:    func(key string) bool { return slices.Contains([]string{"ours", "known", "never"}, key) },
	known: labels.Set{"known": "x"}, open: []string{"ours"},
}

// indexes returns the indexes of the unavoidable selectors.
func indexes(e *exclusion) (all []int) {
	for _, u := range e.unavoidable {
		all = append(all, u.index)
	}
	return all
}

// The changed labels match no selector except the unavoidable ones. For each of those, an exhaustive search finds no labels
// that escape from it together with the selectors before it.
func TestExclusion_excludesEverySelectorOrReportsIt(t *testing.T) {
	t.Parallel()
	random := checkout.Random(t)
	unavoidable, safe := 0, 0
	for range 600 {
		texts := make([]string, 1+random.IntN(5))
		selectors := make([]labels.Selector, len(texts))
		for i := range texts {
			texts[i] = randomSelector(random)
			selectors[i], _ = readSelector(parse(t, "selector: "+texts[i]), "selector")
		}
		e := newExclusion(selectors, testLabels)
		reported := indexes(e)
		set := labels.Set(escaped(e, randomLabels(random)))
		for i, text := range texts {
			if slices.Contains(reported, i) {
				unavoidable++
				u := e.unavoidable[slices.Index(reported, i)]
				alone := !avoidable(selectors[i:i+1], nil, 0)
				require.Equal(t, alone, u.always, "%s of %q", text, texts)
				if u.against >= 0 {
					require.False(t, alone || avoidable([]labels.Selector{selectors[u.against], selectors[i]}, nil, 1), "%s of %q", text, texts)
				}
				require.False(t, u.gaveUp, "%s of %q", text, texts)
				require.False(t, avoidable(selectors, reported, i), "%s of %q", text, texts)
				continue
			}
			safe++
			require.False(t, oracle(t, text).Matches(set), "%s of %q takes %v", text, texts, set)
		}
	}
	assert.Greater(t, unavoidable, 20)
	assert.Greater(t, safe, 500)
}

// avoidable tries all labels to escape from a selector and the avoidable selectors before it.
func avoidable(all []labels.Selector, unavoidable []int, at int) bool {
	var selectors []labels.Selector
	for i := range at + 1 {
		if i == at || !slices.Contains(unavoidable, i) {
			selectors = append(selectors, all[i])
		}
	}
	values := []string{"", "x", "w", "z", "fork", "other"} // "" means that the label is missing
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

// selectorFree reports whether no selector matches the labels, for every value of the label that differs between forks: all
// values in selectors, and another one.
func selectorFree(selectors []labels.Selector, set map[string]string) bool {
	for _, ours := range []string{"x", "w", "z", "fork", "fork-1"} {
		set["ours"], set["known"] = ours, "x"
		if slices.ContainsFunc(selectors, func(s labels.Selector) bool { return s.Matches(labels.Set(set)) }) {
			return false
		}
	}
	return true
}

// hardSet returns selectors that no labels escape from, which takes too long to find out by trying: a pigeonhole problem
// with one place fewer than Pods.
func hardSet(pods int) (selectors []labels.Selector) {
	at := func(pod, place int) string { return string(rune('a'+pod)) + string(rune('0'+place)) }
	for pod := range pods {
		var nowhere []string
		for place := range pods - 1 {
			nowhere = append(nowhere, "!"+at(pod, place))
			for other := range pod {
				selectors = append(selectors, selector(at(pod, place), at(other, place)))
			}
		}
		selectors = append(selectors, selector(nowhere...))
	}
	return selectors
}

// The search ends early. Selectors are reported as unavoidable only if they match the labels, including those that are tried
// after the search has given up.
func TestSearchEnds(t *testing.T) {
	t.Parallel()
	hard := hardSet(9)
	later := []labels.Selector{
		selector("app=web"), selector("a0 in (x, fork)"), selector("tier notin (x)"), selector("tier"), selector("tier in (fork, forkx)"),
	}
	selectors := append(slices.Clone(hard), later...)
	e := newExclusion(selectors, ownLabels{is: func(string) bool { return false }})
	require.NotEmpty(t, e.unavoidable)
	for i, s := range selectors {
		assert.Equal(t, slices.Contains(indexes(e), i), s.Matches(e.set), i)
	}
	var unavoidable []int
	for _, i := range indexes(e) {
		if i >= len(hard) {
			unavoidable = append(unavoidable, i-len(hard))
		}
	}
	assert.Equal(t, []int{3}, unavoidable, "it contradicts the one before it")
}

// A selector that cannot be avoided needs no search, and does not affect the selectors after it.
func TestExclusion_unavoidableSelectorsDoNotAffectOthers(t *testing.T) {
	t.Parallel()
	var selectors []labels.Selector
	for i := range 40 {
		key := "k" + strconv.Itoa(i)
		selectors = append(selectors, selector(key, key+"x"))
	}
	all := len(selectors)
	// The last selector requires another way to avoid the first one.
	selectors = append(selectors, labels.Everything(), selector("ours=x"), selector("!k0"))
	e := newExclusion(selectors, testLabels)
	assert.Equal(t, []int{all, all + 1}, indexes(e))
	assert.Equal(t, []string{"k0"}, slices.Sorted(maps.Keys(e.set)))
}

// One of very many selectors matches the labels that exclude all others.
func TestManySelectors(t *testing.T) {
	t.Parallel()
	var selectors []labels.Selector
	for i := range 20_000 {
		selectors = append(selectors, selector("k"+strconv.Itoa(i), "a"))
	}
	selectors = append(selectors, selector("!k19999"))
	e := newExclusion(selectors, ownLabels{is: func(string) bool { return false }})
	assert.Empty(t, e.unavoidable)
	assert.Len(t, e.set, 1)
}

// A fork's own labels keep it out of selectors for other values of them.
func TestExclusion_ownLabels(t *testing.T) {
	t.Parallel()
	for text, selects := range map[string]bool{
		"app.kubernetes.io/managed-by=Helm":                                        false,
		"app.kubernetes.io/managed-by=krm-functions":                               true,
		"app.kubernetes.io/managed-by":                                             true,
		"app.kubernetes.io/managed-by notin (Helm)":                                true,
		"!app.kubernetes.io/managed-by":                                            false,
		"resourceplugins.dev/fork=other":                                           true,
		"resourceplugins.dev/fork notin (other)":                                   true,
		"resourceplugins.dev/fork=other,resourceplugins.dev/fork!=other":           false,
		"resourceplugins.dev/sandbox in (a, b),resourceplugins.dev/sandbox in (c)": false,
		"!resourceplugins.dev/sandbox":                                             false,
		"resourceplugins.dev/resource":                                             false,
		"!resourceplugins.dev/resource":                                            true,
		"resourceplugins.dev/resource notin (db)":                                  true,
		"resourceplugins.dev/fork,app=web":                                         false,
		"resourceplugins.dev/fork,app notin (web)":                                 false,
		"app.kubernetes.io/managed-by=krm-functions,resourceplugins.dev/phase!=x":  true,
	} {
		e := newExclusion([]labels.Selector{selector(text)}, podLabels)
		assert.Equal(t, selects, len(e.unavoidable) > 0 && e.unavoidable[0].always, text)
	}
}

// Each reason explains why no labels were found.
func TestUnavoidable_why(t *testing.T) {
	t.Parallel()
	daemons := func(name, expressions string) string {
		return "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: " + name + ", namespace: ns}\n" +
			"spec: {selector: {matchExpressions: [" + expressions + "]}}\n"
	}
	const a, noA = "{key: a, operator: Exists}", "{key: a, operator: DoesNotExist}"
	const b, noB = "{key: b, operator: Exists}", "{key: b, operator: DoesNotExist}"
	var hard []string
	for i, s := range hardSet(9) {
		requirements, _ := s.Requirements()
		var expressions []string
		for _, r := range requirements {
			expressions = append(expressions, "{key: "+r.Key()+", operator: "+
				map[bool]string{true: "Exists", false: "DoesNotExist"}[r.Operator() == selection.Exists]+"}")
		}
		hard = append(hard, daemons("h"+strconv.Itoa(1000+i), strings.Join(expressions, ", ")))
	}
	for want, documents := range map[string][]string{
		"no change of their labels would exclude them":              {daemons("z", "{key: resourceplugins.dev/fork, operator: Exists}")},
		`every Pod that it does not select is one of DaemonSet "y"`: {daemons("y", a), daemons("z", noA)},
		"every Pod that it does not select is one of another selector in the namespace": {
			daemons("x", a+", "+b), daemons("y", a+", "+noB), daemons("z", noA),
		},
		"the search for labels that exclude them from it and from all others was ended after 20000 steps": hard,
	} {
		cluster, err := readCluster(list(t, append(documents, forkDeployment)...), "")
		require.NoError(t, err)
		workload, err := cluster.find(forkWeb)
		require.NoError(t, err)
		var why []string
		for _, u := range workload.space.exclusion.unavoidable {
			why = append(why, u.why(workload.space))
		}
		assert.Contains(t, why, want)
	}
}
