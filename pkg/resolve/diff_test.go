package resolve

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
)

func sample() *CatalogDocument {
	c := NewCatalogDocument("platform")
	c.Spec.Plugins = []v1alpha1.CatalogPlugin{{
		Name: "db", Description: "a database", Channels: map[string]string{"stable": "1.2.0"},
		Versions: []v1alpha1.CatalogVersion{
			{Version: "1.2.0", Digest: "sha256:2", Requires: v1alpha1.Requires{Kubernetes: "1.29"}}, {Version: "1.10.0", Digest: "sha256:10"},
		},
	}, {Name: "queue", Versions: []v1alpha1.CatalogVersion{{Version: "0.0.0", Digest: "sha256:0"}}}}
	return c
}

func TestDiff(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*v1alpha1.CatalogSpec)
		want   []string
		breaks int
	}{
		"nothing": {func(*v1alpha1.CatalogSpec) {}, nil, 0},
		"order": {func(s *v1alpha1.CatalogSpec) {
			s.Plugins[0], s.Plugins[1] = s.Plugins[1], s.Plugins[0]
		}, nil, 0},
		"facts": {func(s *v1alpha1.CatalogSpec) {
			s.Priority, s.Description = 3, "ours"
			s.Plugins[0].Description = ""
			s.Plugins[0].Versions[0].Requires.Kubernetes = ""
			s.Plugins[0].Channels = map[string]string{"edge": "1.10.0"}
		}, []string{
			`~ catalog: description "ours"`, `~ catalog: priority "3", before "0"`, `~ db: description "a database" removed`,
			`~ db@edge: version "1.10.0"`, `~ db@stable: version "1.2.0" removed`,
			`~ db@1.2.0: requires kubernetes "1.29" removed`,
		}, 0},
		"a plugin is gone": {func(s *v1alpha1.CatalogSpec) { s.Plugins = s.Plugins[1:] }, []string{
			`~ db: description "a database" removed`, `~ db@stable: version "1.2.0" removed`,
			"! db@1.10.0: must stay, since a sandbox may use it: restore it, or yank it",
			"! db@1.2.0: must stay, since a sandbox may use it: restore it, or yank it",
		}, 2},
		"the default version changed": {func(s *v1alpha1.CatalogSpec) { s.Plugins[1].Versions[0].Digest = "sha256:1" }, []string{
			`! queue@0.0.0: resource plugin "queue" default version `,
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			newer := sample()
			c.change(&newer.Spec)
			changes := Diff(sample(), newer)
			var got []string
			breaks := 0
			for i, change := range changes {
				if change.Breaks() {
					breaks++
				}
				text := change.String()
				if i < len(c.want) && change.Breaks() && len(text) > len(c.want[i]) {
					text = text[:len(c.want[i])]
				}
				got = append(got, text)
			}
			assert.Equal(t, c.want, got)
			assert.Equal(t, c.breaks, breaks)
			assert.Len(t, Losses(sample(), newer), c.breaks)
		})
	}
}

// Versions that are published, yanked or deprecated must not disappear unnoticed. Reasons may change, and channels may move.
func TestLosses(t *testing.T) {
	t.Parallel()
	older, newer := sample(), sample()
	older.Spec.Plugins[1].Deprecated = "use streams"
	older.Spec.Plugins[0].Versions[0].Yanked, newer.Spec.Plugins[0].Versions[0].Yanked = "loses data", "loses all data"
	older.Spec.Plugins[0].Versions[1].Yanked, older.Spec.Plugins[0].Versions[1].Deprecated = "has no index", "is slow"
	newer.Spec.Plugins[0].Channels = nil
	newer.Spec.Plugins[1].Versions = nil
	lost := map[string]string{}
	for _, c := range Losses(older, newer) {
		lost[c.Subject] += c.Lost + ";"
	}
	assert.Equal(t, map[string]string{
		"db@1.10.0": `deprecated "is slow";yanked "has no index";`, "queue": `deprecated "use streams";`, "queue@0.0.0": "published;",
	}, lost)
}
