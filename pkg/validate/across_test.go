package validate_test

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

func TestDuplicatePlugins(t *testing.T) {
	t.Parallel()
	named := func(names ...string) []*yaml.Node {
		var all []*yaml.Node
		for _, name := range names {
			all = append(all, edited(t, aPlugin, "metadata.name: "+name))
		}
		return all
	}
	distinct := [][]string{
		{"db", "db@1.0.0"}, {"db@1.0.0", "DB@1.0.0"}, {"db@1.0.0-rc.1", "db@1.0.0"}, {"db@1.0.0", "db@1.0.1", "cache@1.0.0"},
		{"db_x", "db_x"}, // neither is a valid name
	}
	for _, names := range distinct {
		for _, line := range check(t, named(names...)...) {
			assert.NotContains(t, line, "duplicate-plugin", "%v", names)
		}
	}
	same := [][]string{
		{"db", "db"}, {"db", "db@0.0.0"}, {"db@1.0.0", "db@v1.0.0"}, {"db@1", "db@1.0"}, {"db@1.0.0", "db@1.0.0+build"},
	}
	for _, names := range same {
		var found []string
		for _, line := range check(t, named(names...)...) {
			if strings.Contains(line, "duplicate-plugin") {
				found = append(found, line)
			}
		}
		want := fmt.Sprintf("error duplicate-plugin metadata.name: %q is given twice: "+
			"%q is the same name and version; bump the version", names[1], names[0])
		assert.Equal(t, []string{want}, found, "%v", names)
	}
	assert.Equal(t, []string{`error duplicate-plugin metadata.name: "db@1.0.0-RC.1" is given twice: "db@1.0.0-rc.1" differs ` +
		"only in case; bump the version"}, check(t, named("db@1.0.0-rc.1", "db@1.0.0-RC.1")...))
}

func TestDuplicateSandboxes(t *testing.T) {
	t.Parallel()
	got := check(t, edited(t, aSandbox), edited(t, aSandbox, "spec.cluster: other"), edited(t, aSandbox, "metadata.name: Feature-X"))
	assert.Equal(t, []string{`error duplicate-sandbox metadata.name: sandbox "Feature-X" is given twice: ` +
		`"feature-x" is the same one in cluster "staging"; rename one of them`}, got)
}

// kpt sends an item twice if selectors overlap, which counts as one document.
func TestOneDocumentSentTwiceIsNoDuplicate(t *testing.T) {
	t.Parallel()
	at := `metadata.annotations: {internal.config.kubernetes.io/path: a.yaml, internal.config.kubernetes.io/index: "1"}`
	other := strings.Replace(at, `"1"`, `"2"`, 1)
	assert.Empty(t, check(t, edited(t, aSandbox, at), edited(t, aSandbox, at)))
	assert.Len(t, check(t, edited(t, aSandbox, at), edited(t, aSandbox, other)), 1)
}

func TestOtherObjectsAreNotLookedAt(t *testing.T) {
	t.Parallel()
	for _, change := range []string{"apiVersion: v1", "apiVersion: example.com/v1", "kind: Catalog", "kind: RenderPhase"} {
		assert.Empty(t, check(t, edited(t, aPlugin, change, "spec: {runner: broken}")), change)
	}
}

func TestDocumentsAreCheckedWhateverTheirLocalConfigSays(t *testing.T) {
	t.Parallel()
	assert.Len(t, check(t, edited(t, aPlugin, `metadata.annotations: {config.kubernetes.io/local-config: "true"}`,
		"spec.runner.image: X")), 1)
}

func TestReportCounts(t *testing.T) {
	t.Parallel()
	list := krm.NewList(krm.FromNode(edited(t, aPlugin), ""), krm.FromNode(edited(t, aSandbox, fed), ""),
		krm.FromNode(edited(t, aSandbox, fed, "metadata.name: other"), ""), krm.FromNode(edited(t, aRouteGroup), ""))
	report, err := validate.Check(list, withoutClock)
	require.NoError(t, err)
	assert.Empty(t, report.Results)
	assert.Equal(t, []validate.Count{
		{N: 1, Noun: "plugin"}, {N: 2, Noun: "sandbox"}, {N: 1, Noun: "route group"},
	}, report.Counts)
}

func TestLevels(t *testing.T) {
	t.Parallel()
	document := edited(t, aPlugin, "metadata.name: db@1", "spec.runner.image: X", "spec.delete[0].script: echo > /tmp/log")
	cases := map[string]struct {
		strict bool
		rules  map[string]string
		want   []string
	}{
		"as they are": {false, nil, []string{"info plugin-version-form", "error image-reference", "warning script-interpreter"}},
		"strict":      {true, nil, []string{"info plugin-version-form", "error image-reference", "error script-interpreter"}},
		"off": {false, map[string]string{"image-reference": "off", "plugin-version-form": "off"},
			[]string{"warning script-interpreter"}},
		"a rule's own level wins over strict": {true, map[string]string{"script-interpreter": "warning"},
			[]string{"info plugin-version-form", "error image-reference", "warning script-interpreter"}},
		"lower and higher": {false, map[string]string{"image-reference": "warning", "plugin-version-form": "error"},
			[]string{"error plugin-version-form", "warning image-reference", "warning script-interpreter"}},
	}
	for name, c := range cases {
		options := validate.Options{Strict: c.strict, Rules: c.rules}
		require.Empty(t, options.Validate())
		var got []string
		for _, line := range lines(t, options, document) {
			got = append(got, strings.Join(strings.Fields(line)[:2], " "))
		}
		assert.ElementsMatch(t, c.want, got, name)
	}
}

func TestLevelsThatCannotBe(t *testing.T) {
	t.Parallel()
	options := validate.Options{Rules: map[string]string{
		"step-name": "fatal", "stepname": "off", "zzz": "off", "script": "error", "script-line-end": "Error",
	}}
	assert.Equal(t, krm.OptionErrors{
		{Option: "rules.script-line-end", Message: `the level of rule "script-line-end" must be "off", "warning" or "error", not "Error"`},
		{Option: "rules.step-name", Message: `the level of rule "step-name" must be "off", "warning" or "error", not "fatal"`},
		{Option: "rules.stepname", Message: `there is no rule "stepname": did you mean "step-name"? validate-plugin --explain lists all`},
		{Option: "rules.zzz", Message: `there is no rule "zzz": validate-plugin --explain lists all`},
	}, options.Validate())
	list := listOf(docs(edited(t, aPlugin)))
	_, err := validate.Check(list, options)
	require.ErrorAs(t, err, &krm.OptionErrors{})
	_, err = validate.CheckUpdate(list, validate.Base{List: list}, options)
	require.ErrorAs(t, err, &krm.OptionErrors{})
}

func TestUnknownRulesProposeNearOnes(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"foo":                    `there is no rule "foo": validate-plugin --explain lists all`,
		"Unknown_Key":            `there is no rule "Unknown_Key": did you mean "unknown-key"? validate-plugin --explain lists all`,
		"routegroup-description": `there is no rule "routegroup-description": did you mean "route-group-description"? validate-plugin --explain lists all`,
		"ttl": `there is no rule "ttl": did you mean "ttl-duration" or "ttl-offset" or "ttl-ignored"? ` +
			`validate-plugin --explain lists all`,
		"template": `rule "template" is about what cannot be read, so it has no level and no exceptions`,
		"":         `there is no rule "": validate-plugin --explain lists all`,
	} {
		assert.Equal(t, want, validate.UnknownRule(id))
	}
	long := strings.Repeat("a-name", 1<<20)
	assert.Equal(t, "there is no rule "+strconv.Quote(long)+": validate-plugin --explain lists all", validate.UnknownRule(long))
}

func TestResultsCarryWhatToolsNeed(t *testing.T) {
	t.Parallel()
	report, err := validate.Check(krm.NewList(
		krm.FromNode(edited(t, aPlugin, "metadata.name: db@v1", "spec.create[0].inputs[0].as~to",
			"spec.delete[0].script: \"#!/bin/sh\\r\\necho > /tmp/log\""), ""),
		krm.FromNode(edited(t, aSandbox, "spec.forks[0].forkOf.kind: deployment", "spec.cluster: ${cluster}",
			`spec.endpoints[0].port: "8080"`), ""),
	), withoutClock)
	require.NoError(t, err)
	byRule := map[string]krm.Result{}
	for _, result := range report.Results {
		byRule[result.Tags["rule"]] = result
		require.NotNil(t, result.ResourceRef)
	}
	require.Len(t, byRule, 7) // including unknown-plugin: the sandbox refers to another one
	fields := map[string]krm.Field{
		"plugin-version-form": {Path: "metadata.name", CurrentValue: "db@v1", ProposedValue: "db@1.0.0"},
		"unknown-key":         {Path: "spec.create[0].inputs[0].to", CurrentValue: "to", ProposedValue: "as"},
		"script-line-end":     {Path: "spec.delete[0].script"}, // scripts are not shown
		"quoted-number":       {Path: "spec.endpoints[0].port", CurrentValue: "8080", ProposedValue: int64(8080)},
		"workload-kind":       {Path: "spec.forks[0].forkOf.kind", CurrentValue: "deployment", ProposedValue: "Deployment"},
		"placeholder":         {Path: "spec.cluster", CurrentValue: "${cluster}", ProposedValue: "@{cluster}"},
	}
	for id, want := range fields {
		assert.Equal(t, want, *byRule[id].Field, id)
	}
}

// The result does not depend on the number of cores. The test changes a setting of the process, so it is not parallel.
func TestOutcomeDoesNotDependOnCores(t *testing.T) {
	documents := func() []*krm.Item {
		var all []*krm.Item
		for i := range 200 {
			change := fmt.Sprintf("metadata.name: s%d", i%150)
			node := edited(t, aSandbox, change, "spec.forks[0].forkOf.kind: X", "spec.resources[1].name: db")
			all = append(all, krm.FromNode(node, ""))
		}
		return all
	}
	var first krm.Results
	for _, cores := range []int{1, 2, 8} {
		before := runtime.GOMAXPROCS(cores)
		report, err := validate.Check(krm.NewList(documents()...), withoutClock)
		runtime.GOMAXPROCS(before)
		require.NoError(t, err)
		if first == nil {
			first = report.Results
			require.Len(t, first, 450)
		}
		assert.Equal(t, first, report.Results)
	}
}
