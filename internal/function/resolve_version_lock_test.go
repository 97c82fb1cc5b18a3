package function

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// runWith runs a list with a config, such as `mode: update`. The list that comes out is without the config and the
// results.
func runWith(tb testing.TB, config, list string) (out, stderr string, code int) {
	tb.Helper()
	head := fmt.Sprintf("functionConfig: {apiVersion: resourceplugins.dev/v1alpha1, kind: ResolveVersion, "+
		"metadata: {name: r}, %s}\n", config)
	rest, ok := strings.CutPrefix(list, listHead)
	require.True(tb, ok)
	out, stderr, code = run(tb, strings.Replace(listHead, "items:\n", head+"items:\n", 1)+rest)
	return resolveWithoutResults(strings.Replace(out, head, "", 1)) + "\n", stderr, code
}

// mustRunWith also runs the function on its output, which must not change.
func mustRunWith(tb testing.TB, config, list string) string {
	tb.Helper()
	out, stderr, code := runWith(tb, config, list)
	require.Zero(tb, code, stderr)
	again, stderr, code := runWith(tb, config, out)
	require.Zero(tb, code, stderr)
	require.Equal(tb, out, again, "twice must be once")
	return out
}

// catalogItem is a Catalog document that lists `name@version` words; a version's digest holds its number.
func catalogItem(name string, words ...string) string {
	text := fmt.Sprintf("- apiVersion: resourceplugins.dev/v1alpha1\n  kind: Catalog\n  metadata: {name: %s}\n"+
		"  spec:\n    plugins:\n", name)
	last := ""
	for _, word := range words {
		plugin, version, _ := strings.Cut(word, "@")
		if plugin != last {
			text += fmt.Sprintf("    - name: %s\n      versions:\n", plugin)
		}
		last = plugin
		text += fmt.Sprintf("      - {version: %s, digest: %q}\n", version, digestOf(version))
	}
	return text
}

func digestOf(version string) string {
	return fmt.Sprintf("sha256:%064s", strings.ReplaceAll(version, ".", "d"))
}

const lockHead = `- apiVersion: resourceplugins.dev/v1alpha1
  kind: PluginLock
  metadata:
    name: plugin-lock
    annotations:
      config.kubernetes.io/local-config: "true"
      internal.config.kubernetes.io/path: plugin-lock.yaml
      internal.config.kubernetes.io/index: "0"
  spec:
    plugins:
`

// lockItem is a lock as resolution writes it, of `asked=name@version` words.
func lockItem(words ...string) string {
	text := lockHead
	for _, word := range words {
		at := strings.LastIndexByte(word, '=')
		_, version, _ := strings.Cut(word[at+1:], "@")
		text += fmt.Sprintf("    - asked: %s\n      chosen: %s\n      digest: %s\n", word[:at], word[at+1:], digestOf(version))
	}
	return text
}

var (
	resolvePublished = catalogItem("public", "hello-db@1.2.0", "hello-db@1.1.0", "queue@2.0.0")
	newer            = catalogItem("public", "hello-db@1.3.0", "hello-db@1.2.0", "hello-db@1.1.0", "queue@2.1.0", "queue@2.0.0")
	asking           = sandboxItem("a", "    resources:\n", "    - {name: db, plugin: hello-db@^1} # floats\n",
		"    - name: old\n      plugin: hello-db@>=1 <1.2\n") + sandboxItem("b", resource("queue", "queue"))
)

// TestUpdateMakesALock tests that only mode update creates a missing lock, sorted, and in its place in the package.
func TestUpdateMakesALock(t *testing.T) {
	t.Parallel()
	assert.NotContains(t, mustRunWith(t, "mode: keep", listHead+asking+resolvePublished), "PluginLock")
	out := mustRunWith(t, "mode: update", listHead+asking+resolvePublished)
	assert.Contains(t, out, "\n"+lockItem("hello-db@>=1 <1.2=hello-db@1.1.0", "hello-db@^1=hello-db@1.2.0", "queue=queue@2.0.0"))
}

// TestLockedAfterUpdateIsClean holds in every mode, even if other versions were published since.
func TestLockedAfterUpdateIsClean(t *testing.T) {
	t.Parallel()
	updated := mustRunWith(t, "mode: update", listHead+asking+resolvePublished)
	for _, since := range []string{resolvePublished, newer} {
		list := strings.Replace(updated, resolvePublished, since, 1)
		for _, mode := range []string{"keep", "locked"} {
			out, stderr, code := runWith(t, "mode: "+mode, list)
			require.Zero(t, code, stderr)
			assert.Empty(t, stderr)
			assert.Equal(t, list, out)
		}
	}
}

// TestTheSourceStaysUnderALock does the same as kustomize: each run gets the sandboxes as they are in Git.
func TestTheSourceStaysUnderALock(t *testing.T) {
	t.Parallel()
	lock := lockItem("hello-db@>=1 <1.2=hello-db@1.1.0", "hello-db@^1=hello-db@1.2.0", "queue=queue@2.0.0")
	want := mustRunWith(t, "mode: locked", listHead+asking+resolvePublished+lock)
	got := mustRunWith(t, "mode: locked", listHead+asking+newer+lock)
	assert.Equal(t, want, strings.Replace(got, newer, resolvePublished, 1))
	assert.Contains(t, got, "plugin: hello-db@1.2.0}")
}

func TestUpdateMovesWhatIsNamed(t *testing.T) {
	t.Parallel()
	list := strings.Replace(mustRunWith(t, "mode: update", listHead+asking+resolvePublished), resolvePublished, newer, 1)
	for names, want := range map[string]string{
		"queue":               lockItem("hello-db@>=1 <1.2=hello-db@1.1.0", "hello-db@^1=hello-db@1.2.0", "queue=queue@2.1.0"),
		"hello-db":            lockItem("hello-db@>=1 <1.2=hello-db@1.1.0", "hello-db@^1=hello-db@1.3.0", "queue=queue@2.0.0"),
		`"hello-db@>=1 <1.2"`: lockItem("hello-db@>=1 <1.2=hello-db@1.1.0", "hello-db@^1=hello-db@1.2.0", "queue=queue@2.0.0"),
		"hello-db@^1, queue":  lockItem("hello-db@>=1 <1.2=hello-db@1.1.0", "hello-db@^1=hello-db@1.3.0", "queue=queue@2.1.0"),
		"":                    lockItem("hello-db@>=1 <1.2=hello-db@1.1.0", "hello-db@^1=hello-db@1.3.0", "queue=queue@2.1.0"),
	} {
		out := mustRunWith(t, fmt.Sprintf("mode: update, update: [%s]", names), list)
		assert.Contains(t, out, "\n"+want, names)
		mustRunWith(t, "mode: locked", out)
	}
	_, stderr, code := runWith(t, "mode: update, update: [quue]", list)
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, `must be a plugin, a package or a reference of a document, not "quue"`)
}

// TestMovesAreTold at the lock and at each pin.
func TestMovesAreTold(t *testing.T) {
	t.Parallel()
	list := strings.Replace(mustRunWith(t, "mode: update", listHead+asking+resolvePublished), resolvePublished, newer, 1)
	head := "functionConfig: {apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {mode: update}}\n"
	out, _, code := run(t, strings.Replace(list, "items:\n", head+"items:\n", 1))
	require.Zero(t, code)
	_, results, _ := strings.Cut(out, "\nresults:")
	assert.Equal(t, 2, strings.Count(results, `- message: '"hello-db@^1" moved from hello-db@1.2.0 to hello-db@1.3.0'`))
	assert.Equal(t, 1, strings.Count(results, "kind: PluginLock\n    name: plugin-lock\n  field:\n    path: spec.plugins\n")-1)
}

// TestEntriesThatNobodyAsksFor stay, since another overlay may share the lock, until all are updated.
func TestEntriesThatNobodyAsksFor(t *testing.T) {
	t.Parallel()
	lock := lockItem("gone=queue@2.0.0", "hello-db=hello-db@1.2.0")
	lock = strings.Replace(lock, "asked: gone", "asked: queue", 1)
	list := listHead + sandboxItem("s", resource("db", "hello-db")) + resolvePublished + lock
	for _, config := range []string{"mode: keep", "mode: locked", "mode: update, update: [hello-db]"} {
		assert.Contains(t, mustRunWith(t, config, list), "asked: queue\n")
	}
	assert.NotContains(t, mustRunWith(t, "mode: update", list), "asked: queue\n")
}

// TestKeepAddsToALock that is there, at its place in the order, and leaves the comments of other entries.
func TestKeepAddsToALock(t *testing.T) {
	t.Parallel()
	old := strings.Replace(lockItem("hello-db@^1=hello-db@1.2.0", "zz=hello-db@1.1.0"), "    - asked: hello-db@^1\n",
		"    # live since May\n    - asked: hello-db@^1 # ours\n", 1)
	old = strings.Replace(old, "asked: zz", "asked: hello-db@~1.1", 1)
	out := mustRunWith(t, "mode: keep", listHead+asking+newer+old)
	assert.Contains(t, out, "    # live since May\n    - asked: hello-db@^1 # ours\n      chosen: hello-db@1.2.0\n")
	var order []string
	for _, line := range strings.Split(out, "\n") {
		if asked, ok := strings.CutPrefix(line, "    - asked: "); ok {
			order = append(order, strings.TrimSuffix(asked, " # ours"))
		}
	}
	assert.Equal(t, []string{"hello-db@>=1 <1.2", "hello-db@^1", "hello-db@~1.1", "queue"}, order)
}

func TestLockedRefuses(t *testing.T) {
	t.Parallel()
	pinned := mustRunWith(t, "mode: update", listHead+asking+resolvePublished)
	for name, c := range map[string]struct{ list, want string }{
		"a reference that is not in it": {
			listHead + asking + resolvePublished + lockItem("hello-db@^1=hello-db@1.2.0", "queue=queue@2.0.0"),
			`"hello-db@>=1 <1.2" must be in the lock: run rplug resolve --write-lock FILE PATH, or add ` +
				`- {asked: hello-db@>=1 <1.2, chosen: hello-db@1.1.0, digest: ` + digestOf("1.1.0") + `}`,
		},
		"a pin that the lock left behind": {
			strings.Replace(strings.ReplaceAll(pinned, "chosen: hello-db@1.2.0\n      digest: "+digestOf("1.2.0"),
				"chosen: hello-db@1.3.0\n      digest: "+digestOf("1.3.0")), resolvePublished, newer, 1),
			`must be what "hello-db@^1" is locked to (hello-db@1.3.0), not "hello-db@1.2.0": run mode keep to take it over`,
		},
		"a version that is gone": {
			strings.Replace(pinned, `      - {version: 1.2.0, digest: "`+digestOf("1.2.0")+"\"}\n", "", 1),
			`resource plugin hello-db@1.2.0 is still referenced by sandbox(es): "a"`,
		},
		"another digest": {
			strings.Replace(pinned, `{version: 1.2.0, digest: "sha256:0`, `{version: 1.2.0, digest: "sha256:1`, 1),
			`already exists; versions are immutable`,
		},
		"a lock with flaws": {
			strings.Replace(pinned, "chosen: hello-db@1.2.0", "chosen: queue@2.0.0", 1), `must be a version of "hello-db", not "queue@2.0.0"`,
		},
		"no lock": {
			listHead + asking + resolvePublished,
			"[error] no PluginLock in the input: create one with rplug resolve --write-lock FILE PATH\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, stderr, code := runWith(t, "mode: locked", c.list)
			assert.Equal(t, 1, code)
			assert.Contains(t, stderr, c.want)
		})
	}
}

// TestTheLockIsFollowed where it moved elsewhere, as when two branches met.
func TestTheLockIsFollowed(t *testing.T) {
	t.Parallel()
	pinned := mustRunWith(t, "mode: update", listHead+asking+resolvePublished)
	moved := strings.Replace(strings.ReplaceAll(pinned, "chosen: hello-db@1.2.0\n      digest: "+digestOf("1.2.0"),
		"chosen: hello-db@1.3.0\n      digest: "+digestOf("1.3.0")), resolvePublished, newer, 1)
	out := mustRunWith(t, "mode: keep", moved)
	assert.Contains(t, out, "plugin: hello-db@1.3.0} # floats")
	mustRunWith(t, "mode: locked", out)
}

// TestTheDeletePhaseNeverFloats holds for sandboxes on their way out.
func TestTheDeletePhaseNeverFloats(t *testing.T) {
	t.Parallel()
	absent := strings.Replace(sandboxItem("a", resource("db", "hello-db@^1")), "    name: a\n",
		"    name: a\n    annotations: {resourceplugins.dev/state: absent}\n", 1)
	_, stderr, code := runWith(t, "mode: keep", listHead+absent+newer)
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, `"hello-db@^1" must not float in the delete phase, which must run the version that created `+
		`the resources: pin it, or lock it (- {asked: hello-db@^1, chosen: hello-db@1.3.0, digest: `)

	lock := lockItem("hello-db@^1=hello-db@1.2.0")
	live := sandboxItem("b", resource("db", "hello-db@^1"))
	for _, config := range []string{"mode: keep", "mode: locked", "mode: update", "mode: update, update: [hello-db]"} {
		out := mustRunWith(t, config, listHead+absent+live+newer+lock)
		assert.Equal(t, 2, strings.Count(out, `plugin: "hello-db@1.2.0"`), config)
		assert.Contains(t, out, lock, config)
	}
	pinned := mustRunWith(t, "mode: keep", listHead+strings.Replace(absent, "absent}", "present}", 1)+resolvePublished)
	out := mustRunWith(t, "mode: update", strings.Replace(strings.Replace(pinned, "present", "absent", 1), resolvePublished, newer, 1))
	assert.Contains(t, out, `plugin: "hello-db@1.2.0"`)
}

// TestAVersionThatDisappeared lists the sandboxes that were resolved to it, in the vendor's words.
func TestAVersionThatDisappeared(t *testing.T) {
	t.Parallel()
	both := sandboxItem("a", resource("db", "hello-db@~1.2")) + sandboxItem("b", resource("db", "hello-db@1.2"))
	pinned := mustRunWith(t, "mode: keep", listHead+both+resolvePublished)
	gone := strings.Replace(pinned, `      - {version: 1.2.0, digest: "`+digestOf("1.2.0")+"\"}\n", "", 1)
	_, stderr, code := runWith(t, "mode: keep", gone)
	assert.Equal(t, 1, code)
	want := `resource plugin hello-db@1.2.0 is still referenced by sandbox(es): "a", "b"; a published version must stay ` +
		`while a sandbox uses it: restore it; plugin "hello-db" has no version 1.2.0: there is 1.1.0`
	assert.Equal(t, 2, strings.Count(stderr, want), stderr)
}

// TestSeveralVersionsForOneRequest come about where a lock is added late: no entry can mean both.
func TestSeveralVersionsForOneRequest(t *testing.T) {
	t.Parallel()
	first := mustRunWith(t, "mode: keep", listHead+sandboxItem("a", resource("db", "hello-db@^1"))+resolvePublished)
	list := strings.Replace(first, resolvePublished, newer, 1) + sandboxItem("b", resource("db", "hello-db@^1"))
	list = mustRunWith(t, "mode: keep", list) + strings.TrimSuffix(lockHead, "\n") + " []\n"
	out, stderr, code := runWith(t, "mode: keep", list)
	require.Zero(t, code, stderr)
	assert.Equal(t, list, out)
	assert.Contains(t, stderr, `"hello-db@^1" must resolve to one version to be locked, not hello-db@1.2.0 and hello-db@1.3.0: run mode update`)
	assert.Contains(t, mustRunWith(t, "mode: update", list), "chosen: hello-db@1.3.0")
}

func TestExplained(t *testing.T) {
	t.Parallel()
	list := listHead + asking + newer + lockItem("queue=queue@2.0.0")
	head := "functionConfig: {apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {explain: 'true'}}\n"
	out, _, code := run(t, strings.Replace(list, "items:\n", head+"items:\n", 1))
	require.Zero(t, code)
	assert.Contains(t, out, `"hello-db@^1" is hello-db@1.3.0: all=3 -> ^1=3 -> highest`)
	assert.Contains(t, out, `"queue" is queue@2.0.0: kept by the lock "plugin-lock"`)
}

// TestOrderNeverCountsForTheLock permutes a list with catalogs, locks and sandboxes, in every mode that writes.
func TestOrderNeverCountsForTheLock(t *testing.T) {
	t.Parallel()
	items := []string{
		catalogItem("public", "hello-db@1.3.0", "hello-db@1.2.0", "queue@2.0.0"), catalogItem("more", "hello-db@1.4.0", "hello-db@1.2.0"),
		sandboxItem("one", resource("db", "hello-db@~1.2")), sandboxItem("two", resource("db", "hello-db")),
		sandboxItem("three", resource("q", "queue")), sandboxItem("four", resource("db", "hello-db")),
		strings.Replace(lockItem("hello-db=hello-db@1.3.0"), "name: plugin-lock", "name: b-lock", 1),
		strings.Replace(lockItem("hello-db@~1.2=hello-db@1.2.0"), "name: plugin-lock", "name: a-lock", 1),
	}
	random := checkout.Random(t)
	for _, config := range []string{"mode: keep", "mode: update", "mode: update, update: [hello-db]"} {
		outcome := func() map[string]string {
			list, err := krm.Parse([]byte(mustRunWith(t, config, listHead+strings.Join(items, ""))))
			require.NoError(t, err)
			texts := map[string]string{}
			for _, item := range list.Items() {
				text, err := item.Bytes()
				require.NoError(t, err)
				texts[item.Kind()+item.Name()] = string(text)
			}
			return texts
		}
		want := outcome()
		for range 10 {
			random.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
			require.Equal(t, want, outcome(), config)
		}
	}
}
