package function

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/function/rendersandbox"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

func sandboxList(docs []string) string {
	var out strings.Builder
	out.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n")
	for _, doc := range docs {
		out.WriteString("- " + strings.ReplaceAll(strings.TrimSpace(doc), "\n", "\n  ") + "\n")
	}
	out.WriteString("functionConfig: {apiVersion: resourceplugins.dev/v1alpha1, kind: RenderSandbox, metadata: {name: forks}, " +
		"routing: gateway-api}\n")
	return out.String()
}

// renderable returns random documents that can be rendered.
func renderable(t *testing.T, random *rand.Rand) []string {
	t.Helper()
	for range 100 {
		baseline := randomBaseline(random)
		docs := append(baseline, randomSandboxes(random, baseline)...)
		if _, _, code := command(t, []byte(sandboxList(docs))); code == 0 {
			return docs
		}
	}
	require.FailNow(t, "no random list can be rendered")
	return nil
}

// Rendering the output again does not change a byte.
func TestSandboxTwiceIsOnce(t *testing.T) {
	t.Parallel()
	random := checkout.Random(t)
	for range 20 {
		once := sandboxRunList(t, sandboxList(renderable(t, random)))
		assert.Equal(t, sandboxWithoutResults(once), sandboxWithoutResults(sandboxRunList(t, sandboxWithoutResults(once))))
	}
}

// The order of the documents moves nothing but the documents themselves.
func TestSandboxOrderDoesNotMatter(t *testing.T) {
	t.Parallel()
	random := checkout.Random(t)
	for range 20 {
		docs := renderable(t, random)
		want := sandboxObjects(sandboxRunList(t, sandboxList(docs)))
		random.Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
		assert.Equal(t, want, sandboxObjects(sandboxRunList(t, sandboxList(docs))))
	}
}

func sandboxRunList(t *testing.T, input string) string {
	t.Helper()
	stdout, stderr, code := command(t, []byte(input))
	require.Zero(t, code, "%s\n%s", stderr, input)
	return stdout
}

func sandboxWithoutResults(text string) string {
	text, _, _ = strings.Cut(text, "\nresults:")
	return strings.TrimRight(text, "\n") + "\n"
}

// sandboxObjects returns the rendered objects, sorted.
func sandboxObjects(text string) []string {
	items := strings.Split(sandboxWithoutResults(text), "\n- ")[1:]
	items = slices.DeleteFunc(items, func(item string) bool { return !strings.Contains(item, "resourceplugins.dev/rendered-by") })
	for i, item := range items {
		item, _, _ = strings.Cut(item, "\nfunctionConfig:")
		items[i] = strings.TrimRight(item, "\n")
	}
	slices.Sort(items)
	return items
}

// Bad input never panics.
func FuzzSandboxAnyDocument(f *testing.F) {
	f.Add(rollout + "---" + rolloutSandbox)
	f.Add(strings.ReplaceAll(rollout+"---"+rolloutSandbox, "Rollout", "Deployment"))
	f.Add(strings.ReplaceAll(rollout+"---"+rolloutSandbox, "customizations:", "customizations:\n      patch: {type: json, value: '[]'}\n      #"))
	f.Add(strings.ReplaceAll(rollout+"---"+rolloutSandbox, "forks:", "defaultRouteGroup: {endpoints: [{name: e, target: 'http://web.shop.svc'}]}\n  forks:"))
	f.Fuzz(func(t *testing.T, text string) {
		var stdout, stderr bytes.Buffer
		code := rendersandbox.New().Run(t.Context(), []string{"--routing", "istio", "-"}, strings.NewReader(text), &stdout, &stderr)
		require.NotContains(t, stderr.String(), "panic")
		require.Less(t, code, 3)
	})
}
