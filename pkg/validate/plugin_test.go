package validate_test

import (
	"strings"
	"testing"
)

// The tables list accepted and rejected values for each rule: a change to a valid document, and the prefixes of all
// findings.

func TestPluginName(t *testing.T) {
	t.Parallel()
	cases{
		"metadata.name: hello-db": {
			`info plugin-version metadata.name: "hello-db" has no version and counts as 0.0.0: name it "hello-db@1.0.0"`,
		},
		"metadata.name: hello-db@0.0.0":      nil,
		"metadata.name: hello-db@1.0.0-rc.1": nil,
		"metadata.name: Hello-DB9@1.0.0":     nil,
		"metadata.name: ab@0.0.0":            nil,
		"metadata.name: hello-db@v1.0.0": {
			`info plugin-version-form metadata.name: version of "hello-db@v1.0.0" is stored as "1.0.0"`,
		},
		"metadata.name: hello-db@1": {
			`info plugin-version-form metadata.name: version of "hello-db@1" is stored as "1.0.0"`,
		},
		"metadata.name: hello-db@latest": {
			`error plugin-name metadata.name: version "latest" must not be published`,
		},
		"metadata.name: hello-db@": {"error plugin-name metadata.name: version must not be empty"},
		"metadata.name: hello-db@next": {
			`error plugin-name metadata.name: version "next" must be a semver`,
		},
		"metadata.name: a": {
			"error plugin-name metadata.name: name \"a\" must have at least two",
		},
		"metadata.name: 1db": {
			"error plugin-name metadata.name: name \"1db\" must start with a letter",
		},
		"metadata.name: db-":                         {"error plugin-name metadata.name: name \"db-\" must end in"},
		"metadata.name: my_db":                       {"error plugin-name metadata.name: name \"my_db\" must hold"},
		`metadata.name: ""`:                          {"error plugin-name metadata.name: name must not be empty"},
		"-metadata.name":                             {"error plugin-name metadata.name: name must not be empty"},
		"metadata.name: " + strings.Repeat("x", 254): {"error plugin-name metadata.name: name must have at most 253"},
		"metadata.name: ${name}": {
			`error placeholder metadata.name: "${name}" is not a template: a variable must be written @{name}`,
		},
		`metadata.name: "@{name}@1.0.0"`: {
			`error placeholder metadata.name: "@{name}@1.0.0" holds a template directive`,
		},
		"metadata.annotations: {internal.config.kubernetes.io/previousNames: hello-db@v1}": {
			"info plugin-version-form metadata.name: ",
		},
		"apiVersion: resourceplugins.dev/v1": {
			`error api-version apiVersion: must be "resourceplugins.dev/v1alpha1", not "resourceplugins.dev/v1"`,
		},
		"apiVersion: signadot.com/v1": {
			`warning other-api-version apiVersion: looks like a ResourcePlugin: apiVersion must be "resourceplugins.dev/v1alpha1", ` +
				`not "signadot.com/v1"`,
		},
		"apiVersion: resource-plugins.io/v1": {
			`error api-version apiVersion: looks like a ResourcePlugin: apiVersion must be "resourceplugins.dev/v1alpha1", ` +
				`not "resource-plugins.io/v1"`,
		},
		"apiVersion: signadot.com/v1\nkind: JobRunnerGroup":               nil,
		"apiVersion: example.com/v1\nspec: {podTemplate: {}}":             nil,
		"apiVersion: example.com/v1\nspec: {runner: a, create: {a: b}}":   nil,
		"kind: ResourcePluginList\nitems: [{apiVersion: example.com/v1}]": nil,
		"kind: ResourcePluginList\nitems: [{apiVersion: resourceplugins.dev/v1alpha1}]": {
			`error kind kind: "ResourcePluginList" must be replaced by its items: documents of a list are not read`,
		},
		"kind: Resourceplugin": {
			`error kind kind: unknown kind "Resourceplugin": did you mean "ResourcePlugin"?`,
		},
		"kind: SignadotResourcePlugin": {
			`warning former-kind kind: "SignadotResourcePlugin" is an old kind: a plugin must be a ResourcePlugin of ` +
				`resourceplugins.dev/v1alpha1`,
		},
		"apiVersion: signadot.com/v1\nkind: SignadotResourcePlugin": {"warning former-kind kind: "},
		"kind: ValidatePlugin": nil,
		"kind: PluginCatalog":  nil,
	}.run(t, aPlugin)
}

func TestPluginStructure(t *testing.T) {
	t.Parallel()
	cases{
		"spec: null":     {"error required spec: must be set"},
		"-spec":          {"error required spec: must be set"},
		"spec~sepc":      {`error unknown-key sepc: unknown key "sepc": did you mean "spec"?`},
		"spec: [a]":      {"error type spec: must be a mapping"},
		"version: 1.0.0": {`warning unknown-key version: key "version" is ignored`},
		"status: {}":     nil,
		"spec.version: 1.0.0": {
			"error unknown-key spec.version: unknown key \"version\": the version must be part of the name",
		},
		"spec.runner.basePodTemplate: {}": {
			`error unknown-key spec.runner.basePodTemplate: unknown key "basePodTemplate": it is called "podTemplateOverlay" today`,
		},
		"spec.create[0].env: []": {
			`error unknown-key spec.create[0].env: unknown key "env": it is called "inputs" today`,
		},
		"spec.create[0].inputs[0].as~to": {
			`error unknown-key spec.create[0].inputs[0].to: unknown key "to": it is called "as" today`,
		},
		"spec.create[0].inputs[0].as.path~localPath": {
			`error unknown-key spec.create[0].inputs[0].as.localPath: unknown key "localPath": it is called "path" today`,
		},
		"spec.create[0].outputs[0].valueFromPath~from": {
			`error unknown-key spec.create[0].outputs[0].from: unknown key "from": it is called "valueFromPath" today`,
		},
		"spec.delete[0].inputs[0].valueFromStep.output~value": {
			`error unknown-key spec.delete[0].inputs[0].valueFromStep.value: unknown key "value": it is called "output" today`,
		},
		"spec.Runner: {image: a}": {
			`error unknown-key spec.Runner: unknown key "Runner": did you mean "runner"?`,
		},
		"spec.runner: {image: a, image: b}": {"error duplicate-key spec.runner.image: "},
		"spec.runner: {namespace: tools}":   {"error required spec.runner.image: must be set"},
		"spec.create[0].inputs[0].valueFromSandbox: yes": {
			"error type spec.create[0].inputs[0].valueFromSandbox: must be true or false",
		},
		"spec.runner.image: 17": {
			"error type spec.runner.image: must be a string, not the number 17: quote it",
		},
		"spec.description: " + long: {
			"warning plugin-description spec.description: must have at most 255 bytes, not 256",
		},
		"spec.description: " + long[1:]: nil,
	}.run(t, aPlugin)
}

func TestRunner(t *testing.T) {
	t.Parallel()
	cases{
		"spec.runner.image: ubuntu":                              nil,
		"spec.runner.image: ghcr.io/a/b/c:v1.2":                  nil,
		"spec.runner.image: localhost:5000/a":                    nil,
		"spec.runner.image: a@sha256:" + strings.Repeat("0", 64): nil,
		"spec.runner.image: Ubuntu": {
			`error image-reference spec.runner.image: must be a valid image reference, not "Ubuntu": `,
		},
		"spec.runner.image: ubuntu latest":     {"error image-reference spec.runner.image: "},
		"spec.runner.image: https://ghcr.io/a": {"error image-reference spec.runner.image: "},
		"spec.runner.image: a:b:c":             {"error image-reference spec.runner.image: "},
		`spec.runner.image: ""`: {
			"error required spec.runner.image: must not be empty",
		},
		"spec.runner.image: ${image}": {"error placeholder spec.runner.image: "},
		"-spec.runner.namespace":      nil,
		`spec.runner.namespace: ""`:   nil,
		"spec.runner.namespace: Tools": {
			`error runner-namespace spec.runner.namespace: namespace must hold lower-case letters, digits ` +
				`and inner dashes only, not as "Tools" does`,
		},
		"spec.runner.namespace: a.b": {"error runner-namespace spec.runner.namespace: "},
		"spec.runner.namespace: -a":  {"error runner-namespace spec.runner.namespace: "},
		"spec.runner.namespace: " + long[:64]: {
			"error runner-namespace spec.runner.namespace: namespace must have at most 63 characters, not 64",
		},
		"spec.runner.namespace: CHANGE_ME": {
			`error placeholder spec.runner.namespace: "CHANGE_ME" is a placeholder: fill it in`,
		},
		"spec.runner.namespace: <namespace>": {"error placeholder spec.runner.namespace: "},
	}.run(t, aPlugin)
}

func TestOverlay(t *testing.T) {
	t.Parallel()
	const at = "spec.runner.podTemplateOverlay: "
	cases{
		"-spec.runner.podTemplateOverlay":               nil,
		at + `""`:                                       nil,
		at + `"# nothing"`:                              nil,
		at + `"metadata: {annotations: {a: b}}"`:        nil,
		at + `"spec: {restartPolicy: Never}"`:           nil,
		at + `"metadata: {name: '', namespace: tools}"`: nil,
		at + `"spec: {containers: [{name: main, image: 'docker.io/library/postgres:17'}]}"`: nil,
		at + `"spec: {containers: [{name: main, image: 'postgres:16'}]}"`: {
			"error overlay-conflict " + at,
		},
		at + `"metadata: {namespace: default}"`: {
			"error overlay-conflict " + at,
		},
		at + `"- spec"`:  {"error overlay " + at},
		at + `"spec: {"`: {"error overlay " + at},
		at + `"spec: {serviceAccountName: @{account}}"`:                            {"error overlay " + at},
		at + `"spec: {restartPolicy: Always}"`:                                     {"error overlay " + at},
		at + `"metadata: {name: pod}"`:                                             {"error overlay " + at},
		at + `"serviceAccountName: a"`:                                             {"error overlay " + at},
		at + `"spec: {serviceAcountName: a}"`:                                      {"error overlay " + at},
		at + `"spec: {$patch: replace}"`:                                           {"error overlay " + at},
		at + `"spec: {initContainers: [{name: signadot-execunit-input-manager}]}"`: {"error overlay " + at},
		at + `"spec: {containers: [{name: signadot-execunit-output-manager}]}"`:    {"error overlay " + at},
		at + `"spec: {volumes: [{name: signadot-execunit-io, emptyDir: {}}]}"`:     {"error overlay " + at},
		at + `"spec: {serviceAccountName: team}"`: {
			"warning overlay-account " + at + `must not give scripts the token of ServiceAccount "team", which all sandboxes that use ` +
				"the plugin share and which may write their outputs: set automountServiceAccountToken: false, unless they need it",
		},
		at + `"spec: {serviceAccountName: team, automountServiceAccountToken: false}"`: nil,
		at + `"spec: {containers: [{name: main, command: [sh]}]}"`: {
			"warning overlay-replaced " + at,
		},
		at + `"spec: {containers: [{name: main, env: [{name: DB_NAME, value: x}]}]}"`: {
			"warning overlay-variable " + at + `variable "DB_NAME" of the overlay has no effect: remove it, ` +
				`step "drop" gets another value for it`,
		},
		at + `"spec: {containers: [{name: main, env: [{name: SIGNADOT_SANDBOX_ID, value: x}]}]}"`: {
			"warning overlay-variable " + at,
		},
		at + `"spec: {containers: [{name: side, image: a, env: [{name: DBNAME, value: x}]}]}"`: {
			"error overlay-sidecar-delete " + at + `line 1: spec.containers[0]: must not run beside main in a plugin with a delete phase`,
		},
		at + `"spec: {initContainers: [{name: side, image: a, restartPolicy: Always}]}"`: nil,
		at + `"spec: {initContainers: [{name: side}]}"`:                                  {"error overlay " + at},
	}.run(t, aPlugin)
}

// An overlay that gives scripts a token is reported, regardless of the rest of the plugin.
func TestOverlay_tokens(t *testing.T) {
	t.Parallel()
	const (
		at         = "spec.runner.podTemplateOverlay: "
		account    = "spec: {serviceAccountName: team"
		projection = `volumes: [{name: v, projected: {sources: [{serviceAccountToken: {path: t}}]}}]}"`
		without    = "\n-spec.create[0].outputs\n-spec.create[1].outputs\n-spec.create[1].inputs\n-spec.delete"
	)
	token := []string{"warning overlay-token " + at + `must not give scripts the token of ServiceAccount "team"`}
	cases{
		at + `"` + account + `}"` + without:                                                                              token,
		at + `"` + account + `, automountServiceAccountToken: true}"` + without:                                          token,
		at + `"spec: {serviceAccount: team, automountServiceAccountToken: true}"` + without:                              token,
		at + `"` + account + `, automountServiceAccountToken: false, ` + projection + without:                            token,
		at + `"` + account + `, automountServiceAccountToken: false}"` + without:                                         nil,
		at + `"spec: {automountServiceAccountToken: true}"`:                                                              nil, // not used: the renderer warns
		at + `"spec: {` + projection + without:                                                                           {"warning overlay-token " + at},
		at + `"spec: {` + projection:                                                                                     {"warning overlay-token " + at},
		at + `"` + account + `, automountServiceAccountToken: false, ` + projection:                                      {"warning overlay-account " + at},
		at + `"spec: {volumes: [{name: v, projected: {sources: [{serviceAccountToken: {audience: vault, path: t}}]}}]}"`: nil,
	}.run(t, aPlugin)
}
