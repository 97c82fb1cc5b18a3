package resolve

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// FuzzCatalog holds that no catalog, however broken, breaks anything, that every choice is a version with a digest, and
// that chosen versions can be pinned.
func FuzzCatalog(f *testing.F) {
	good := "{plugins: " + dbVersions(listing("1.0.0", 1), listing("2.0.0", 2, "yanked: bad"), listing("0.1.0", 3, "deprecated: old")) + "}"
	for _, spec := range []string{
		good, "~", "[]", "{plugins: {}}", "{plugins: [~, 1, {}, {name: db}]}", "{priority: 99999999999999999999}",
		"{plugins: [{name: db, channels: {stable: 1.0.0, x: 1}, versions: [~, {version: v1}, {version: 1.0.0}]}]}",
		"&a {plugins: [*a]}", "{plugins: [{name: db, versions: [&v {version: 1.0.0, digest: '" + sum(1) + "'}, *v]}]}",
		"{plugins: [{name: DB}, {name: db}, {name: db}]}", strings.Replace(good, "1.0.0", "1.0.0-rc.1", 1),
	} {
		for _, reference := range []string{"db", "db@^1", "db@stable", "db@1", "DB"} {
			f.Add(spec, reference, "  - {asked: db, chosen: db@1.0.0, digest: '"+sum(1)+"'}")
		}
	}
	f.Fuzz(func(t *testing.T, spec, reference, locked string) {
		var documents []*krm.Item
		for kind, text := range map[string]string{"Catalog": " " + spec, "PluginLock": "\n  plugins:\n" + locked} {
			document, err := krm.NewItem(fmt.Appendf(nil,
				"apiVersion: resourceplugins.dev/v1alpha1\nkind: %s\nmetadata: {name: c}\nspec:%s\n", kind, text))
			if err != nil {
				return
			}
			documents = append(documents, document)
		}
		Lint(documents)
		plugins := NewCatalog(documents)
		choice, err := plugins.Choose(reference)
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			return
		}
		require.True(t, document.IsDigest(choice.Digest))
		require.NotContains(t, choice.How(), "\n")
		pinned, err := plugins.ChooseFresh(choice.Pin())
		require.NoError(t, err)
		require.Equal(t, choice.Digest, pinned.Digest)
	})
}
