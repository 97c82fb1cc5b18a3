package resolve

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

func read(tb testing.TB, text string) *CatalogDocument {
	tb.Helper()
	item, err := krm.NewItem([]byte(text))
	require.NoError(tb, err)
	catalog, problems := readCatalog(item)
	require.Empty(tb, problems)
	return catalog
}

func full(tb testing.TB) string {
	tb.Helper()
	text, err := os.ReadFile("testdata/full.yaml")
	require.NoError(tb, err)
	return string(text)
}

// TestPrintedAsRead holds for a document that has every field.
func TestPrintedAsRead(t *testing.T) {
	t.Parallel()
	printed, err := read(t, full(t)).Bytes()
	require.NoError(t, err)
	assert.Equal(t, full(t), string(printed))
}

// TestOrderIsNotPrinted shuffles plugins and versions: the bytes stay.
func TestOrderIsNotPrinted(t *testing.T) {
	t.Parallel()
	random := checkout.Random(t)
	catalog := read(t, full(t))
	for range 20 {
		plugins := catalog.Spec.Plugins
		random.Shuffle(len(plugins), func(i, j int) { plugins[i], plugins[j] = plugins[j], plugins[i] })
		for _, plugin := range plugins {
			versions := plugin.Versions
			random.Shuffle(len(versions), func(i, j int) { versions[i], versions[j] = versions[j], versions[i] })
		}
		before := plugins[0].Name
		printed, err := catalog.Bytes()
		require.NoError(t, err)
		require.Equal(t, full(t), string(printed))
		require.Equal(t, before, catalog.Spec.Plugins[0].Name, "printing must not sort the catalog itself")
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	printed, err := NewCatalogDocument("mine").Bytes()
	require.NoError(t, err)
	assert.Equal(t, `apiVersion: resourceplugins.dev/v1alpha1
kind: Catalog
metadata:
  name: mine
  annotations:
    config.kubernetes.io/local-config: "true"
spec:
  plugins: []
`, string(printed))
}

func TestFinding(t *testing.T) {
	t.Parallel()
	catalog := read(t, full(t))
	require.NotNil(t, catalog.Plugin("hello-db"))
	assert.Nil(t, catalog.Plugin("Hello-DB"))
	assert.NotNil(t, catalog.Plugin("hello-db").Version("1.2.0"))
	assert.Nil(t, catalog.Plugin("hello-db").Version("1.2"))
}

// FuzzText verifies that any field is read again as it was, and printed the same way.
func FuzzText(f *testing.F) {
	for _, text := range []string{"", "yes", "1.2", "1:30", "a: b", "# no", "two\nlines\n", "\u2028", " ", "\x7f", "2026-01-02", "=", "~", "<<"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		catalog := NewCatalogDocument("fuzz")
		catalog.Spec.Plugins = []v1alpha1.CatalogPlugin{{
			Name: "db", Description: text, Channels: map[string]string{"stable" + text: "1.0.0"},
			Versions: []v1alpha1.CatalogVersion{{Version: text, Digest: text, Yanked: text}},
		}}
		first, err := catalog.Bytes()
		if err != nil {
			return // not every text is YAML, however it is quoted
		}
		item, err := krm.NewItem(first)
		require.NoError(t, err)
		again, _ := readCatalog(item)
		second, err := again.Bytes()
		require.NoError(t, err)
		require.Equal(t, string(first), string(second))
	})
}
