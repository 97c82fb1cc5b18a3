package dependency_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
	"github.com/resource-plugins/krm-functions/stacks/dependency"
)

// documents writes requests, each a name and a spec, and packages, each `NAME VERSION FIELDS`, as a list.
func documents(requests, packages []string) string {
	var b strings.Builder
	b.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n")
	for i, spec := range requests {
		kind, version := "StackInstall", "stacks.crossplane.io/v1alpha1"
		if rest, ok := strings.CutPrefix(spec, "Provider "); ok {
			kind, version, spec = "Provider", "pkg.crossplane.io/v1", rest
		}
		fmt.Fprintf(&b, "- {apiVersion: %s, kind: %s, metadata: {name: r%d}, spec: {%s}}\n", version, kind, i, spec)
	}
	b.WriteString("- apiVersion: resourceplugins.dev/v1alpha1\n  kind: Catalog\n  metadata: {name: c}\n  spec:\n    packages:\n")
	last := ""
	for i, text := range packages {
		parts := append(strings.SplitN(text, " ", 3), "")
		if parts[0] != last {
			fmt.Fprintf(&b, "    - name: %s\n      versions:\n", parts[0])
			last = parts[0]
		}
		fmt.Fprintf(&b, "      - {version: %s, digest: \"sha256:%064x\", %s}\n", parts[1], i, parts[2])
	}
	return b.String()
}

func findings(t *testing.T, text string, options resolve.Options) (dependency.Resolution, []string) {
	t.Helper()
	list, err := krm.Parse([]byte(text))
	require.NoError(t, err)
	resolution, err := dependency.Resolve(list, options)
	require.NoError(t, err)
	var lines []string
	for _, one := range list.Results() {
		name, path := "", ""
		if one.ResourceRef != nil {
			name = one.ResourceRef.Name
		}
		if one.Field != nil {
			path = one.Field.Path
		}
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s: %s", name, path, one.Message)))
	}
	return resolution, lines
}

const owns = "crds: [{group: g.org, kind: K, plural: redises, versions: [v1]}]"

func needs(name, constraint string) string {
	return fmt.Sprintf("dependsOn: [{package: %s, version: %q}]", name, constraint)
}

// Each unresolved request has an error that explains the reason, and the others are resolved.
func TestMessages(t *testing.T) {
	t.Parallel()
	redis := []string{"redis v1.1.0 " + owns, "redis v1.0.0 " + owns}
	for _, c := range []struct {
		name               string
		requests, packages []string
		want               []string
		resolved           int
	}{
		{
			"a package that there is not", []string{"package: redis", "package: rediss"}, redis,
			[]string{`r1 spec.package: package "rediss" is unknown: did you mean "redis"? there is "redis"`}, 1,
		},
		{
			"no package at all", []string{"package: redis"}, nil,
			[]string{`r0 spec.package: package "redis" is unknown, since there is no package at all: add a Catalog that lists it, ` +
				`or have import-plugin read it`}, 0,
		},
		{
			"no version", []string{`package: "redis:^2"`}, redis,
			[]string{`r0 spec.package: package "redis" has no version for "^2": there are v1.1.0, v1.0.0`}, 0,
		},
		{
			"a prerelease", []string{`package: "redis:^2"`, `package: "redis"`}, []string{"redis v2.0.0-rc.1"},
			[]string{
				`r0 spec.package: package "redis" has no version for "^2": there is v2.0.0-rc.1; a prerelease is left out unless ` +
					`the range names one, such as ^1.2.0-0`,
				`r1 spec.package: package "redis" has no version: there is v2.0.0-rc.1; a prerelease is left out unless the range ` +
					`names one, such as ^1.2.0-0`,
			}, 0,
		},
		{
			"yanked versions", []string{`package: "redis:^1"`}, []string{"redis v1.0.0 yanked: it leaks"},
			[]string{`r0 spec.package: package "redis" has no version for "^1" that is not yanked: v1.0.0 is yanked ("it leaks")`}, 0,
		},
		{
			"another kind", []string{"Provider package: redis"}, []string{"redis v1.0.0 kind: Function"},
			[]string{`r0 spec.package: package "redis" must be a Provider, not a Function`}, 0,
		},
		{
			"a reference that is none", []string{"package: Redis", `package: "redis:^^"`, "crd: redis", "{}", "package: a, crd: b.c",
				"package: [a]"}, redis,
			[]string{
				`r0 spec.package: must be an image repository in lower case, such as registry.example.org/acme/redis, not "Redis"`,
				`r1 spec.package: version "^^" must be a tag such as v1.0.0, or a range such as ^1.2`,
				`r2 spec.crd: must be PLURAL.GROUP/VERSION or *.GROUP/VERSION, such as ` +
					`redisclusters.cache.crossplane.io/v1alpha1, not "redis"`,
				"r3 spec: must have one of package and crd",
				"r4 spec: must have one of package and crd, not both",
				"r5 spec.package: must be a text",
			}, 0,
		},
		{
			"a CRD that nobody owns", []string{"crd: redisses.g.org/v1", "crd: redises.g.org/v2", `crd: "*.g.org"`}, redis,
			[]string{
				`r0 spec.crd: no package owns CRD "redisses.g.org/v1": did you mean "redises.g.org/v1"? there is "redises.g.org/v1"`,
				`r1 spec.crd: no package owns CRD "redises.g.org/v2": did you mean "redises.g.org/v1"? there is "redises.g.org/v1"`,
			}, 1,
		},
		{
			"a CRD of yanked versions alone", []string{"crd: redises.g.org/v1"}, []string{"redis v1.0.0 yanked: leaks, " + owns},
			[]string{`r0 spec.crd: every version of a package that owns CRD "redises.g.org/v1" is yanked: ask for a version by its name`},
			0,
		},
		{
			"a CRD of two packages", []string{"crd: redises.g.org/v1"}, []string{"redis v1.0.0 " + owns, "other v1.0.0 " + owns},
			[]string{`r0 spec.crd: CRD "redises.g.org/v1" must be owned by one package, not by "other" and "redis": ask for one of ` +
				`them by its name as well`}, 0,
		},
		{
			"a CRD of two packages, one of which is asked for", []string{"crd: redises.g.org/v1", "package: redis"},
			[]string{"redis v1.0.0 " + owns, "other v1.0.0 " + owns}, nil, 2,
		},
		{
			"a CRD of two packages, one of which is in the registry", []string{"crd: redises.g.org/v1, source: a.org"},
			[]string{"a.org/redis v1.0.0 " + owns, "b.org/redis v1.0.0 " + owns}, nil, 1,
		},
		{
			"two packages with one CRD", []string{"package: redis", "package: other", "package: third"},
			[]string{"redis v1.0.0 " + owns, "other v1.0.0 " + owns, "third v1.0.0"},
			[]string{`r1 spec.package: CRD "redises.g.org" must be owned by one package, not by "other" (StackInstall r1 asks for ` +
				`any release) and "redis" (StackInstall r0 asks for any release)`}, 2,
		},
		{
			"a conflict, with all who are part of it", []string{`package: "redis:<1.1"`, "package: app", `package: "redis:^1"`},
			append([]string{"app v2.0.0 " + needs("redis", ">=1.1"), "app v1.0.0 " + needs("redis", "=1.1.0")}, redis...),
			[]string{`r1 spec.package: package "redis" must have one version for all who require it: app:v2.0.0 asks for ">=1.1", ` +
				`app:v1.0.0 asks for "=1.1.0", StackInstall r0 asks for "<1.1", StackInstall r2 asks for "^1"; there are v1.1.0, v1.0.0`},
			2,
		},
		{
			"a dependency that there is not", []string{"package: app"},
			[]string{"app v2.0.0 " + needs("none", "^1"), "app v1.0.0 " + needs("none", "^1")},
			[]string{`r0 spec.package: package "none" is unknown: there is "app" (required by app:v2.0.0, app:v1.0.0)`}, 0,
		},
		{
			"a cycle", []string{"package: a", "package: redis"},
			append([]string{"a v1.0.0 " + needs("b", ""), "b v1.0.0 " + needs("c", "^1"), "c v1.0.0 " + needs("b", "")}, redis...),
			[]string{`r0 spec.package: packages must not need each other in a cycle: b:v1.0.0 -> c:v1.0.0 -> b:v1.0.0`}, 1,
		},
		{
			"a dependency that cannot be read", []string{"package: app", "package: redis"},
			append([]string{"app v1.0.0 " + needs("redis", "^^")}, redis...),
			[]string{
				`r0 spec.package: must not need what cannot be relied on: Catalog "c": spec.packages[0].versions[0].dependsOn[0]: ` +
					`version "^^" must be a tag such as v1.0.0, or a range such as ^1.2`,
				`c spec.packages[0].versions[0].dependsOn[0]: version "^^" must be a tag such as v1.0.0, or a range such as ^1.2`,
			}, 1,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			resolution, got := findings(t, documents(c.requests, c.packages), resolve.Options{})
			assert.Equal(t, c.want, got)
			resolved := 0
			for _, one := range resolution.Requests {
				if one.Closure != nil {
					resolved++
				}
			}
			assert.Equal(t, c.resolved, resolved)
		})
	}
}

// In mode locked, a missing lock is reported, and so is a lock that lacks a package.
func TestMessagesOfModeLocked(t *testing.T) {
	t.Parallel()
	locked := resolve.Options{ResolveVersion: v1alpha1.ResolveVersion{Mode: "locked"}}
	text := documents([]string{`package: "redis:^1"`}, []string{"redis v1.1.0", "redis v1.0.0"})
	_, got := findings(t, text, locked)
	assert.Equal(t, []string{": no PluginLock in the input: create one with rplug resolve --write-lock FILE PATH"}, got)
	lock := "- {apiVersion: resourceplugins.dev/v1alpha1, kind: PluginLock, metadata: {name: l}, spec: {packages: [%s]}}\n"
	for entry, want := range map[string]string{
		"":                                `r0 spec.package: package "redis" must be in the lock: run rplug resolve --write-lock FILE PATH`,
		"{name: redis, version: v1.0.0}":  "",
		"{name: redis, version: v1.0.1}":  `r0 spec.package: package "redis" has no version v1.0.1 any more, and the lock "l" has it: there are v1.1.0, v1.0.0; restore it, or run mode update`,
		"{name: redis:v1, version: v1.0}": `must be an image repository without a tag or a digest, not "redis:v1"`,
		"{name: redis}":                   "must have a version, a digest, or both",
	} {
		_, got := findings(t, text+fmt.Sprintf(lock, entry), locked)
		if want == "" {
			assert.Empty(t, got)
		} else {
			assert.Contains(t, strings.Join(got, "\n"), want)
		}
	}
	text = documents([]string{`package: "redis:>1.0"`}, []string{"redis v1.1.0", "redis v1.0.0"})
	_, got = findings(t, text+fmt.Sprintf(lock, "{name: redis, version: v1.0.0}"), locked)
	assert.Equal(t, []string{`r0 spec.package: package "redis" must be what it is locked to (v1.0.0), which ">1.0" does not allow: run mode keep`}, got)
}
