package resolve

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// listed is a Catalog document of a name and a priority, with the lines of its plugins.
func catalogItem(tb testing.TB, name string, priority int, plugins string) *krm.Item {
	tb.Helper()
	document, err := krm.NewItem(fmt.Appendf(nil, "apiVersion: resourceplugins.dev/v1alpha1\nkind: Catalog\n"+
		"metadata: {name: %s}\nspec:\n  priority: %d\n  plugins: %s\n", name, priority, plugins))
	require.NoError(tb, err)
	return document
}

// entry is a version in flow style, whose digest ends in a number.
func listing(version string, digest int, more ...string) string {
	return fmt.Sprintf("{version: %s, digest: %q%s}", version, sum(digest), strings.Join(append([]string{""}, more...), ", "))
}

func sum(n int) string { return fmt.Sprintf("sha256:%064d", n) }

// versionsOf is a list of plugins with one of these versions.
func dbVersions(entries ...string) string {
	return fmt.Sprintf("[{name: db, versions: [%s]}]", strings.Join(entries, ", "))
}

func choose(t *testing.T, reference string, documents ...*krm.Item) *Choice {
	t.Helper()
	choice, err := NewCatalog(documents).Choose(reference)
	require.NoError(t, err)
	return choice
}

// TestPriorities verifies that a floating reference takes the highest priority first, and that a pin takes any.
func TestPriorities(t *testing.T) {
	t.Parallel()
	low := catalogItem(t, "low", 0, dbVersions(listing("1.0.0", 1), listing("9.0.0", 9)))
	high := catalogItem(t, "high", 5, dbVersions(listing("1.0.0", 1), listing("2.0.0", 2)))
	assert.Equal(t, "db@2.0.0", choose(t, "db", low, high).Pin())
	assert.Equal(t, "db@9.0.0", choose(t, "db@^9", low, high).Pin(), "priorities are of what fits")
	assert.Equal(t, "db@9.0.0", choose(t, "db@9", low, high).Pin())
	equal := catalogItem(t, "high", 0, dbVersions(listing("2.0.0", 2)))
	assert.Equal(t, "db@9.0.0", choose(t, "db", low, equal).Pin())
	document := item(t, "db@10")
	assert.Equal(t, "db@2.0.0", choose(t, "db", low, high, document).Pin(), "a document alone has priority 0")
	assert.Equal(t, "db@10.0.0", choose(t, "db", low, document).Pin())
	assert.Equal(t, "db@10.0.0", choose(t, "db", document, catalogItem(t, "last", -1, dbVersions(listing("11.0.0", 1)))).Pin())
}

// TestFactsOfTheHighestPriority covers the facts in catalogs about a version besides its digest.
func TestFactsOfTheHighestPriority(t *testing.T) {
	t.Parallel()
	yanks := catalogItem(t, "yanks", 1, dbVersions(listing("1.0.0", 1, "yanked: bad", "deprecated: b")))
	praises := catalogItem(t, "praises", 2, dbVersions(listing("1.0.0", 1)))
	assert.Empty(t, choose(t, "db", yanks, praises).Warnings)
	same := catalogItem(t, "same", 1, dbVersions(listing("1.0.0", 1, "yanked: worse", "deprecated: a", "source: here")))
	choice := choose(t, "db@1", yanks, same)
	assert.Equal(t, "here", choice.Source)
	assert.Equal(t, []string{
		`db@1.0.0 is yanked: "bad"; refer to another version once nothing needs this one`, `db@1.0.0 is deprecated: "a"`,
	}, choice.Warnings)
}

func TestConflictsOfContent(t *testing.T) {
	t.Parallel()
	one := catalogItem(t, "one", 0, dbVersions(listing("1.0.0", 1), listing("0.9.0", 3)))
	two := catalogItem(t, "two", 7, dbVersions(listing("1.0.0", 2), listing("0.9.0", 3)))
	plugins := NewCatalog([]*krm.Item{one, two})
	message := fmt.Sprintf(`version 1.0.0 of plugin "db" must have one content, not %s by catalog "two" and %s by catalog "one": `+
		`versions are immutable; remove one, or bump its version`, sum(2), sum(1))
	assert.ElementsMatch(t, []string{
		"one spec.plugins[0].versions[0].digest: " + message, "two spec.plugins[0].versions[0].digest: " + message,
	}, messages(plugins))
	_, err := plugins.Choose("db")
	require.ErrorContains(t, err, message)
	choice, err := plugins.Choose("db@<1")
	require.NoError(t, err)
	assert.Equal(t, sum(3), choice.Digest)
}

func TestEqualPrecedenceAcrossCatalogs(t *testing.T) {
	t.Parallel()
	one := catalogItem(t, "one", 0, dbVersions(listing("1.0.0+a", 1)))
	two := catalogItem(t, "two", 0, dbVersions(listing("1.0.0+b", 1)))
	plugins := NewCatalog([]*krm.Item{one, two})
	assert.Len(t, plugins.Problems(), 2)
	_, err := plugins.Choose("db@1")
	require.ErrorContains(t, err, `must be the only one of its precedence, not listed by catalog "one" and catalog "two"`)
	_, err = NewCatalog([]*krm.Item{one, item(t, "db@1.0.0")}).Choose("db@1")
	require.ErrorContains(t, err, `not listed by "db@1.0.0" and catalog "one"`)
}

// TestADocumentMustBeWhatWasPublished under the digest that a catalog has.
func TestADocumentMustBeWhatWasPublished(t *testing.T) {
	t.Parallel()
	document := item(t, "db@1")
	digest := choose(t, "db", document).Digest
	honest := catalogItem(t, "c", 0, fmt.Sprintf("[{name: db, versions: [{version: 1.0.0, digest: %q}]}]", digest))
	assert.Equal(t, digest, choose(t, "db", document, honest).Digest)
	assert.Empty(t, Lint([]*krm.Item{document, honest}))
	other := catalogItem(t, "c", 0, dbVersions(listing("1.0.0", 1)))
	_, err := NewCatalog([]*krm.Item{document, other}).Choose("db")
	var found *DocumentError
	require.ErrorAs(t, err, &found)
	assert.True(t, found.Changed)
	assert.Same(t, document, found.Item)
	assert.Equal(t, `resource plugin "db" version "1.0.0" already exists; versions are immutable — bump the @<semver> suffix on `+
		`name: to publish a new revision; catalog "c" has it as `+sum(1)+" and is "+digest+" now", found.Message)
	results := Lint([]*krm.Item{other, document})
	require.Len(t, results, 1)
	assert.Equal(t, found.Message, results[0].Message)
}

// TestRenderersNeedTheDocument which a catalog only lists.
func TestRenderersNeedTheDocument(t *testing.T) {
	t.Parallel()
	plugins := NewCatalog([]*krm.Item{catalogItem(t, "c", 0, dbVersions(listing("1.0.0", 1, "source: 'https://example.com/db'")))})
	choice, err := plugins.Choose("db")
	require.NoError(t, err)
	assert.Nil(t, choice.Item)
	_, err = plugins.Resolve("db")
	assert.EqualError(t, err, `the ResourcePlugin document of db@1.0.0 must be in the list: catalog "c" lists the version, and `+
		`the document is somewhere else (https://example.com/db); add it`)
}

func TestChannels(t *testing.T) {
	t.Parallel()
	versions := "versions: [" + listing("1.0.0", 1) + ", " + listing("2.0.0-rc.1", 2) + ", " + listing("0.9.0", 3, "yanked: bad") + "]"
	base := catalogItem(t, "base", 0, "[{name: db, channels: {stable: 1.0.0, next: 2.0.0-rc.1}, "+versions+"}]")
	assert.Equal(t, "db@1.0.0", choose(t, "db@stable", base).Pin())
	assert.Equal(t, "db@2.0.0-rc.1", choose(t, "db@next", base).Pin())
	over := catalogItem(t, "over", 1, "[{name: db, channels: {stable: 2.0.0-rc.1}}]")
	assert.Equal(t, "db@2.0.0-rc.1", choose(t, "db@stable", base, over).Pin(), "a catalog of channels alone")
	assert.Empty(t, NewCatalog([]*krm.Item{base, over}).Problems())
	for plugins, want := range map[string]string{
		"[{name: db, channels: {stable: 2.0.0-rc.1}}]": `channel "stable" of plugin "db" must name one version, not 1.0.0 by ` +
			`catalog "base" and 2.0.0-rc.1 by catalog "rival": give one catalog a higher priority, or remove the channel from one`,
		"[{name: db, channels: {stable: 3.0.0}}]": `channel "stable" must name a listed version, not 3.0.0: ` +
			`there are 2.0.0-rc.1, 1.0.0, 0.9.0`,
		"[{name: db, channels: {old: 0.9.0}}]": `channel "old" must not name 0.9.0, which is yanked: "bad"`,
	} {
		found := messages(NewCatalog([]*krm.Item{catalogItem(t, "rival", 0, plugins), base}))
		require.Len(t, found, 1, plugins)
		assert.Contains(t, found[0], want)
	}
	_, err := NewCatalog([]*krm.Item{base, catalogItem(t, "rival", 0, "[{name: db, channels: {old: 0.9.0}}]")}).Choose("db@old")
	assert.ErrorContains(t, err, `channel "old" of plugin "db" (catalog "rival") names 0.9.0, which is yanked: "bad"`)
}

func TestKubernetes(t *testing.T) {
	t.Parallel()
	documents := []*krm.Item{catalogItem(t, "c", 0, dbVersions(
		listing("2.0.0", 2, `requires: {kubernetes: "1.30"}`), listing("1.0.0", 1, `requires: {kubernetes: v1.29.2}`)))}
	for text, want := range map[string]string{"1.30": "db@2.0.0", "1.29.2": "db@1.0.0", "v1.30.1-gke.5": "db@2.0.0", "1.29": ""} {
		cluster, err := KubernetesVersion(text)
		require.NoError(t, err)
		choice, err := NewCatalog(documents).ForKubernetes(cluster).Choose("db")
		if want == "" {
			require.EqualError(t, err, `plugin "db" has no version for Kubernetes `+
				`1.29.0: 2.0.0 requires 1.30.0, 1.0.0 requires 1.29.2`)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, want, choice.Pin())
	}
	assert.Equal(t, "db@2.0.0", choose(t, "db", documents...).Pin(), "without a cluster any will do")
}

// TestPreferences holds that a deprecated version is taken where nothing else fits, and a yanked one never.
func TestPreferences(t *testing.T) {
	t.Parallel()
	documents := []*krm.Item{catalogItem(t, "c", 0, dbVersions(listing("3.0.0", 3, "yanked: bad"), listing("2.1.0", 2, "deprecated: d"),
		listing("2.0.0", 4, "deprecated: e"), listing("1.0.0", 1)))}
	choice := choose(t, "db", documents...)
	assert.Equal(t, "db@1.0.0", choice.Pin())
	assert.Equal(t, "all=4 -> releases=4 -> not yanked=3 -> not deprecated=1", choice.Trace.String())
	assert.Equal(t, []string{"2.1.0", "2.0.0"}, choice.Trace[3].Dropped())
	assert.Equal(t, "all=4 -> releases=4 -> not yanked=3 -> not deprecated=1 -> highest; not yanked leaves out 3.0.0; "+
		"not deprecated leaves out 2.1.0, 2.0.0", choice.How())
	choice = choose(t, "db@^2", documents...)
	assert.Equal(t, []string{`db@2.1.0 is deprecated: "d"`}, choice.Warnings)
	_, err := NewCatalog(documents).Choose("db@^3")
	require.ErrorContains(t, err, `that is not yanked: 3.0.0 is yanked ("bad")`)
	prereleases := catalogItem(t, "c", 0, dbVersions(listing("1.0.0", 1, "yanked: bad"), listing("2.0.0-rc.1", 2)))
	_, err = NewCatalog([]*krm.Item{prereleases}).Choose("db")
	require.ErrorContains(t, err, "has no version that is not yanked: 1.0.0 is yanked", "a prerelease does not stand in for a yanked release")
}

// TestFlawsStayWhereTheyAre checks that a flaw makes nothing but its subject unusable.
func TestFlawsStayWhereTheyAre(t *testing.T) {
	t.Parallel()
	good := "{name: good, versions: [" + listing("1.0.0", 1) + "]}"
	for flawed, floats := range map[string]bool{
		"{name: db, versions: [" + listing("2.0.0", 2, "yankd: typo") + ", " + listing("1.0.0", 1) + "]}":  false,
		"{name: db, versions: [{version: 2.0.0}, " + listing("1.0.0", 1) + "]}":                            false,
		"{name: db, versions: [" + listing("v2", 2) + ", " + listing("1.0.0", 1) + "]}":                    false,
		"{name: db, versions: [" + listing("2.0.0", 2, "yanked: true") + ", " + listing("1.0.0", 1) + "]}": false,
		"{name: db, versions: [" + listing("1.0.0", 1) + ", " + listing("0.1.0", 2, "yanked: true") + "]}": true,
		"{name: db, versions: [" + listing("1.0.0", 1, "released: soon") + "]}":                            true,
		"{name: db, channels: {X: 1.0.0}, versions: [" + listing("1.0.0", 1) + "]}":                        true,
	} {
		plugins := NewCatalog([]*krm.Item{catalogItem(t, "c", 0, "["+flawed+", "+good+"]")})
		assert.NotEmpty(t, plugins.Problems(), flawed)
		_, err := plugins.Choose("good")
		require.NoError(t, err, flawed)
		choice, err := plugins.Choose("db@1.0.0")
		require.NoError(t, err, flawed)
		assert.Equal(t, sum(1), choice.Digest)
		_, err = plugins.Choose("db")
		assert.Equal(t, floats, err == nil, "%s: %v", flawed, err)
	}
	for _, spec := range []string{"{prioritty: 1, plugins: [" + good + "]}", "{priority: high, plugins: [" + good + "]}"} {
		document, err := krm.NewItem([]byte("apiVersion: resourceplugins.dev/v1alpha1\nkind: Catalog\nmetadata: {name: c}\nspec: " + spec))
		require.NoError(t, err)
		_, err = NewCatalog([]*krm.Item{document}).Choose("good")
		assert.Error(t, err, "whose priority is not known: %s", spec)
	}
}

// TestOrderOfCatalogsNeverCounts shuffles random catalogs, their plugins and their versions, plugin documents and a lock,
// and expects the same answers and the same problems.
func TestOrderOfCatalogsNeverCounts(t *testing.T) {
	t.Parallel()
	random := checkout.Random(t)
	for range 60 {
		world := randomWorld(random)
		want := world.outcome(t)
		for range 4 {
			world.shuffle(random)
			require.Equal(t, want, world.outcome(t))
		}
	}
}

type world struct {
	catalogs  []*CatalogDocument
	documents []string
	locks     []string
}

func randomWorld(random *rand.Rand) *world {
	w := &world{}
	for c := range 1 + random.IntN(3) {
		document := NewCatalogDocument(fmt.Sprintf("catalog-%d", c))
		document.Spec.Priority = random.IntN(2)
		for _, name := range []string{"db", "queue", "Queue"} {
			p := v1alpha1.CatalogPlugin{Name: name, Channels: map[string]string{}}
			for _, text := range []string{"1.0.0", "1.1.0", "2.0.0", "2.0.0-rc.1", "2.0.0+b", "v3"} {
				if random.IntN(3) == 0 {
					p.Versions = append(p.Versions, randomEntry(random, text))
				}
			}
			if random.IntN(2) == 0 {
				p.Channels["stable"] = []string{"1.0.0", "1.1.0", "7.0.0"}[random.IntN(3)]
			}
			document.Spec.Plugins = append(document.Spec.Plugins, p)
		}
		w.catalogs = append(w.catalogs, document)
	}
	for _, name := range []string{"db@1", "db@1.2", "queue", "queue@2", "queue@x"} {
		if random.IntN(4) == 0 {
			w.documents = append(w.documents, name)
		}
	}
	for _, chosen := range []string{"db@1.0.0", "db@1.1.0"} {
		if random.IntN(3) == 0 {
			w.locks = append(w.locks, chosen)
		}
	}
	return w
}

func randomEntry(random *rand.Rand, version string) v1alpha1.CatalogVersion {
	v := v1alpha1.CatalogVersion{Version: version, Digest: sum(len(version))}
	switch random.IntN(10) {
	case 0:
		v.Yanked = fmt.Sprint("reason ", random.IntN(3))
	case 1:
		v.Deprecated = fmt.Sprint("reason ", random.IntN(3))
	case 2:
		v.Digest = sum(99)
	case 3:
		v.Requires = v1alpha1.Requires{Kubernetes: fmt.Sprint("1.", 28+random.IntN(4))}
	}
	return v
}

func (w *world) shuffle(random *rand.Rand) {
	shuffle(random, w.catalogs)
	shuffle(random, w.documents)
	shuffle(random, w.locks)
	for _, c := range w.catalogs {
		shuffle(random, c.Spec.Plugins)
		for _, p := range c.Spec.Plugins {
			shuffle(random, p.Versions)
		}
	}
}

func shuffle[T any](random *rand.Rand, list []T) {
	random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
}

// outcome is every answer and every problem, as far as it does not name places.
func (w *world) outcome(t *testing.T) []string {
	t.Helper()
	var documents []*krm.Item
	for n, chosen := range w.locks {
		documents = append(documents, lockDocument(t, fmt.Sprint("lock-", chosen), "db", chosen, sum(5+0*n)))
	}
	for _, c := range w.catalogs {
		documents = append(documents, unsorted(t, c))
	}
	documents = append(documents, items(t, strings.Join(w.documents, " "))...)
	cluster, err := KubernetesVersion("1.29")
	require.NoError(t, err)
	plugins := NewCatalog(krm.NewList(documents...).Items()).ForKubernetes(cluster)
	seen := map[string]bool{}
	var lines []string
	for _, reference := range strings.Fields("db db@1 db@^1 db@2.0.0+b db@stable db@<3 queue queue@2 queue@stable Queue Queue@^2 no") {
		choice, err := plugins.Choose(reference)
		if err != nil {
			lines = append(lines, reference+": "+placeless(err.Error()))
			continue
		}
		lines = append(lines, fmt.Sprint(reference, ": ", choice.entry.name, choice.Digest, choice.How(), choice.Warnings))
	}
	for _, problem := range krm.Results(plugins.Problems()).Sort() {
		seen[problem.ResourceRef.Name+": "+problem.Message] = true
	}
	lines = append(lines, fmt.Sprint(seen))
	return lines
}

// placeless cuts the field's path, which names numbers of list elements.
func placeless(text string) string {
	before, rest, found := strings.Cut(text, ": spec.plugins[")
	if !found {
		return text
	}
	_, message, _ := strings.Cut(rest, ": ")
	return before + ": " + message
}
