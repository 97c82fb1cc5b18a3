package sandbox

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
)

const customized = `
spec: {template: {spec: {
  initContainers: [{name: setup, image: s}],
  containers: [
    {name: main, image: m, env: [{name: A, value: a}, {name: B, valueFrom: {fieldRef: {fieldPath: x}}}, {name: A, value: again}]},
    {name: side, image: s, envFrom: [{configMapRef: {name: c}}]}]}}}
`

// apply returns the containers after the customizations, and the messages.
func customizationApply(t *testing.T, text string) (string, []string) {
	t.Helper()
	var o object
	require.NoError(t, utilyaml.Unmarshal([]byte(customized), &o))
	var asked yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte(text), &asked))
	var c v1alpha1.Customizations
	require.Empty(t, strictyaml.Into(&asked, "c", &c))
	s := box(t, "x", "{cluster: c}", forked("api", "x"))
	customizer := customizer{object: o, sandbox: s}
	customizer.customize(&c, "c")
	var messages []string
	for _, result := range s.results {
		messages = append(messages, string(result.Severity)+" "+result.Field.Path+" "+result.Message)
	}
	out, err := yaml.Marshal(child(customizer.object, "spec", "template", "spec"))
	require.NoError(t, err)
	return string(out), messages
}

func TestWhatIsAsked(t *testing.T) {
	t.Parallel()
	const setup, side = "{name: setup, image: s}", "{name: side, image: s, envFrom: [{configMapRef: {name: c}}]}"
	const env = "{name: A, value: a}, {name: B, valueFrom: {fieldRef: {fieldPath: x}}}, {name: A, value: again}"
	pod := func(setup, main, side string) string {
		return "{initContainers: [" + setup + "], containers: [" + main + ", " + side + "]}"
	}
	main := func(env string) string { return pod(setup, "{name: main, image: m, env: ["+env+"]}", side) }
	for _, c := range []struct{ name, asked, want string }{
		{"nothing", "{}", main(env)},
		{"first image", "{images: [{image: 'x:1'}]}", pod(setup, "{name: main, image: 'x:1', env: ["+env+"]}", side)},
		{"init image", "{images: [{container: setup, image: x}]}", pod("{name: setup, image: x}", "{name: main, image: m, env: ["+env+"]}", side)},
		{"add", "{env: [{name: NEW, value: '$(A) $$'}]}", main(env + ", {name: NEW, value: '$(A) $$'}")},
		{"the last one counts", "{env: [{name: A, value: z}]}", main("{name: A, value: a}, {name: B, valueFrom: {fieldRef: {fieldPath: x}}}, {name: A, value: z}")},
		{"value for valueFrom", "{env: [{name: B}]}", main("{name: A, value: a}, {name: B}, {name: A, value: again}")},
		{"delete all", "{env: [{name: A, operation: delete}]}", main("{name: B, valueFrom: {fieldRef: {fieldPath: x}}}")},
		{
			"resource", "{env: [{name: B, valueFrom: {resource: {name: db, outputKey: p.url}}}]}",
			main("{name: A, value: a}, {name: B, valueFrom: {secretKeyRef: {name: " + contract.OutputSecretName("", "db", "p") + ", key: url}}}, {name: A, value: again}"),
		},
		{
			"references", "{env: [{name: X, valueFrom: {configMap: {name: m, key: k, optional: true}}}, {name: YY, valueFrom: {secret: {name: s, key: k}}}]}",
			main(env + ", {name: X, valueFrom: {configMapKeyRef: {name: m, key: k, optional: true}}}, " +
				"{name: YY, valueFrom: {secretKeyRef: {name: s, key: k}}}"),
		},
		{
			"fork", "{env: [{name: X, valueFrom: {fork: {forkOf: {kind: Deployment, namespace: shop, name: api}, " +
				"expression: 'http://{{ .Service.Host }}:{{.Service.Port}}/x'}}}]}",
			main(env + ", {name: X, value: 'http://api-x.shop.svc:80/x'}"),
		},
		{
			"patch last", "{images: [{image: x}], patch: {type: json, value: '[{op: test, path: /spec/template/spec/containers/0/image, " +
				"value: x}, {op: remove, path: /spec/template/spec/containers/0/env}]'}}",
			pod(setup, "{name: main, image: x}", side),
		},
		{"newer patches", "{patch: {type: signadot/image, value: '[{container: side, image: other}]'}}",
			pod(setup, "{name: main, image: m, env: ["+env+"]}", "{name: side, image: other, envFrom: [{configMapRef: {name: c}}]}")},
		{"newer env", "{patch: {type: signadot/env, value: '[{name: NEW, value: nn}]'}}", main(env + ", {name: NEW, value: nn}")},
		{"empty patch", "{patch: {type: merge, value: '# nothing'}}", main(env)},
	} {
		got, messages := customizationApply(t, c.asked)
		assert.Empty(t, messages, c.name)
		assert.YAMLEq(t, c.want, got, c.name)
	}
}

func TestWhatCannotBeDone(t *testing.T) {
	t.Parallel()
	for asked, want := range map[string]string{
		"{images: [{container: sied, image: x}]}":                  `error c.images[0].container container "sied" must be one of the workload's: did you mean "side"?`,
		"{env: [{name: NEW, container: zzzzzz, value: x}]}":        `error c.env[0].container container "zzzzzz" must be one of the workload's: main, side, setup`,
		"{env: [{name: NEW, operation: delete}]}":                  `warning c.env[0] variable "NEW" must be in the container's env to be deleted: it is not set there`,
		"{env: [{name: NEW, container: side, operation: delete}]}": `warning c.env[0] variable "NEW" must be in the container's env to be deleted: envFrom may still set it`,
		"{patch: {type: json, value: '{}'}}":                       `error c.patch.value patch must be a list of operations, such as [{op: replace, path: /spec/replicas, value: 1}]`,
		"{patch: {type: merge, value: '{'}}":                       `error c.patch.value patch must be JSON or YAML: yaml: line 1: did not find expected node content`,
		"{patch: {type: signadot/env, value: '{}'}}":               `error c.patch.value patch of type "signadot/env" must be a list as customizations.env is`,
		"{patch: {type: signadot/env, value: '[{nam: x}]'}}":       `unknown key`,
		"{env: [{name: NEW, valueFrom: {fork: {forkOf: {kind: Deployment, namespace: ns, name: hidden}, expression: x}}}]}":            `must have a Service in front of it`,
		"{env: [{name: NEW, valueFrom: {fork: {forkOf: {kind: Deployment, namespace: shop, name: api}, expression: '{{ .Service'}}}]}": `no other expression, not "{{ .Service"`,
	} {
		_, messages := customizationApply(t, asked)
		require.NotEmpty(t, messages, asked)
		assert.Contains(t, messages[0], want)
	}
}
