package resolve

import (
	"bytes"
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

const head = "apiVersion: resourceplugins.dev/v1alpha1\nkind: PluginLock\nmetadata:\n  name: NAME\nspec:\n"

// document is a lock of a name with the lines of its spec. DIGEST stands for one.
func lockOf(tb testing.TB, name, spec string) *krm.Item {
	tb.Helper()
	item, err := krm.NewItem([]byte(strings.NewReplacer("NAME", name, "DIGEST", digestOne(0)).Replace(head + spec)))
	require.NoError(tb, err)
	return item
}

func digestOne(n int) string { return fmt.Sprintf("sha256:%064d", n) }

func lockProblems(t *testing.T, items ...*krm.Item) []string {
	t.Helper()
	list := krm.NewList(items...)
	set := newLockSet(list.Items())
	list.Report(set.problems...)
	var lines []string
	for _, result := range list.Results() {
		lines = append(lines, fmt.Sprintf("%s %s: %s", result.ResourceRef.Name, result.Field.Path, result.Message))
	}
	assert.Equal(t, len(lines) == 0, set.isValid())
	return lines
}

func TestGoodLocks(t *testing.T) {
	t.Parallel()
	for _, spec := range []string{
		"  {}\n", "  plugins:\n", "  plugins: []\n",
		"  plugins:\n  - {asked: db, chosen: db@0.0.0, digest: DIGEST}\n",
		"  plugins:\n  - {asked: db@^1, chosen: db@1.2.0, digest: DIGEST}\n  - {asked: db@v1, chosen: db@1.0.0, digest: DIGEST}\n",
		"  plugins:\n  - {asked: db@stable, chosen: db@2.0.0-rc.1, digest: DIGEST}\n",
		"  plugins:\n  - {asked: db, chosen: db@1.0.0+b7, digest: DIGEST}\n  - {asked: db, chosen: db@1.0.0+b7, digest: DIGEST}\n",
	} {
		assert.Empty(t, lockProblems(t, lockOf(t, "l", spec)), spec)
	}
}

func TestBadLocks(t *testing.T) {
	t.Parallel()
	const first = "l spec.plugins[0]"
	for spec, want := range map[string][]string{
		"  locks: []\n":                 {`l spec.locks: unknown key "locks": must be one of "plugins", "packages"`},
		"  plugins:\n  - {asked: db}\n": {first + ".chosen: must be set", first + ".digest: must be set"},
		"  plugins:\n  - {asked: d, chosen: db@1.0.0, digest: DIGEST}\n": {
			first + `.asked: must be a reference to a plugin: name "d" must have at least two characters`,
		},
		"  plugins:\n  - {asked: db, chosen: db@one, digest: DIGEST}\n": {
			first + `.chosen: must be a version in full, such as hello-db@1.0.0: version "one" must be a semver such as 1.0.0`,
		},
		"  plugins:\n  - {asked: db, chosen: db@v1, digest: DIGEST}\n": {first + `.chosen: must be a version in full: write "db@1.0.0"`},
		"  plugins:\n  - {asked: db, chosen: db, digest: DIGEST}\n":    {first + `.chosen: must be a version in full: write "db@0.0.0"`},
		"  plugins:\n  - {asked: db, chosen: dc@1.0.0, digest: DIGEST}\n": {
			first + `.chosen: must be a version of "db", not "dc@1.0.0"`,
		},
		"  plugins:\n  - {asked: db@^2, chosen: db@1.0.0, digest: DIGEST}\n": {
			first + `.chosen: must be a version that "db@^2" allows, not "db@1.0.0": run mode update`,
		},
		"  plugins:\n  - {asked: db, chosen: db@1.0.0, digest: sha256:1}\n": {
			first + `.digest: must be sha256: and 64 hexadecimal digits in lower case, not "sha256:1"`,
		},
		"  plugins:\n  - {asked: db, chosen: db@1.0.0, digest: DIGEST}\n  - {asked: db, chosen: db@2.0.0, digest: DIGEST}\n": {
			`l spec.plugins[1].asked: "db" must be locked once: it is in entry 0 with another version or digest; remove one`,
		},
	} {
		assert.Equal(t, want, lockProblems(t, lockOf(t, "l", spec)), spec)
	}
}

// TestLocksThatDisagree over a reference, or over the digest of a version.
func TestLocksThatDisagree(t *testing.T) {
	t.Parallel()
	one := lockOf(t, "one", "  plugins:\n  - {asked: db, chosen: db@1.0.0, digest: DIGEST}\n")
	same := lockOf(t, "same", "  plugins:\n  - {asked: db, chosen: db@1.0.0, digest: DIGEST}\n")
	assert.Empty(t, lockProblems(t, one, same))
	two := lockOf(t, "two", "  plugins:\n  - {asked: db, chosen: db@2.0.0, digest: DIGEST}\n")
	want := []string{fmt.Sprintf(`two spec.plugins: "db" must be locked to one version: "one" has db@1.0.0 for db (%s), `+
		`and "two" has db@2.0.0 for db (%s); remove one`, digestOne(0), digestOne(0))}
	assert.Equal(t, want, lockProblems(t, one, two))
	assert.Equal(t, want, lockProblems(t, two, one))
	other := lockOf(t, "three", "  plugins:\n  - {asked: db@1, chosen: db@1.0.0, digest: "+digestOne(3)+"}\n")
	assert.Equal(t, []string{fmt.Sprintf(`three spec.plugins: "db@1.0.0" must be locked with one digest, since versions are `+
		`immutable: "one" has db@1.0.0 for db (%s), and "three" has db@1.0.0 for db@1 (%s); remove one`, digestOne(0), digestOne(3))},
		lockProblems(t, other, one))
}

func TestEntryText(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "- {asked: db@^1, chosen: db@1.0.0, digest: d}", lockLine(v1alpha1.LockEntry{Asked: "db@^1", Chosen: "db@1.0.0", Digest: "d"}))
	assert.Equal(t, `- {asked: "no", chosen: no@1.0.0, digest: d}`, lockLine(v1alpha1.LockEntry{Asked: "no", Chosen: "no@1.0.0", Digest: "d"}))
	assert.Equal(t, `- {asked: db@>=1 <2, chosen: db@1.0.0, digest: d}`, lockLine(v1alpha1.LockEntry{Asked: "db@>=1 <2", Chosen: "db@1.0.0", Digest: "d"}))
}

// entries of random references, among them those that YAML has to quote.
func entries(random *rand.Rand) []v1alpha1.LockEntry {
	var all []v1alpha1.LockEntry
	for _, asked := range []string{"db", "db@^1", "db@>=1 <2, !=1.1", "db@1 - 2", "db@*", "db@stable", "no", "a-b@~1.0", "db@<2 || >3"} {
		if random.IntN(3) > 0 {
			bare, _, _ := strings.Cut(asked, "@")
			all = append(all, v1alpha1.LockEntry{Asked: asked, Chosen: bare + "@1.0.0", Digest: digestOne(len(bare))})
		}
	}
	return all
}

func text(t *testing.T, list *krm.ResourceList) string {
	t.Helper()
	var out bytes.Buffer
	for _, item := range list.Items() {
		raw, err := item.Bytes()
		require.NoError(t, err)
		out.Write(raw)
	}
	return out.String()
}

// TestApplied holds that entries are read as they were written, that their order never counts, that applying them again
// changes no byte, and that moving from one set of entries to another leaves what applying the other alone would.
func TestApplied(t *testing.T) {
	t.Parallel()
	random := checkout.Random(t)
	for range 200 {
		list := krm.NewList(lockOf(t, "l", "  plugins: []\n"))
		want := entries(random)
		require.NoError(t, newLockSet(list.Items()).write(list, entries(random), true))
		require.NoError(t, newLockSet(list.Items()).write(list, want, true))
		set := newLockSet(list.Items())
		require.True(t, set.isValid())
		require.ElementsMatch(t, want, set.entries())
		first := text(t, list)
		random.Shuffle(len(want), func(i, j int) { want[i], want[j] = want[j], want[i] })
		item := list.Items()[0]
		require.NoError(t, set.write(list, want, true))
		require.Same(t, item, list.Items()[0], "nothing is to be written")
		alone := krm.NewList(lockOf(t, "l", "  plugins: []\n"))
		require.NoError(t, newLockSet(alone.Items()).write(alone, want, true))
		require.Equal(t, first, text(t, alone))
	}
}

// TestALockIsMadeOnce, with its place in the package; without entries no lock is created.
func TestALockIsMadeOnce(t *testing.T) {
	t.Parallel()
	list := krm.NewList()
	require.NoError(t, newLockSet(nil).write(list, nil, true))
	assert.Empty(t, list.Items())
	require.NoError(t, newLockSet(nil).write(list, []v1alpha1.LockEntry{{Asked: "db", Chosen: "db@1.0.0", Digest: digestOne(1)}}, true))
	assert.Equal(t, `apiVersion: resourceplugins.dev/v1alpha1
kind: PluginLock
metadata:
  name: plugin-lock
  annotations:
    config.kubernetes.io/local-config: "true"
    internal.config.kubernetes.io/path: plugin-lock.yaml
    internal.config.kubernetes.io/index: "0"
spec:
  plugins:
  - asked: db
    chosen: db@1.0.0
    digest: `+digestOne(1)+"\n", text(t, list))
	list = krm.NewList()
	require.NoError(t, newLockSet(nil).write(list, []v1alpha1.LockEntry{{Asked: "db", Chosen: "db@1.0.0", Digest: digestOne(1)}}, false))
	assert.NotContains(t, text(t, list), "internal.config.kubernetes.io")
}

// TestSeveralLocks holds that entries stay where they are, and that new ones go to the first by name.
func TestSeveralLocks(t *testing.T) {
	t.Parallel()
	list := krm.NewList(lockOf(t, "two", "  plugins:\n  - {asked: db, chosen: db@1.0.0, digest: DIGEST}\n"),
		lockOf(t, "one", "  plugins: []\n"))
	require.NoError(t, newLockSet(list.Items()).write(list, []v1alpha1.LockEntry{
		{Asked: "db", Chosen: "db@2.0.0", Digest: digestOne(2)}, {Asked: "queue", Chosen: "queue@1.0.0", Digest: digestOne(1)},
	}, true))
	set := newLockSet(list.Items())
	found, ok := set.byReference["db"]
	require.True(t, ok)
	assert.Equal(t, "db@2.0.0", found.Chosen)
	assert.Equal(t, "two", found.lock.item.Name())
	found, _ = set.byReference["queue"]
	assert.Equal(t, "one", found.lock.item.Name())
	found, _ = set.byPin["queue@1.0.0"]
	assert.Equal(t, "one", found.lock.item.Name())
	_, ok = set.byReference["nothing"]
	assert.False(t, ok)
}

// FuzzApply checks that no broken lock breaks anything, and that a sound one keeps its entries.
func FuzzApply(f *testing.F) {
	for _, spec := range []string{
		"  plugins: []\n", "  {}\n", "  ~\n", "  plugins: &a\n  - *a\n", "  plugins: {}\n", "  - plugins\n",
		"  plugins:\n  # one\n  - asked: db # two\n    chosen: db@1.0.0\n    digest: DIGEST\n",
		"  plugins:\n  - &e {asked: db, chosen: db@1.0.0, digest: DIGEST}\n  - {<<: *e, asked: db@1}\n",
	} {
		f.Add(spec)
	}
	f.Fuzz(func(t *testing.T, spec string) {
		item, err := krm.NewItem([]byte(strings.ReplaceAll(strings.Replace(head, "NAME", "l", 1)+spec, "DIGEST", digestOne(0))))
		if err != nil || item.Kind() != "PluginLock" || item.APIVersion() != "resourceplugins.dev/v1alpha1" {
			return
		}
		list := krm.NewList(item)
		set := newLockSet(list.Items())
		if !set.isValid() {
			return
		}
		want := append(set.entries(), v1alpha1.LockEntry{Asked: "added@^1", Chosen: "added@1.0.0", Digest: digestOne(1)})
		require.NoError(t, set.write(list, want, true))
		if _, err := list.Items()[0].Bytes(); err != nil {
			return // a list that cannot be written is an error of the format
		}
		raw, err := list.Items()[0].Bytes()
		require.NoError(t, err)
		again, err := krm.NewItem(raw)
		require.NoError(t, err)
		require.ElementsMatch(t, want, newLockSet([]*krm.Item{again}).entries(), "%s", raw)
	})
}
