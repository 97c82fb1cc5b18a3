package render

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
)

// A step runs again if and only if something that it is made from has changed, or a step that it reads from.
func TestGenerations(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("testdata/postgres/plugin.yaml")
	require.NoError(t, err)
	before := facts(t, string(source), DefaultOptions(), testRequest)
	const every = "provision seed report check"
	for name, c := range map[string]struct {
		old, new    string
		options     func(*Options)
		testRequest func(*request)
		changed     string // the steps with another generation
		renamed     string // the steps whose Job has another name, beside the changed ones
	}{
		"nothing":              {},
		"version":              {old: "postgres@2.1.0", new: "postgres@2.2.0"},
		"description":          {old: "spec:\n  runner:", new: "spec:\n  description: x\n  runner:"},
		"comment in overlay":   {old: "nodeSelector:", new: "# fast disks\n        nodeSelector:"},
		"plugin and digest":    {testRequest: func(r *request) { r.Plugin, r.Digest = "other@1.0.0", "sha256:1" }},
		"param nobody reads":   {testRequest: func(r *request) { r.Params["unused"] = "y" }},
		"param":                {testRequest: func(r *request) { r.Params["size"] = "9" }, changed: every},
		"sandbox id":           {testRequest: func(r *request) { r.SandboxID = "a" }, changed: every},
		"resource":             {testRequest: func(r *request) { r.Resource = "b" }, changed: every},
		"image":                {old: "postgres:17", new: "postgres:18", changed: every},
		"overlay":              {old: "disk: ssd", new: "disk: hdd", changed: every},
		"first script":         {old: "createdb", new: "createdb -e", changed: every},
		"last script":          {old: `test "$SEED`, new: `test  "$SEED`, changed: "check"},
		"middle script":        {old: "echo 1", new: "echo 2", changed: "report check"},
		"output's path":        {old: "valueFromPath: /tmp/rows", new: "valueFromPath: /tmp/r", changed: "report check"},
		"input's variable":     {old: "env: DB_USER", new: "env: DBUSER", changed: "check"},
		"script of the delete": {old: "dropdb", new: "dropdb -e"},
		"helper image":         {options: func(o *Options) { o.HelperImage = "x" }, renamed: every},
		"deadline":             {options: func(o *Options) { o.StepTimeoutSeconds = 5 }, renamed: every},
	} {
		r := testRequest
		r.Params = map[string]string{"size": "3"}
		if c.testRequest != nil {
			c.testRequest(&r)
		}
		options := DefaultOptions()
		if c.options != nil {
			c.options(&options)
		}
		after := facts(t, strings.Replace(string(source), c.old, c.new, 1), options, r)
		for _, step := range []string{"provision", "seed", "report", "check"} {
			changed := strings.Contains(c.changed, step)
			assert.Equal(t, changed, before[step].generation != after[step].generation, "%s: %s's generation", name, step)
			renamed := changed || strings.Contains(c.renamed, step)
			assert.Equal(t, renamed, before[step].name != after[step].name, "%s: name of %s's Job", name, step)
		}
	}
}

type stepFacts struct{ generation, name string }

func facts(t *testing.T, source string, options Options, r request) map[string]stepFacts {
	t.Helper()
	found := map[string]stepFacts{}
	for _, object := range rendered(t, parse(t, source), v1alpha1.PhaseCreate, options, r) {
		if object.kind == "Job" {
			annotations := object.GetAnnotations()
			found[annotations[contract.StepKey]] = stepFacts{annotations[contract.GenerationKey], object.GetName()}
		}
	}
	return found
}

// The Secret of a step has one name for good; only who may publish there changes.
func TestSecretsKeepTheirNames(t *testing.T) {
	t.Parallel()
	names := func(p *document.Plugin, phase v1alpha1.Phase, r request) (names []string) {
		for _, object := range rendered(t, p, phase, DefaultOptions(), r) {
			if object.kind == "Secret" && object.phase == v1alpha1.PhaseCreate {
				names = append(names, object.GetName())
			}
		}
		return names
	}
	source, err := os.ReadFile("testdata/postgres/plugin.yaml")
	require.NoError(t, err)
	want := names(parse(t, string(source)), v1alpha1.PhaseCreate, testRequest)
	require.Len(t, want, 4)
	changed := strings.NewReplacer("@2.1.0", "@3.0.0", "postgres:17", "postgres:18", "createdb", "x").Replace(string(source))
	r := testRequest
	r.Params = nil
	assert.Equal(t, want, names(parse(t, changed), v1alpha1.PhaseCreate, r))
	assert.Equal(t, want, names(parse(t, changed), v1alpha1.PhaseDelete, r), "the delete phase keeps what create steps published")
}

// Generations are hashes of the overlay as it is written: amounts that are not canonical, empty values and characters that
// JSON printers disagree on must never give another one, or every published step would run again.
func TestGenerationsStay(t *testing.T) {
	t.Parallel()
	r := testRequest
	r.Sandbox, r.SandboxID, r.Resource, r.Params = "s", contract.DeriveSandboxID("c", "s"), "db", map[string]string{"a": "b"}
	for _, object := range rendered(t, read(t, "written"), v1alpha1.PhaseCreate, DefaultOptions(), r) {
		if generation, ok := object.GetAnnotations()[contract.GenerationKey]; ok {
			assert.Equal(t, "3mgwkg23izfe", generation)
		}
	}
}

// A routing key that an annotation gives is in a step's outputs, so it is in the generation; the derived one never changes.
func TestOnlyAnOwnRoutingKeyIsInTheGeneration(t *testing.T) {
	t.Parallel()
	derived, other, own := testRequest, testRequest, testRequest
	other.RoutingKey = "another"
	own.OwnKey = true
	generation := func(of request) string {
		objects := rendered(t, read(t, "hello"), v1alpha1.PhaseCreate, DefaultOptions(), of)
		return objects[len(objects)-1].GetAnnotations()[contract.GenerationKey]
	}
	assert.Equal(t, generation(derived), generation(other))
	assert.NotEqual(t, generation(derived), generation(own))
}

// Generations, for other renderers, are those of the rendered Secrets, whatever the options.
func TestGenerationsAreThoseOfTheSecrets(t *testing.T) {
	t.Parallel()
	p := read(t, "postgres")
	for _, r := range []request{testRequest, {
		Sandbox: "s", SandboxID: "id", Resource: "r", Params: map[string]string{"size": "9"}, RoutingKey: "mine", OwnKey: true,
	}} {
		inputs := GenerationInputs{SandboxID: r.SandboxID, Resource: r.Resource, Params: r.Params}
		if r.OwnKey {
			inputs.RoutingKey = r.RoutingKey
		}
		got := NewGenerations(&p.Spec).Of(inputs)
		options := DefaultOptions()
		options.HelperImage = "x"
		for _, object := range rendered(t, p, v1alpha1.PhaseCreate, options, r) {
			if object.kind == "Job" && object.GetAnnotations()[contract.StepKey] != "" {
				assert.Equal(t, object.GetAnnotations()[contract.GenerationKey], got[object.GetAnnotations()[contract.StepKey]])
			}
		}
		assert.Len(t, got, len(p.Spec.Create))
	}
	p.Spec.Create[1].Inputs = append(p.Spec.Create[1].Inputs, v1alpha1.Input{
		Name: "x", ValueFromStep: &v1alpha1.StepOutput{Name: "report", Output: "rows"},
	})
	assert.Empty(t, NewGenerations(&p.Spec).Of(GenerationInputs{}), "steps that wait for each other have none")
}

// A fork in the namespace of the steps adds no object: the step's Secret has the outputs that the fork reads under a
// second key.
func TestForksBesideTheSteps(t *testing.T) {
	t.Parallel()
	p := read(t, "postgres")
	forked := used("databases", "provision", "user")
	without := rendered(t, p, v1alpha1.PhaseCreate, DefaultOptions(), testRequest)
	with := rendered(t, p, v1alpha1.PhaseCreate, DefaultOptions(), forked)
	require.Len(t, with, len(without))
	const flag = `{"name":"user","path":"/tmp/user","workloads":true}`
	changed := 0
	for i := range with {
		if text := string(printed(with[i : i+1])); text != string(printed(without[i:i+1])) {
			changed++
			assert.Contains(t, []string{"Job", "Role"}, with[i].kind)
		}
	}
	assert.Contains(t, string(printed(with)), flag)
	assert.Equal(t, 5, changed, "the step's Job, and what names it")
	assert.Equal(t, string(printed(rendered(t, p, v1alpha1.PhaseDelete, DefaultOptions(), testRequest))),
		string(printed(rendered(t, p, v1alpha1.PhaseDelete, DefaultOptions(), forked))))
}
