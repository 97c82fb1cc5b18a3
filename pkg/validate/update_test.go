package validate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// absent marks a sandbox for teardown.
const absent = "metadata.annotations: {resourceplugins.dev/state: absent}"

func listOf(nodes []*yaml.Node) *krm.ResourceList {
	list := krm.NewList()
	for _, node := range nodes {
		list.Append(krm.FromNode(node, ""))
	}
	return list
}

func update(t *testing.T, base validate.Base, after ...*yaml.Node) []string {
	t.Helper()
	results, err := validate.CheckUpdate(listOf(after), base, validate.Options{})
	require.NoError(t, err)
	var all []string
	for _, r := range results {
		require.NotNil(t, r.Field)
		all = append(all, strings.Join([]string{string(r.Severity), r.Tags["rule"], r.Field.Path + ":", r.Message}, " "))
	}
	return all
}

func docs(nodes ...*yaml.Node) []*yaml.Node { return nodes }

// Each rule's example, as a change to a valid document, violates that rule and no other.
func TestExamplesBreakTheRulesOfUpdates(t *testing.T) {
	t.Parallel()
	tried := 0
	for _, r := range allRules() {
		if !r.ComparesStates() {
			continue
		}
		tried++
		before := docs(edited(t, aPlugin), edited(t, aSandbox))
		after := docs(edited(t, aPlugin), edited(t, aSandbox))
		at := map[string]int{contract.ResourcePlugin: 0, contract.Sandbox: 1}[r.Kinds[0]]
		require.Len(t, r.Kinds, 1, r.ID)
		apply(t, after[at], r.Example)
		got := update(t, validate.Base{List: listOf(before)}, after...)
		require.NotEmpty(t, got, r.ID)
		for _, line := range got {
			assert.True(t, strings.HasPrefix(line, string(r.Severity)+" "+r.ID+" "), "%s: %s", r.ID, line)
		}
	}
	assert.Equal(t, 5, tried)
}

func TestAnUnchangedStateHasNoFindings(t *testing.T) {
	t.Parallel()
	before := docs(edited(t, aPlugin), edited(t, aSandbox), edited(t, aRouteGroup))
	assert.Empty(t, update(t, validate.Base{List: listOf(before)}, edited(t, aRouteGroup), edited(t, aSandbox), edited(t, aPlugin)))
	assert.Empty(t, update(t, validate.Base{List: krm.NewList()}, before...))
}

func TestPublishedVersionsAreImmutable(t *testing.T) {
	t.Parallel()
	const versioned = `error immutable-version metadata.name: resource plugin "hello-db" version "1.0.0" already exists; ` +
		`versions are immutable — bump the @<semver> suffix on name: to publish a new revision`
	const bare = `error immutable-version metadata.name: resource plugin "hello-db" default version (0.0.0) already exists; ` +
		`versions are immutable — add an @<semver> suffix to publish a new revision (e.g. hello-db@0.0.1)`
	cases := []struct{ before, after, want string }{
		{"", "spec.description: other", versioned},
		{"", "-spec.delete", versioned},
		{"metadata.name: hello-db@v1", "spec.runner.image: other", versioned}, // one version in two spellings
		{"metadata.name: hello-db", "metadata.name: hello-db\nspec.description: other", bare},
		{"metadata.name: hello-db", "metadata.name: hello-db@0.0.0\nspec.description: other", bare},
		{"", "metadata.name: hello-db@1.0.1\nspec.description: other", ""}, // a new version
		{"", "metadata.labels: {a: b}", ""},                                // not part of the published content
		{"", "metadata.name: hello-db@v1.0", ""},
		{"spec.description: ''", "-spec.description", ""}, // both mean that it is not set
		{"metadata.name: hello_db", "metadata.name: hello_db\nspec.description: other", ""},
	}
	for _, c := range cases {
		before := docs(edited(t, aPlugin, c.before))
		got := update(t, validate.Base{List: listOf(before)}, edited(t, aPlugin, c.after))
		assert.Equal(t, c.want, strings.Join(got, "\n"), "%s -> %s", c.before, c.after)
	}
}

func TestVersionsThatSandboxesHaveStay(t *testing.T) {
	t.Parallel()
	before := docs(edited(t, aPlugin), edited(t, aPlugin, "metadata.name: hello-db@1.1.0"),
		edited(t, aPlugin, "metadata.name: hello-db"))
	uses := func(name, reference string) *yaml.Node {
		return edited(t, aSandbox, "metadata.name: "+name, "spec.resources[0].plugin: "+reference)
	}
	const removed = "error version-in-use metadata.name: resource plugin "
	cases := map[string]struct {
		after []*yaml.Node
		want  []string
	}{
		"nobody": {docs(uses("a", "other@1.0.0")), nil},
		"pins": {docs(uses("b", "hello-db@1"), uses("a", "hello-db@1.0.0"), before[1], before[2]),
			[]string{removed + "hello-db@1.0.0 is still referenced by sandbox(es): a, b"}},
		"the default version": {docs(uses("a", "hello-db@0.0.0"), before[0], before[1]),
			[]string{removed + "hello-db is still referenced by sandbox(es): a"}},
		"a range that another version does for": {docs(uses("a", "hello-db@^1"), before[1]), nil},
		"a range that nothing does for": {docs(uses("a", "hello-db@~1.1"), before[0]),
			[]string{removed + "hello-db@1.1.0 is still referenced by sandbox(es): a"}},
		"the latest": {docs(uses("a", "hello-db"), before[2]), nil},
		"a torn down one's too": {docs(edited(t, aSandbox, absent), before[1], before[2]),
			[]string{removed + "hello-db@1.0.0 is still referenced by sandbox(es): feature-x"}},
	}
	for name, c := range cases {
		assert.Equal(t, c.want, update(t, validate.Base{List: listOf(before)}, c.after...), name)
		assert.Empty(t, update(t, validate.Base{List: listOf(before), Partial: true}, c.after...), name)
		assert.Empty(t, update(t, validate.Base{List: listOf(before), Today: listOf(before)}), name)
		assert.Equal(t, c.want, update(t, validate.Base{List: listOf(before), Today: listOf(docs(edited(t, aSandbox, "spec.cluster: c")))},
			c.after...), name)
	}
}

func TestSandboxesKeepWhatIsImmutable(t *testing.T) {
	t.Parallel()
	const fresh = ": it is immutable; make another sandbox for it"
	const samePlugin = `spec.resources[0].plugin: plugin of resource "db" must stay "hello-db@1.0"` + fresh
	must := map[string]string{
		"spec.cluster: other":               `spec.cluster: cluster must stay "staging"` + fresh,
		"spec.description: other":           `spec.description: description must stay "feature x"` + fresh,
		"-spec.virtual":                     `spec.virtual: virtual must stay as it was` + fresh,
		"spec.routing.forwards[0].port: 81": `spec.routing: routing must stay as it was` + fresh,
		"spec.connection: {devboxId: a}":    `spec.connection: connection must stay as it was` + fresh,
		"spec.disableSandboxTrafficManager: true": "spec.disableSandboxTrafficManager: " +
			"disableSandboxTrafficManager must stay as it was" + fresh,
		"spec.resources[0].plugin: hello-db@2": samePlugin,
		"spec.resources[0].plugin: other@1.0":  samePlugin,
		"spec.resources[0].params: {db-name: x}": "spec.resources[0].params: " +
			`params of resource "db" must stay as they were` + fresh,
		"spec.resources[2]: {name: q, plugin: q1}": `spec.resources[2]: resource "q" must not be added: ` +
			"resources are immutable; make another sandbox",
		"spec.resources: [{name: cacheDB, plugin: cache}]": `spec.resources: resource "db" must not be removed: resources are ` +
			`immutable, and nothing would run its delete phase; tear the sandbox down and make another one`,
		`spec.labels: {team: shop, signadot/github-repo: example/shop, signadot/github-pull-request: "13"}`: `spec.labels` +
			`["signadot/github-pull-request"]: label "signadot/github-pull-request" must stay "12"` + fresh,
		"spec.forks[0].forkOf.name: other": `spec.forks[0].forkOf: forkOf of fork "web-fork" must stay ` +
			`the Deployment "web" of namespace "shop"` + fresh,
	}
	before := listOf(docs(edited(t, aSandbox)))
	for change, want := range must {
		got := update(t, validate.Base{List: before}, edited(t, aSandbox, change))
		assert.Equal(t, []string{"error immutable-field " + want}, got, change)
		again := docs(edited(t, aSandbox, absent))
		assert.Empty(t, update(t, validate.Base{List: listOf(again)}, edited(t, aSandbox, change)), "a new life: %s", change)
	}
	may := []string{
		"spec.labels.team: other", "-spec.ttl", "spec.ttl.duration: 3d", "spec.endpoints: []",
		"-spec.defaultRouteGroup", "-spec.local",
		"spec.forks[0].customizations.images: []", "-spec.forks[0].customizations", "spec.forks[0].name: renamed",
		"spec.forks[1].forkOf.kind: ArgoRollout", "spec.forks[0].endpoints: []", "metadata.name: FEATURE-X",
		"spec.forks[2]: {forkOf: {kind: Deployment, namespace: shop, name: new}}",
		"spec.resources[0].plugin: hello-db@1.0.0", "spec.resources[0].plugin: hello-db@^1",
		"spec.resources[1].plugin: cache@3.0.0",
		"spec.resources[1].params: {}", absent,
		"spec.resources: [{name: cacheDB, plugin: cache}, {name: db, plugin: hello-db@1.0, params: {db-name: shop}}]",
		"spec.virtual: 3", "spec.resources: 3", "spec.cluster: [a]", // reported by Check
	}
	for _, change := range may {
		assert.Empty(t, update(t, validate.Base{List: before}, edited(t, aSandbox, change)), change)
	}
}

func TestRemovedForksAreDoubtful(t *testing.T) {
	t.Parallel()
	before := listOf(docs(edited(t, aSandbox)))
	got := update(t, validate.Base{List: before}, edited(t, aSandbox, "spec.forks[1].forkOf.name: other"))
	assert.Equal(t, []string{`warning fork-removed spec.forks: the fork of the Rollout "cart" of namespace "shop" is ` +
		`removed: older operators refuse that; if yours does, make another sandbox`}, got)
	assert.Len(t, update(t, validate.Base{List: before}, edited(t, aSandbox, "-spec.forks")), 2)
}

func TestSandboxesGoAfterTheirTeardown(t *testing.T) {
	t.Parallel()
	want := []string{`error teardown-skipped metadata.name: sandbox "feature-x" is removed without its teardown: nothing ` +
		`deletes what its resources made; restore it with the annotation resourceplugins.dev/state: absent, and remove it when ` +
		`its delete phase is done`}
	cases := map[string]struct {
		before string
		after  []*yaml.Node
		want   []string
	}{
		"removed":           {"", nil, want},
		"torn down":         {absent, nil, nil},
		"no resources":      {"-spec.resources", nil, nil},
		"resources unread":  {"spec.resources: 3", nil, want},
		"renamed":           {"", docs(edited(t, aSandbox, "metadata.name: another")), want},
		"another's cluster": {"", docs(edited(t, aSandbox, "spec.cluster: a"), edited(t, aSandbox, "spec.cluster: b")), want},
	}
	for name, c := range cases {
		before := docs(edited(t, aSandbox, c.before))
		assert.Equal(t, c.want, update(t, validate.Base{List: listOf(before)}, c.after...), name)
		assert.Empty(t, update(t, validate.Base{List: listOf(before), Partial: true}, c.after...), name)
	}
}

// If two documents differ only in the values of variables, the message explains that (contract, Identity).
func TestVariablesArePartOfAVersion(t *testing.T) {
	t.Parallel()
	const image = "spec.runner.image"
	cases := map[string]struct {
		before, after string
		then, now     bool // filled in by a variable
		want          bool
	}{
		"both filled in":             {"reg/a:1.0", "reg/a:2.0", true, true, true},
		"one written out":            {"reg/a:1.0", "reg/a:2.0", false, true, true},
		"the other written out":      {"reg/a:1.0", "reg/a:2.0", true, false, true},
		"both written out":           {"reg/a:1.0", "reg/a:2.0", false, false, false},
		"other text around it":       {"reg/b:1.0", "reg/a:2.0", true, true, false},
		"other text, written out":    {"reg/b:1.0", "reg/a:2.0", false, true, false},
		"a shorter text around it":   {"reg", "reg/a:2.0", false, true, false},
		"another field differs, too": {"reg/a:1.0\nspec.description: other", "reg/a:2.0", true, true, false},
	}
	for name, c := range cases {
		before, after := edited(t, aPlugin, image+": "+c.before), edited(t, aPlugin, image+": "+c.after)
		literals := map[*yaml.Node][]string{}
		for _, side := range []struct {
			filled bool
			node   *yaml.Node
		}{{c.then, before}, {c.now, after}} {
			if side.filled {
				value, ok := krm.Path(image).Find(side.node)
				require.True(t, ok)
				literals[value] = []string{value.Value[:len("reg/a:")], value.Value[len("reg/a:1.0"):]}
			}
		}
		got := update(t, validate.Base{
			List:     listOf(docs(before)),
			Literals: func(node *yaml.Node) []string { return literals[node] },
		}, after)
		require.Len(t, got, 1, name)
		assert.Equal(t, c.want, strings.HasSuffix(got[0], "; the documents differ only in what variables gave: "+
			"give --set the values of the published one"), name)
	}
}

func TestLevelsOfUpdates(t *testing.T) {
	t.Parallel()
	options := validate.Options{Strict: true, Rules: map[string]string{"immutable-field": "off"}}
	results, err := validate.CheckUpdate(listOf(docs(edited(t, aSandbox, "-spec.forks", "spec.description: other"))),
		validate.Base{List: listOf(docs(edited(t, aSandbox)))}, options)
	require.NoError(t, err)
	require.Len(t, results, 2)
	assert.Equal(t, krm.Error, results[0].Severity)
	assert.Equal(t, "fork-removed", results[0].Tags["rule"])
}
