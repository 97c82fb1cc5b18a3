package resolve_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

func packageDocument(t *testing.T, kind, spec string) *krm.Item {
	t.Helper()
	item, err := krm.NewItem([]byte(fmt.Sprintf("apiVersion: resourceplugins.dev/v1alpha1\nkind: %s\nmetadata: {name: c}\nspec:\n%s\n", kind, spec)))
	require.NoError(t, err)
	return item
}

var digestOfPackage = "sha256:" + strings.Repeat("1", 64)

// Packages of catalogs are checked as plugins are.
func TestBadPackagesOfCatalogs(t *testing.T) {
	t.Parallel()
	version := func(fields string) string {
		return fmt.Sprintf("  packages: [{name: redis, versions: [{version: v1.0.0, digest: %q, %s}]}]", digestOfPackage, fields)
	}
	for spec, want := range map[string]string{
		"  packages: [{versions: []}]":                                 "spec.packages[0].name: must be set",
		"  packages: [{name: 'redis:v1'}]":                             `spec.packages[0].name: must be an image repository without a tag or a digest, not "redis:v1"`,
		"  packages: [{name: Redis}]":                                  "spec.packages[0].name: must be an image repository in lower case, such as",
		"  packages: [{name: redis}, {name: docker.io/library/redis}]": `spec.packages[1].name: package "docker.io/library/redis" must be listed once`,
		"  packages: [{name: redis, versions: [{version: latest, digest: x}]}]": `spec.packages[0].versions[0].version: version must be a ` +
			`tag such as v1.0.0, not "latest"`,
		"  packages: [{name: redis, versions: [{version: v1.0, digest: x}]}]": `must be a tag such as v1.0.0, not "v1.0"`,
		"  packages: [{name: redis, versions: [{version: v1.0.0, digest: x}, {version: 1.0.0, digest: x}]}]": "versions 1.0.0 and " +
			`v1.0.0 of package "redis" must not have the same precedence: remove one`,
		"  packages: [{name: redis, versions: [{version: v1.0.0, digest: x}]}]": "versions[0].digest: must be sha256: and 64",
		version("released: soon"): "released: must be a day",
		version("yanked: ''"):     "yanked: must give the reason, or be left out",
		version("crds: [{group: g, kind: K, plural: ks, scope: Node}]"): `scope: must be Cluster or Namespaced, not "Node"`,
		version("crds: [{group: g, kind: K}]"):                          "plural: must be set",
		version("dependsOn: [{}]"):                                      "dependsOn[0]: must have one of package and crd",
		version("dependsOn: [{package: a, crd: b.c}]"):                  "dependsOn[0]: must have one of package and crd",
		version("dependsOn: [{package: 'a:b'}]"):                        "package: must be an image repository without a tag",
		version("dependsOn: [{crd: b}]"):                                "crd: must be PLURAL.GROUP/VERSION",
		version("dependsOn: [{crd: b.c/v1, version: v1}]"):              "version: must not be set beside crd",
		version("yankd: x"):                                             `unknown key "yankd"`,
	} {
		_, results := resolve.ReadCatalogDocument(packageDocument(t, "Catalog", spec))
		var all []string
		for _, one := range results {
			all = append(all, one.Field.Path+": "+one.Message)
		}
		assert.Contains(t, strings.Join(all, "\n"), want, spec)
	}
}

// Errors of a package leave plugins as they are, and the other way round.
func TestBadPackagesLeavePluginsAlone(t *testing.T) {
	t.Parallel()
	catalog := packageDocument(t, "Catalog", fmt.Sprintf("  plugins: [{name: hello-db, versions: [{version: 1.0.0, digest: %q}]}]\n"+
		"  packages: [{name: redis, versions: [{version: v1.0.0, digest: %q, yankd: x}]}]", digestOfPackage, digestOfPackage))
	choice, err := resolve.NewCatalog([]*krm.Item{catalog}).Choose("hello-db")
	require.NoError(t, err)
	assert.Equal(t, "hello-db@1.0.0", choice.Pin())
	for path, want := range map[krm.Path]string{
		"spec.packages[1].versions[2].yankd": "spec.packages[1].versions[2]", "spec.packages[1].colour": "spec.packages[1]",
		"spec.priority": "", "spec.plugins[0].versions[0].digest": "none", "spec.packages[0].versions[0].released": "none",
	} {
		at, decides := resolve.Unreliable(path, "packages")
		assert.Equal(t, want != "none", decides, path)
		if decides {
			assert.Equal(t, krm.Path(want), at)
		}
	}
}

func TestBadPackagesOfLocks(t *testing.T) {
	t.Parallel()
	for spec, want := range map[string]string{
		"  packages: [{version: v1.0.0}]":              "spec.packages[0].name: must be set",
		"  packages: [{name: 'a:b', version: v1.0.0}]": "spec.packages[0].name: must be an image repository without a tag",
		"  packages: [{name: a}]":                      "spec.packages[0]: must have a version, a digest, or both",
		"  packages: [{name: a, digest: x}]":           "spec.packages[0].digest: must be sha256:",
		"  packages: [{name: a, version: v1.0.0}, {name: docker.io/library/a, version: v1.1.0}]":    `spec.packages[1].name: package "docker.io/library/a" must be locked once`,
		"  packages: [{name: a, version: v1.0.0, requirers: [{constraint: x}]}]":                    "requirers[0].by: must be set",
		"  packages: [{name: a, version: v1.0.0, requirers: [{by: x, constraint: y, because: z}]}]": `unknown key "because"`,
	} {
		var all []string
		for _, one := range resolve.CheckLock(packageDocument(t, "PluginLock", spec)) {
			all = append(all, one.Field.Path+": "+one.Message)
		}
		assert.Contains(t, strings.Join(all, "\n"), want, spec)
	}
	locks := resolve.NewPackageLocks([]*krm.Item{
		packageDocument(t, "PluginLock", "  packages: [{name: a, version: v1.0.0}]"),
		packageDocument(t, "PluginLock", "  packages: [{name: a, version: v1.1.0}]"),
	})
	require.False(t, locks.Valid())
	assert.Contains(t, locks.Problems()[0].Message, `package "a" must be locked to one version: "c" has v1.0.0`)
}

// A lock that gets packages keeps its plugins, with their comments, and the other way round.
func TestLocksKeepWhatIsNotTheirs(t *testing.T) {
	t.Parallel()
	text := "apiVersion: resourceplugins.dev/v1alpha1\nkind: PluginLock\nmetadata:\n  name: l\nspec:\n  plugins:\n" +
		"  - asked: a-b # why\n    chosen: a-b@1.0.0\n    digest: " + digestOfPackage + "\n"
	item, err := krm.NewItem([]byte(text))
	require.NoError(t, err)
	list := krm.NewList(item)
	locks := resolve.NewPackageLocks(list.Items())
	entries := locks.Entries()
	require.Empty(t, entries)
	locked := packageDocument(t, "PluginLock", "  packages: [{name: z, version: v1.0.0}, {name: a, version: v2.0.0}]")
	require.NoError(t, locks.Write(list, resolve.NewPackageLocks([]*krm.Item{locked}).Entries(), false))
	got, err := item.Bytes()
	require.NoError(t, err)
	assert.Equal(t, text+"  packages:\n  - name: a\n    version: v2.0.0\n  - name: z\n    version: v1.0.0\n", string(got))
	require.NoError(t, resolve.NewPackageLocks(list.Items()).Write(list, nil, false))
	got, err = item.Bytes()
	require.NoError(t, err)
	assert.Equal(t, text, string(got))
}
