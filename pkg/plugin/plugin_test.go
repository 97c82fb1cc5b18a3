package plugin_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/pkg/decode"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/plugin"
)

const whole = `apiVersion: resourceplugins.dev/v1alpha1
kind: ResourcePlugin
metadata:
  name: hello-db@1.0.0
spec:
  description: say hello
  runner:
    image: ubuntu
    namespace: tools
    podTemplateOverlay: |
      spec: {serviceAccountName: hello}
  create:
  - name: provision
    inputs:
    - name: db-name
      type: string
      valueFromSandbox: true
      as: {env: DBNAME, path: /in/name}
    script: echo
    outputs:
    - name: host
      type: string
      description: where it is
      valueFromPath: /out/host
  delete:
  - name: drop
    inputs:
    - name: host-name
      valueFromStep: {name: provision, output: host}
`

func item(t *testing.T, text string) *krm.Item {
	t.Helper()
	it, err := krm.NewItem([]byte(text))
	require.NoError(t, err)
	return it
}

func TestReadTakesEveryField(t *testing.T) {
	t.Parallel()
	p, problems := plugin.Read(item(t, whole))
	require.Empty(t, problems)
	assert.Equal(t, "hello-db@1.0.0", p.Name)
	assert.Equal(t, plugin.Spec{
		Description: "say hello",
		Runner: plugin.Runner{
			Image: "ubuntu", Namespace: "tools", PodTemplateOverlay: "spec: {serviceAccountName: hello}\n",
		},
		Create: []plugin.Step{{
			Name: "provision", Script: "echo",
			Inputs: []plugin.Input{{
				Name: "db-name", Type: "string", ValueFromSandbox: true,
				As: &plugin.As{Env: "DBNAME", Path: "/in/name"},
			}},
			Outputs: []plugin.Output{{
				Name: "host", Type: "string", Description: "where it is", ValueFromPath: "/out/host",
			}},
		}},
		Delete: []plugin.Step{{
			Name: "drop",
			Inputs: []plugin.Input{{
				Name: "host-name", ValueFromStep: &plugin.StepOutput{Name: "provision", Output: "host"},
			}},
		}},
	}, p.Spec)
}

func TestReadNamesWhatIsMissingOrOld(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		spec string
		want []string
	}{
		"no spec":   {"", []string{"spec: required"}},
		"null spec": {"spec:", []string{"spec: required"}},
		"a list":    {"spec: []", []string{"spec: type"}},
		"no runner": {"spec: {create: [{name: a}]}", []string{"spec.runner: required"}},
		"no image":  {"spec: {runner: {namespace: x}}", []string{"spec.runner.image: required"}},
		"old overlay": {
			"spec: {runner: {image: a, basePodTemplate: b}}", []string{"spec.runner.basePodTemplate: unknown-key"},
		},
		"a separate version": {"spec: {version: 1.0.0, runner: {image: a}}", []string{"spec.version: unknown-key"}},
		"old input": {
			"spec: {runner: {image: a}, create: [{name: s, inputs: [{name: i, to: {env: I}}]}]}",
			[]string{"spec.create[0].inputs[0].to: unknown-key"},
		},
		"wrong case": {"spec: {Runner: {image: a}, runner: {image: a}}", []string{"spec.Runner: unknown-key"}},
	}
	for name, c := range cases {
		_, problems := plugin.Read(item(t, "metadata: {name: a}\n"+c.spec))
		var got []string
		for _, problem := range problems {
			got = append(got, string(problem.Path)+": "+problem.Rule)
			assert.Equal(t, krm.Error, problem.Severity, name)
			assert.NotContains(t, problem.Message, "\n", name)
		}
		assert.Equal(t, c.want, got, name)
	}
}

func TestFormerNamesAreProposed(t *testing.T) {
	t.Parallel()
	_, problems := plugin.Read(item(t, "spec: {runner: {image: a}, create: [{name: s, "+
		"outputs: [{name: o, from: /o}], inputs: [{name: i, as: {file: /i}}, {name: j, to: {localPath: /j}}]}]}"))
	proposed := map[string]any{}
	for _, problem := range problems {
		require.Equal(t, decode.RuleUnknown, problem.Rule)
		proposed[string(problem.Path)[strings.LastIndex(string(problem.Path), ".")+1:]] = problem.Proposed
	}
	assert.Equal(t, map[string]any{
		"from": "valueFromPath", "file": "path", "to": "as", "localPath": "path",
	}, proposed)
}

func TestIdentityIsWhatThePrefixWasPutBefore(t *testing.T) {
	t.Parallel()
	const previous = "internal.config.kubernetes.io/previousNames"
	cases := map[string]string{
		"metadata: {name: hello@1.0.0}": "hello@1.0.0",
		"metadata: {name: p-hello@1.0.0, annotations: {" + previous + ": hello@1.0.0}}":     "hello@1.0.0",
		"metadata: {name: a-b-hello, annotations: {" + previous + `: "hello,b-hello"}}`:     "hello",
		"metadata: {name: hello, annotations: {" + previous + `: ""}}`:                      "hello",
		"metadata: {annotations: {internal.config.kubernetes.io/prefixes: x}, name: hello}": "hello",
		"metadata: {annotations: {" + previous + ": hello}}":                                "hello",
		"spec: {}": "",
	}
	for text, want := range cases {
		assert.Equal(t, want, plugin.Identity(item(t, text)), text)
	}
}

func TestStepsKnowTheirPlaces(t *testing.T) {
	t.Parallel()
	p, _ := plugin.Read(item(t, whole))
	var names, paths []string
	for ref, step := range plugin.Steps(&p.Spec) {
		names = append(names, step.Name)
		paths = append(paths, string(ref.Path()), string(ref.Input(1)), string(ref.Output(2)))
	}
	assert.Equal(t, []string{"provision", "drop"}, names)
	assert.Equal(t, []string{
		"spec.create[0]", "spec.create[0].inputs[1]", "spec.create[0].outputs[2]",
		"spec.delete[0]", "spec.delete[0].inputs[1]", "spec.delete[0].outputs[2]",
	}, paths)
	for range plugin.Steps(&p.Spec) {
		break // leaving early must not run on
	}
}

func TestInputsDefaultToAVariable(t *testing.T) {
	t.Parallel()
	cases := []struct {
		as        *plugin.As
		env, path string
	}{
		{nil, "DB_NAME", ""},
		{&plugin.As{}, "DB_NAME", ""},
		{&plugin.As{Env: "X"}, "X", ""},
		{&plugin.As{Path: "/x"}, "", "/x"},
		{&plugin.As{Env: "X", Path: "/x"}, "X", "/x"},
	}
	for _, c := range cases {
		input := plugin.Input{Name: "db-name", As: c.as}
		assert.Equal(t, c.env, input.Env())
		assert.Equal(t, c.path, input.Path())
	}
}

func TestRunnerNamespaceDefaults(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "default", (&plugin.Spec{}).RunnerNamespace())
	assert.Equal(t, "tools", (&plugin.Spec{Runner: plugin.Runner{Namespace: "tools"}}).RunnerNamespace())
}

func FuzzRead(f *testing.F) {
	f.Add(whole)
	f.Add("spec: {runner: [], create: {a: b}, delete: [{}, 1, null]}")
	f.Add("a: &a [*a]\nspec: *a")
	f.Fuzz(func(t *testing.T, text string) {
		it, err := krm.NewItem([]byte(text))
		if err != nil {
			return
		}
		_, problems := plugin.Read(it)
		for _, problem := range problems {
			assert.NotEmpty(t, problem.Message)
			assert.NotContains(t, problem.Message, "\n")
		}
	})
}
