package document_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

const pluginWhole = `apiVersion: resourceplugins.dev/v1alpha1
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

func TestPluginReadTakesEveryField(t *testing.T) {
	t.Parallel()
	p, problems := document.ReadPlugin(item(t, pluginWhole))
	require.Empty(t, problems)
	assert.Equal(t, "hello-db@1.0.0", p.Name)
	assert.Equal(t, v1alpha1.ResourcePluginSpec{
		Description: "say hello",
		Runner: v1alpha1.Runner{
			Image: "ubuntu", Namespace: "tools", PodTemplateOverlay: "spec: {serviceAccountName: hello}\n",
		},
		Create: []v1alpha1.Step{{
			Name: "provision", Script: "echo",
			Inputs: []v1alpha1.Input{{
				Name: "db-name", Type: "string", ValueFromSandbox: true,
				As: &v1alpha1.As{Env: "DBNAME", Path: "/in/name"},
			}},
			Outputs: []v1alpha1.Output{{
				Name: "host", Type: "string", Description: "where it is", ValueFromPath: "/out/host",
			}},
		}},
		Delete: []v1alpha1.Step{{
			Name: "drop",
			Inputs: []v1alpha1.Input{{
				Name: "host-name", ValueFromStep: &v1alpha1.StepOutput{Name: "provision", Output: "host"},
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
		_, problems := document.ReadPlugin(item(t, "metadata: {name: a}\n"+c.spec))
		var got []string
		for _, problem := range problems {
			got = append(got, string(problem.Path)+": "+problem.Rule)
			assert.Equal(t, strictyaml.SeverityError, problem.Severity, name)
			assert.NotContains(t, problem.Message, "\n", name)
		}
		assert.Equal(t, c.want, got, name)
	}
}

func TestFormerNamesAreProposed(t *testing.T) {
	t.Parallel()
	_, problems := document.ReadPlugin(item(t, "spec: {runner: {image: a}, create: [{name: s, "+
		"outputs: [{name: o, from: /o}], inputs: [{name: i, as: {file: /i}}, {name: j, to: {localPath: /j}}]}]}"))
	proposed := map[string]any{}
	for _, problem := range problems {
		require.Equal(t, strictyaml.RuleUnknown, problem.Rule)
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
		assert.Equal(t, want, document.Identity(item(t, text)), text)
	}
}

func TestStepsKnowTheirPlaces(t *testing.T) {
	t.Parallel()
	p, _ := document.ReadPlugin(item(t, pluginWhole))
	var names, paths []string
	for ref, step := range document.Steps(&p.Spec) {
		names = append(names, step.Name)
		paths = append(paths, string(ref.Path()), string(ref.Input(1)), string(ref.Output(2)))
	}
	assert.Equal(t, []string{"provision", "drop"}, names)
	assert.Equal(t, []string{
		"spec.create[0]", "spec.create[0].inputs[1]", "spec.create[0].outputs[2]",
		"spec.delete[0]", "spec.delete[0].inputs[1]", "spec.delete[0].outputs[2]",
	}, paths)
	for range document.Steps(&p.Spec) {
		break // leaving early must not run on
	}
}

func TestInputsDefaultToAVariable(t *testing.T) {
	t.Parallel()
	cases := []struct {
		as        *v1alpha1.As
		env, path string
	}{
		{nil, "DB_NAME", ""},
		{&v1alpha1.As{}, "DB_NAME", ""},
		{&v1alpha1.As{Env: "X"}, "X", ""},
		{&v1alpha1.As{Path: "/x"}, "", "/x"},
		{&v1alpha1.As{Env: "X", Path: "/x"}, "X", "/x"},
	}
	for _, c := range cases {
		input := v1alpha1.Input{Name: "db-name", As: c.as}
		assert.Equal(t, c.env, input.Env())
		assert.Equal(t, c.path, input.Path())
	}
}

func TestRunnerNamespaceDefaults(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "default", (&v1alpha1.ResourcePluginSpec{}).RunnerNamespace())
	assert.Equal(t, "tools", (&v1alpha1.ResourcePluginSpec{Runner: v1alpha1.Runner{Namespace: "tools"}}).RunnerNamespace())
}

func FuzzPluginRead(f *testing.F) {
	f.Add(pluginWhole)
	f.Add("spec: {runner: [], create: {a: b}, delete: [{}, 1, null]}")
	f.Add("a: &a [*a]\nspec: *a")
	f.Fuzz(func(t *testing.T, text string) {
		it, err := krm.NewItem([]byte(text))
		if err != nil {
			return
		}
		_, problems := document.ReadPlugin(it)
		for _, problem := range problems {
			assert.NotEmpty(t, problem.Message)
			assert.NotContains(t, problem.Message, "\n")
		}
	})
}

func TestOutputsOf(t *testing.T) {
	t.Parallel()
	output := func(names ...string) (outputs []v1alpha1.Output) {
		for _, name := range names {
			outputs = append(outputs, v1alpha1.Output{Name: name})
		}
		return outputs
	}
	spec := &v1alpha1.ResourcePluginSpec{
		Create: []v1alpha1.Step{{Name: "provision", Outputs: output("host", "port")}, {Name: "seed", Outputs: output("port", "user")}},
		Delete: []v1alpha1.Step{{Name: "drop", Outputs: output("log")}},
	}
	for key, want := range map[string][]string{
		"provision.host": {"provision.host"}, "seed.port": {"seed.port"}, "host": {"provision.host"},
		"port": {"provision.port", "seed.port"},
		"":     nil, "hots": nil, "provision.user": nil, "drop.log": nil, "log": nil, ".host": nil, "provision.": nil, "a.b.c": nil,
	} {
		var got []string
		assert.Equal(t, document.OutputsOf(spec, key), document.NewOutputIndex(spec).Of(key), key)
		for _, output := range document.OutputsOf(spec, key) {
			got = append(got, output.Key())
		}
		assert.Equal(t, want, got, key)
	}
	assert.Equal(t, `must be "provision.port" or "seed.port": "port" names no step`,
		document.NamesNoStep("port", document.OutputsOf(spec, "port")))
	assert.Equal(t, `must be <step>.<output> such as "provision.host": "port" names no step`, document.NamesNoStep("port", nil))
}
