package resolve

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

func lockDocument(tb testing.TB, name, asked, chosen, digest string) *krm.Item {
	tb.Helper()
	document, err := krm.NewItem(fmt.Appendf(nil, "apiVersion: resourceplugins.dev/v1alpha1\nkind: PluginLock\n"+
		"metadata: {name: %s}\nspec:\n  plugins:\n  - {asked: %q, chosen: %s, digest: %q}\n", name, asked, chosen, digest))
	require.NoError(tb, err)
	return document
}

// unsorted prints a catalog as it is, in the order of its plugins and versions.
func unsorted(tb testing.TB, c *CatalogDocument) *krm.Item {
	tb.Helper()
	type version = map[string]any
	var plugins []any
	for _, p := range c.Spec.Plugins {
		versions := []version{}
		for _, v := range p.Versions {
			one := version{"version": v.Version, "digest": v.Digest}
			for key, text := range map[string]string{"yanked": v.Yanked, "deprecated": v.Deprecated} {
				if text != "" {
					one[key] = text
				}
			}
			if v.Requires.Kubernetes != "" {
				one["requires"] = map[string]string{"kubernetes": v.Requires.Kubernetes}
			}
			versions = append(versions, one)
		}
		plugins = append(plugins, map[string]any{"name": p.Name, "channels": p.Channels, "versions": versions})
	}
	text, err := yaml.Marshal(map[string]any{
		"apiVersion": "resourceplugins.dev/v1alpha1", "kind": "Catalog", "metadata": map[string]string{"name": c.Name},
		"spec": map[string]any{"priority": c.Spec.Priority, "plugins": plugins},
	})
	require.NoError(tb, err)
	document, err := krm.NewItem(text)
	require.NoError(tb, err)
	return document
}

// TestLocked checks that a locked reference keeps its version, and that other references are resolved.
func TestLocked(t *testing.T) {
	t.Parallel()
	listed := catalogItem(t, "c", 0, dbVersions(listing("1.0.0", 1), listing("1.1.0", 2), listing("1.2.0", 3, "yanked: bad")))
	plugins := NewCatalog([]*krm.Item{listed, lockDocument(t, "lock", "db@^1", "db@1.0.0", sum(1))})
	require.Empty(t, plugins.Problems())
	choice, err := plugins.Choose("db@^1")
	require.NoError(t, err)
	assert.Equal(t, "db@1.0.0", choice.Pin())
	assert.Equal(t, "lock", choice.Lock)
	assert.Equal(t, `kept by the lock "lock"`, choice.How())
	require.NoError(t, choice.Settled("db@^1"))
	for _, reference := range []string{"db", "db@1.x"} {
		choice, err = plugins.Choose(reference)
		require.NoError(t, err)
		assert.Equal(t, "db@1.1.0", choice.Pin())
		require.ErrorContains(t, choice.Settled(reference), "must not float in the delete phase")
	}
	choice, err = plugins.ChooseFresh("db@^1")
	require.NoError(t, err)
	assert.Equal(t, "db@1.1.0", choice.Pin())

	yanked := NewCatalog([]*krm.Item{listed, lockDocument(t, "lock", "db@^1", "db@1.2.0", sum(3))})
	choice, err = yanked.Choose("db@^1")
	require.NoError(t, err)
	assert.Len(t, choice.Warnings, 1, "what was created with a yanked version is removed with it")
}

func TestLocksThatNoLongerHold(t *testing.T) {
	t.Parallel()
	listed := catalogItem(t, "c", 0, dbVersions(listing("1.0.0", 1), listing("2.0.0", 2, `requires: {kubernetes: "1.31"}`)))
	cluster, err := KubernetesVersion("1.29")
	require.NoError(t, err)
	for _, c := range []struct{ asked, chosen, digest, want string }{
		{"db@^1", "db@1.1.0", sum(1), `plugin "db" no longer has version 1.1.0, but the lock "lock" has it for "db@^1": there are`},
		{"queue", "queue@1.1.0", sum(1), `plugin "queue" no longer has version 1.1.0, but the lock "lock" has it for "queue": no version is left`},
		{"db@^1", "db@1.0.0", sum(9), `versions are immutable`},
		{"db", "db@2.0.0", sum(2), `db@2.0.0 requires Kubernetes 1.31.0, and kubernetesVersion is 1.29.0: the lock "lock" must be updated`},
	} {
		plugins := NewCatalog([]*krm.Item{listed, lockDocument(t, "lock", c.asked, c.chosen, c.digest)}).ForKubernetes(cluster)
		_, err := plugins.Choose(c.asked)
		require.ErrorContains(t, err, c.want)
	}
	_, err = NewCatalog([]*krm.Item{listed, lockDocument(t, "lock", "db@^1", "db@1.0.0", sum(9))}).Choose("db@1.0.0")
	assert.ErrorContains(t, err, `the lock "lock" has it as `+sum(9), "a lock's digest counts whatever is asked")
}

// TestSettled has the questions of a delete phase.
func TestSettled(t *testing.T) {
	t.Parallel()
	document, older := item(t, "db@1.0.0"), item(t, "db@0.9.0")
	digest := choose(t, "db", document).Digest
	require.NoError(t, choose(t, "db", document).Settled("db"), "of one version there is no choice")
	require.NoError(t, choose(t, "db@1", document, older).Settled("db@1"))
	require.EqualError(t, choose(t, "db", document, older).Settled("db"), `"db" must not float in the delete phase, which must run `+
		`the version that created the resources: pin it, or lock it (- {asked: db, chosen: db@1.0.0, digest: `+digest+`})`)
	lock := lockDocument(t, "lock", "db", "db@1.0.0", digest)
	require.NoError(t, choose(t, "db", document, older, lock).Settled("db"))
}

func TestLintOfLocks(t *testing.T) {
	t.Parallel()
	listed := catalogItem(t, "c", 0, dbVersions(listing("1.0.0", 1)))
	for _, c := range []struct{ asked, chosen, digest, want string }{
		{"db", "db@1.0.0", sum(1), ""},
		{"queue", "queue@1.0.0", sum(1), ""}, // whose catalog may be elsewhere
		{"db", "db@2.0.0", sum(1), "locked version db@2.0.0 must stay"},
		{"db", "db@1.0.0", sum(2), "versions are immutable"},
		{"db@2", "db@1.0.0", sum(1), `must be a version that "db@2" allows`},
	} {
		results := Lint([]*krm.Item{listed, lockDocument(t, "lock", c.asked, c.chosen, c.digest)})
		if c.want == "" {
			assert.Empty(t, results)
			continue
		}
		require.Len(t, results, 1)
		assert.Contains(t, results[0].Message, c.want)
	}
}
