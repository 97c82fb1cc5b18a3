package function

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/function/resolveversion"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

const listHead = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"

// run sends a list through the function as an orchestrator does.
func run(tb testing.TB, list string) (out, errors string, code int) {
	tb.Helper()
	var stdout, stderr bytes.Buffer
	code = resolveversion.New().Run(tb.Context(), nil, strings.NewReader(list), &stdout, &stderr)
	return stdout.String(), stderr.String(), code
}

// mustRun runs a list that must resolve, and then its output, which must stay the same.
func mustRun(tb testing.TB, list string) string {
	tb.Helper()
	first, stderr, code := run(tb, list)
	require.Zero(tb, code, stderr)
	again, stderr, code := run(tb, first)
	require.Zero(tb, code, stderr)
	require.Equal(tb, resolveWithoutResults(first), resolveWithoutResults(again), "twice must be once")
	return first
}

func resolveWithoutResults(list string) string {
	before, _, _ := strings.Cut(list, "\nresults:")
	return strings.TrimSuffix(before, "\n")
}

func pluginItem(name string) string {
	return fmt.Sprintf("- apiVersion: resourceplugins.dev/v1alpha1\n  kind: ResourcePlugin\n  metadata: {name: %q}\n"+
		"  spec:\n    runner: {image: alpine}\n    create:\n    - name: provision\n      script: |\n        #!/bin/sh\n", name)
}

func sandboxItem(name string, lines ...string) string {
	return fmt.Sprintf("- apiVersion: resourceplugins.dev/v1alpha1\n  kind: Sandbox\n  metadata:\n    name: %s\n"+
		"  spec:\n    cluster: demo\n%s", name, strings.Join(lines, ""))
}

func resource(name, reference string) string {
	return fmt.Sprintf("    resources: [{name: %q, plugin: %q}]\n", name, reference)
}

func find(t *testing.T, list, name string) *krm.Item {
	t.Helper()
	parsed, err := krm.Parse([]byte(list))
	require.NoError(t, err)
	for _, item := range parsed.Items() {
		if item.Name() == name {
			return item
		}
	}
	t.Fatalf("there is no %s in %s", name, list)
	return nil
}

func pinOf(t *testing.T, item *krm.Item, index int) string {
	t.Helper()
	node, ok := krm.Path("spec.resources").Index(index).Key("plugin").Find(item.YNode())
	require.True(t, ok)
	return node.Value
}

// TestANewerVersionDoesNotMoveAPin publishes a version after a reference was resolved.
func TestANewerVersionDoesNotMoveAPin(t *testing.T) {
	t.Parallel()
	pinned := mustRun(t, listHead+sandboxItem("s", resource("db", "hello-db"))+pluginItem("hello-db@1.0.0"))
	assert.Equal(t, "hello-db@1.0.0", pinOf(t, find(t, pinned, "s"), 0))
	newer := mustRun(t, pinned+pluginItem("hello-db@2.0.0"))
	assert.Equal(t, pinned+pluginItem("hello-db@2.0.0"), newer)
}

// TestRemovedDigests takes a version's new content on, and keeps the request.
func TestRemovedDigests(t *testing.T) {
	t.Parallel()
	pinned := mustRun(t, listHead+sandboxItem("s", resource("db", "hello-db"))+pluginItem("hello-db@1.0.0"))
	changed := strings.ReplaceAll(pinned, "image: alpine", "image: other")
	_, stderr, code := run(t, changed)
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "versions are immutable")
	var kept []string
	for _, line := range strings.Split(changed, "\n") {
		if !strings.Contains(line, "/digests:") {
			kept = append(kept, line)
		}
	}
	taken := find(t, mustRun(t, strings.Join(kept, "\n")), "s")
	requested, _ := taken.Annotation("resourceplugins.dev/requested")
	assert.JSONEq(t, `{"db":"hello-db"}`, requested)
	assert.Equal(t, "hello-db@1.0.0", pinOf(t, taken, 0))
}

// TestAliases holds that nothing but the reference changes where it shares an anchor with something else.
func TestAliases(t *testing.T) {
	t.Parallel()
	out := mustRun(t, listHead+pluginItem("hello-db@1.0.0")+sandboxItem("s",
		"    description: &same hello-db\n",
		"    resources:\n",
		"    - {name: a, plugin: *same}\n",
		"    - &second {name: b, plugin: &ref hello-db@1}\n",
		"    - {name: c, plugin: *ref}\n"))
	item := find(t, out, "s")
	for i := range 3 {
		assert.Equal(t, "hello-db@1.0.0", pinOf(t, item, i))
	}
	description, ok := krm.Path("spec.description").Find(item.YNode())
	require.True(t, ok)
	assert.Equal(t, "hello-db", description.Value)
}

// TestOrderOfItems permutes a list: each sandbox gets the same pins and the same record.
func TestOrderOfItems(t *testing.T) {
	t.Parallel()
	items := []string{
		pluginItem("hello-db@1.0"), pluginItem("hello-db@v1.1"), pluginItem("hello-db"), pluginItem("queue@2"),
		sandboxItem("one", resource("db", "hello-db@~1.0")), sandboxItem("two", resource("db", "hello-db")),
		sandboxItem("three", resource("q", "queue")),
	}
	outcome := func() []string {
		out := mustRun(t, listHead+strings.Join(items, ""))
		var seen []string
		for _, name := range []string{"one", "two", "three"} {
			item := find(t, out, name)
			digests, _ := item.Annotation("resourceplugins.dev/digests")
			seen = append(seen, pinOf(t, item, 0), digests)
		}
		return seen
	}
	want := outcome()
	random := checkout.Random(t)
	for range 20 {
		random.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
		require.Equal(t, want, outcome())
	}
}

// FuzzResolve holds that no reference and no record, however broken, breaks the function, and that resolved references
// do not change.
func FuzzResolve(f *testing.F) {
	digest := "sha256:" + strings.Repeat("0", 64)
	for _, reference := range []string{
		"hello-db", "hello-db@1", "hello-db@^1", "early", "hello-db@", "@", "hello-db@1.0.0", "Hello-DB", "hello-db@ 1", "x\ny",
	} {
		f.Add("db", reference, "", "")
		f.Add("d\"b", reference, `{"db":"hello-db"}`, `{"db":"hello-db@1.0.0@`+digest+`"}`)
	}
	f.Add("db", "hello-db", "{", "null")
	f.Fuzz(func(t *testing.T, name, reference, requested, digests string) {
		list := listHead + pluginItem("hello-db@1.0") + pluginItem("hello-db@1.1.0") + pluginItem("early@1.0.0-rc.1")
		item, err := krm.NewItem([]byte("apiVersion: resourceplugins.dev/v1alpha1\nkind: Sandbox\nmetadata: {name: s}\n" +
			"spec:\n  resources:\n  - {name: a, plugin: a}\n"))
		require.NoError(t, err)
		require.NoError(t, item.Set("spec.resources[0].name", name))
		require.NoError(t, item.Set("spec.resources[0].plugin", reference))
		for key, value := range map[string]string{"requested": requested, "digests": digests} {
			if value != "" {
				item.Annotate("resourceplugins.dev/"+key, value)
			}
		}
		parsed, err := krm.Parse([]byte(list))
		require.NoError(t, err)
		parsed.Append(item)
		var input bytes.Buffer
		_, err = parsed.WriteTo(&input)
		require.NoError(t, err)
		out, stderr, code := run(t, input.String())
		require.Less(t, code, 2, stderr)
		if code == 0 {
			mustRun(t, out)
		}
	})
}

// BenchmarkSandboxes resolves 10,000 sandboxes with two resources each, from the list's bytes to the list's bytes.
func BenchmarkResolveSandboxes(b *testing.B) {
	var list strings.Builder
	list.WriteString(listHead)
	for plugin := range 20 {
		for minor := range 5 {
			list.WriteString(pluginItem(fmt.Sprintf("plugin-%d@1.%d", plugin, minor)))
		}
	}
	for n := range 10_000 {
		list.WriteString(sandboxItem(fmt.Sprintf("sandbox-%d", n), "    description: one of many\n    resources:\n",
			fmt.Sprintf("    - name: db\n      plugin: plugin-%d@^1 # floats\n", n%20),
			fmt.Sprintf("    - name: queue\n      plugin: plugin-%d\n      params: {size: small}\n", n%19)))
	}
	text := list.String()
	b.Run("parse", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			parsed, err := krm.Parse([]byte(text))
			require.NoError(b, err)
			_, err = parsed.Select("resourceplugins.dev/v1alpha1", "Sandbox", "ResourcePlugin")
			require.NoError(b, err)
		}
	})
	b.Run("resolve", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			_, stderr, code := run(b, text)
			require.Zero(b, code, stderr)
		}
	})
}
