package resolve

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

const aDigest = "sha256:0000000000000000000000000000000000000000000000000000000000000000"

// found reads a spec in flow style and returns everything that is wrong with it.
func found(t *testing.T, spec string) []string {
	t.Helper()
	item, err := krm.NewItem([]byte("apiVersion: resourceplugins.dev/v1alpha1\nkind: Catalog\nmetadata: {name: c}\nspec: " +
		strings.ReplaceAll(spec, "DIGEST", aDigest) + "\n"))
	require.NoError(t, err)
	_, problems := readCatalog(item)
	var lines []string
	for _, problem := range problems {
		line := fmt.Sprintf("%s: %s", problem.Path, problem.Message)
		if problem.Proposed != nil {
			line += fmt.Sprintf(" [%v]", problem.Proposed)
		}
		lines = append(lines, line)
	}
	return lines
}

func TestGoodCatalogs(t *testing.T) {
	t.Parallel()
	for _, spec := range []string{
		"{}", "{plugins: []}", "{plugins: [{name: db, versions: []}]}", "{plugins: [{name: db, channels: {stable: 1.0.0}}]}",
		"{priority: -3, description: ours, plugins: [{name: db, versions: [{version: 1.0.0, digest: DIGEST}, " +
			"{version: 1.0.0-rc.1, digest: DIGEST}, {version: 0.0.0+b, digest: DIGEST, released: '2024-02-29'}]}]}",
		"{plugins: [{name: db, versions: [{version: 1.0.0, digest: DIGEST, requires: {kubernetes: v1.29.3-gke.1}}]}]}",
	} {
		assert.Empty(t, found(t, spec), spec)
	}
}

func TestBadCatalogs(t *testing.T) {
	t.Parallel()
	const version = "spec.plugins[0].versions[0]"
	for spec, want := range map[string][]string{
		"~":                  {"spec: must be set"},
		"{plugin: []}":       {`spec.plugin: unknown key "plugin": did you mean "plugins"?`},
		"{priority: high}":   {`spec.priority: must be a whole number, not the string "high"`},
		"{plugins: [{}]}":    {"spec.plugins[0].name: must be set"},
		"{plugins: {db: 1}}": {"spec.plugins: must be a list, not a mapping"},
		"{plugins: [{name: db@1.0.0}, {name: d}, {name: db_x}]}": {
			"spec.plugins[0].name: must be the bare name: versions are listed below it [db]",
			`spec.plugins[1].name: name "d" must have at least two characters`,
			`spec.plugins[2].name: name "db_x" must hold letters, digits and dashes only`,
		},
		"{plugins: [{name: db}, {name: db}]}":     {`spec.plugins[1].name: plugin "db" must be listed once: put its versions together`},
		"{plugins: [{name: db, versions: [{}]}]}": {version + ".version: must be set", version + ".digest: must be set"},
		"{plugins: [{name: db, versions: [{version: v1.0, digest: DIGEST}, {version: 01.0.0, digest: DIGEST}, " +
			"{version: one, digest: DIGEST}]}]}": {
			version + `.version: version must be a full semver such as 1.0.0, not "v1.0" [1.0.0]`,
			`spec.plugins[0].versions[1].version: version must be a full semver such as 1.0.0, not "01.0.0" [1.0.0]`,
			`spec.plugins[0].versions[2].version: version must be a full semver such as 1.0.0, not "one"`,
		},
		"{plugins: [{name: db, versions: [{version: 1.0.0+a, digest: DIGEST}, {version: 1.0.0, digest: DIGEST}]}]}": {
			`spec.plugins[0].versions[1].version: versions 1.0.0 and 1.0.0+a of plugin "db" must not have the same precedence: remove one`,
		},
		"{plugins: [{name: db, versions: [{version: 1.0.0-rc.1, digest: DIGEST}, {version: 1.0.0-RC.1+b, digest: DIGEST}]}]}": {
			`spec.plugins[0].versions[1].version: versions 1.0.0-RC.1+b and 1.0.0-rc.1 of plugin "db" must differ in more than case: ` +
				"publish a version of another name, and deprecate one",
		},
		"{plugins: [{name: db, versions: [{version: 1.0.0, digest: sha256:12}]}]}": {
			version + `.digest: must be sha256: and 64 hexadecimal digits in lower case, not "sha256:12"`,
		},
		"{plugins: [{name: db, versions: [{version: 1.0.0, digest: DIGEST, yanked: true, requires: {kubernetes: x}}]}]}": {
			version + ".yanked: must be a string, not the boolean true: quote it",
			version + `.requires.kubernetes: must be a version of Kubernetes such as "1.29", not "x"`,
		},
		"{plugins: [{name: db, deprecated: '', versions: [{version: 1.0.0, digest: DIGEST, yanked: , deprecated: ~}]}]}": {
			"spec.plugins[0].deprecated: must give the reason, or be left out",
			version + ".deprecated: must give the reason, or be left out",
			version + ".yanked: must give the reason, or be left out",
		},
		"{plugins: [{name: db, channels: {Stable: 1.0.0, latest: 1.0.0, x: 1.0.0, lts: '1'}}]}": {
			`spec.plugins[0].channels.Stable: channel "Stable" must be at most 63 lower-case letters, digits and inner dashes, ` +
				`the first a letter`,
			`spec.plugins[0].channels.latest: channel "latest" must not be defined: it is the highest version`,
			`spec.plugins[0].channels.lts: channel lts must be a full semver such as 1.0.0, not "1" [1.0.0]`,
			`spec.plugins[0].channels.x: channel "x" must not read as a version or as a range: rename it`,
		},
	} {
		assert.Equal(t, want, found(t, spec), spec)
	}
}

func TestDays(t *testing.T) {
	t.Parallel()
	good := []string{"2026-01-31", "2000-02-29", "2024-02-29", "2026-12-31", "2026-08-31", "2026-07-31", "0001-01-01"}
	bad := []string{
		"2026-02-29", "1900-02-29", "2026-04-31", "2026-09-31", "2026-13-01", "2026-00-10", "2026-01-00", "2026-1-1", "20260101",
		"2026/01/01", "2026-01-01T00:00:00Z", "soon", "-026-01-01", "2026-+1-01",
	}
	for _, day := range append(good, bad...) {
		lines := found(t, fmt.Sprintf("{plugins: [{name: db, versions: [{version: 1.0.0, digest: DIGEST, released: %q}]}]}", day))
		if len(lines) == 0 {
			assert.Contains(t, good, day)
			continue
		}
		assert.Contains(t, bad, day)
		assert.Equal(t, []string{fmt.Sprintf(`spec.plugins[0].versions[0].released: must be a day such as "2026-01-20", not %q`, day)}, lines)
	}
}
