package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

const valid = `
apiVersion: resourceplugins.dev/v1alpha1
kind: ResourcePlugin
metadata: {name: p@1.0.0}
spec:
  runner:
    {image: busybox, namespace: ns,
     podTemplateOverlay: "spec: {volumes: [{name: v}], containers: [{name: main, volumeMounts: [{name: v, mountPath: /vol}]}]}"}
  create:
  - name: one
    script: "#!/bin/sh"
    inputs: [{name: a, valueFromSandbox: true, as: {env: A, path: /etc/a}}, {name: b, valueFromSandbox: true}]
    outputs: [{name: o, valueFromPath: /tmp/o}]
  - name: two
    inputs: [{name: i, valueFromStep: {name: one, output: o}}]
`

func TestPluginsThatMustNotBeRendered(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ old, new, path, want string }{
		{"namespace: ns", "namespace: a.b", "spec.runner.namespace", "must hold lower-case letters"},
		{"namespace: ns", `namespace: "a\nb"`, "spec.runner.namespace", "must hold lower-case letters"},
		{"{name: one, output: o}", "{name: none, output: o}", "spec.create[1].inputs[0].valueFromStep", "unknown step"},
		{"{name: one, output: o}", "{name: one, output: p}", "spec.create[1].inputs[0].valueFromStep", "unknown output"},
		{"{name: b, valueFromSandbox: true}", "{name: b, valueFromStep: {name: two, output: x}}",
			"spec.create[0].inputs[1].valueFromStep", "unknown output"},
		{"name: two", "name: one", "spec.create[1].name", `no other step has, not "one"`},
		{"name: two", "name: ../two", "spec.create[1].name", "must start with a letter"},
		{"{name: b, valueFromSandbox: true}", "{name: b}", "spec.create[0].inputs[1]", "exactly one of"},
		{"{name: b, valueFromSandbox: true}", "{name: a, valueFromSandbox: true, as: {env: X}}",
			"spec.create[0].inputs[1].name", "no other input"},
		{"{name: b, ", "{name: b, as: {env: A}, ", "spec.create[0].inputs[1]",
			`its own variable, not "A"`},
		{"{name: b, ", "{name: b, as: {env: A=B}, ", "spec.create[0].inputs[1]", "variable must hold letters"},
		{"path: /etc/a", "path: etc/a", "spec.create[0].inputs[0].as.path", "absolute path"},
		{"path: /etc/a", "path: /etc/../a", "spec.create[0].inputs[0].as.path", "must not hold .."},
		{"path: /etc/a", "path: /", "spec.create[0].inputs[0].as.path", "must name a file"},
		{"path: /etc/a", "path: '/a:b'", "spec.create[0].inputs[0].as.path", "a colon"},
		{"path: /etc/a", `path: "/a\nb"`, "spec.create[0].inputs[0].as.path", "control characters"},
		{"path: /etc/a", "path: /var/run/resourceplugins/io/runner", "spec.create[0].inputs[0].as.path", "mounted there"},
		{"path: /etc/a", "path: /run/resourceplugins/script", "spec.create[0].inputs[0].as.path", "mounted there"},
		{"path: /etc/a", "path: /var/run", "spec.create[0].inputs[0].as.path", "mounted there"},
		{"path: /etc/a", "path: /var/run/secrets/kubernetes.io/serviceaccount/token",
			"spec.create[0].inputs[0].as.path", "mounted there"},
		{"path: /etc/a", "path: /run/secrets", "spec.create[0].inputs[0].as.path", "mounted there"},
		{"path: /etc/a", "path: //vol", "spec.create[0].inputs[0].as.path", "the overlay mounts"},
		{"{name: b, ", "{name: b, as: {path: /etc/a}, ", "spec.create[0].inputs[1].as.path", "another input"},
		{"/tmp/o", "tmp/o", "spec.create[0].outputs[0].valueFromPath", "absolute path"},
		{"[{name: o,", "[{name: o, valueFromPath: /x}, {name: o,", "spec.create[0].outputs[1].name", "no other output"},
		{"[{name: o,", "[{name: '../o', valueFromPath: /x}, {name: o,", "spec.create[0].outputs[0].name", "must start with a letter"},
		{`"#!/bin/sh"`, `"` + strings.Repeat("x", 1<<20) + `"`, "spec.create[0].script", "must have at most 1048573 bytes"},
		{"{name: main,", "{name: main, imag: x,", "spec.runner.podTemplateOverlay",
			`line 1: spec.containers[0].imag: unknown key "imag"`},
		{`"spec: {`, `"metadata: {namespace: other}\nspec: {`, "spec.runner.podTemplateOverlay", "must not be"},
	} {
		p := parse(t, strings.Replace(valid, c.old, c.new, 1))
		compiled, problems := compile(p, v1alpha1.PhaseCreate, DefaultOptions(), variant{})
		require.Nil(t, compiled, c.new)
		require.NotEmpty(t, problems, c.new)
		var all []string
		for _, p := range problems {
			all = append(all, string(p.Path)+": "+p.Message)
		}
		assert.Condition(t, func() bool {
			for _, p := range problems {
				if string(p.Path) == c.path && strings.Contains(p.Message, c.want) && p.Severity == strictyaml.SeverityError {
					return true
				}
			}
			return false
		}, "%s: %s\nin %s", c.path, c.want, strings.Join(all, "\n"))
	}
	compiled, problems := compile(parse(t, valid), v1alpha1.PhaseCreate, DefaultOptions(), variant{})
	require.NotNil(t, compiled, "%v", problems)
	require.Empty(t, problems)
}

func TestCyclesAndTooManyProducers(t *testing.T) {
	t.Parallel()
	p := parse(t, valid)
	p.Spec.Create[0].Inputs = append(p.Spec.Create[0].Inputs,
		v1alpha1.Input{Name: "c", ValueFromStep: &v1alpha1.StepOutput{Name: "two", Output: "z"}})
	p.Spec.Create[1].Outputs = []v1alpha1.Output{{Name: "z", ValueFromPath: "/z"}}
	_, problems := compile(p, v1alpha1.PhaseDelete, DefaultOptions(), variant{})
	require.Len(t, problems, 1)
	assert.Equal(t, "steps must not wait for each other: one → two → one", problems[0].Message)

	p = parse(t, valid)
	last := v1alpha1.Step{Name: "last"}
	for i := range 17 {
		name := fmt.Sprintf("s%d", i)
		p.Spec.Create = append(p.Spec.Create, v1alpha1.Step{Name: name, Outputs: []v1alpha1.Output{{Name: "o", ValueFromPath: "/o"}}})
		last.Inputs = append(last.Inputs, v1alpha1.Input{Name: name, ValueFromStep: &v1alpha1.StepOutput{Name: name, Output: "o"}})
	}
	p.Spec.Create = append(p.Spec.Create, last)
	_, problems = compile(p, v1alpha1.PhaseCreate, DefaultOptions(), variant{})
	require.Len(t, problems, 1)
	assert.Equal(t, "must read outputs of at most 16 steps, not 17", problems[0].Message)
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	p := parse(t, valid)
	p.Spec.Runner.PodTemplateOverlay = "spec: {automountServiceAccountToken: true, containers: [" +
		"{name: main, command: [x], env: [" +
		"{name: B, value: x}, {name: SIGNADOT_SANDBOX_ID, value: x}, {name: C, value: $(B)}]}]}"
	compiled, problems := compile(p, v1alpha1.PhaseCreate, DefaultOptions(), variant{})
	require.NotNil(t, compiled)
	var messages []string
	for _, p := range problems {
		assert.Equal(t, strictyaml.SeverityWarning, p.Severity)
		messages = append(messages, p.Message)
	}
	all := strings.Join(messages, "\n")
	assert.Contains(t, all, "line 1: spec.containers[0].command: is replaced")
	assert.Contains(t, all, `variable "B" of the overlay is not used: step "one" sets it`)
	assert.Contains(t, all, `variable "SIGNADOT_SANDBOX_ID" of the overlay is not used: step "two" sets it`)
	assert.Contains(t, all, "automountServiceAccountToken of the overlay is not used")
	objects, problems := compiled.render(&testRequest)
	require.Empty(t, problems)
	for _, object := range objects {
		checkObject(t, object)
	}
}

func TestLimitsOfParams(t *testing.T) {
	t.Parallel()
	kilobytes := func(n int) string { return strings.Repeat("x", n<<10) }
	for name, c := range map[string]struct {
		folder string
		params map[string]string
		path   krm.Path
		want   string
	}{
		"a variable": {"hello", map[string]string{"dbname": kilobytes(128)}, "params.dbname",
			"must have at most 131064 bytes to be a variable, not 131072"},
		"NUL": {"hello", map[string]string{"dbname": "a\x00b"}, "params.dbname", "must not hold a NUL"},
		"a file": {"files", map[string]string{"config": kilobytes(1024)}, "params",
			"must have at most 1048576 bytes together as files"},
		"nearly a file":     {"files", map[string]string{"config": kilobytes(1023)}, "", ""},
		"nearly a variable": {"hello", map[string]string{"dbname": kilobytes(128)[:131064]}, "", ""},
	} {
		r := testRequest
		r.Params = c.params
		compiled, _ := compile(read(t, c.folder), v1alpha1.PhaseCreate, DefaultOptions(), variant{})
		objects, problems := compiled.render(&r)
		if c.want == "" {
			assert.Empty(t, problems, name)
			assert.NotEmpty(t, objects, name)
			continue
		}
		require.Len(t, problems, 1, name)
		assert.Nil(t, objects)
		assert.Equal(t, c.path, problems[0].Path, name)
		assert.Contains(t, problems[0].Message, c.want, name)
	}
}

func TestLimitsOfTheWhole(t *testing.T) {
	t.Parallel()
	p := parse(t, valid)
	r := testRequest
	r.Params = map[string]string{}
	p.Spec.Create[0].Inputs = nil
	for i := range 12 {
		name := fmt.Sprintf("p%d", i)
		p.Spec.Create[0].Inputs = append(p.Spec.Create[0].Inputs, v1alpha1.Input{Name: name, ValueFromSandbox: true})
		r.Params[name] = strings.Repeat("x", 100_000)
	}
	compiled, _ := compile(p, v1alpha1.PhaseCreate, DefaultOptions(), variant{})
	_, problems := compiled.render(&r)
	require.Len(t, problems, 1)
	assert.Contains(t, problems[0].Message, `together as variables of step "one"`)

	p = parse(t, valid)
	p.Spec.Runner.PodTemplateOverlay = "metadata: {annotations: {a: " + strings.Repeat("x", 256<<10) + "}}"
	compiled, _ = compile(p, v1alpha1.PhaseCreate, DefaultOptions(), variant{})
	_, problems = compiled.render(&testRequest)
	require.NotEmpty(t, problems)
	assert.Contains(t, problems[0].Message, "must have annotations of at most 262144 bytes")
}

func TestScriptsAreSplitWhereTheyDoNotFit(t *testing.T) {
	t.Parallel()
	p := parse(t, valid)
	p.Spec.Create[0].Script = strings.Repeat("x", 700<<10)
	p.Spec.Create[1].Script = strings.Repeat("y", 700<<10)
	p.Spec.Runner.PodTemplateOverlay = ""
	compiled, problems := compile(p, v1alpha1.PhaseCreate, DefaultOptions(), variant{})
	require.NotNil(t, compiled, "%v", problems)
	shared := compiled.scripts
	require.Len(t, shared, 2)
	assert.NotEqual(t, shared[0].GetName(), shared[1].GetName())
	objects, _ := compiled.render(&testRequest)
	for _, object := range objects {
		checkObject(t, object)
	}
}
