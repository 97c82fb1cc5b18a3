package validate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A test is compared with its plugin.
func TestPluginTest_againstItsPlugin(t *testing.T) {
	t.Parallel()
	for change, want := range map[string]string{
		"spec.plugin: helo-db":    `warning unknown-plugin spec.plugin: there is no plugin "helo-db": did you mean "hello-db"?`,
		"spec.plugin: hello-db@2": `warning unknown-plugin spec.plugin: plugin "hello-db" has no version "2": there are "1.0.0"`,
		"spec.cases[0].params: {dbname: a}": `warning unknown-param spec.cases[0].params.dbname: ` +
			`plugin "hello-db@1.0.0" has no input for param "dbname": did you mean "db-name"?`,
		"-spec.cases[0].fixtureParams": `warning missing-param spec.cases[0].params: ` +
			`param "size" must be given: step "provision" of plugin "hello-db@1.0.0" takes it, and would get nothing`,
		"spec.cases[0].delete.outputs[0].step: provision": `error expected-step spec.cases[0].delete.outputs[0].step: ` +
			`the delete phase of plugin "hello-db@1.0.0" has no step "provision": its steps are "drop"`,
		"spec.cases[0].create.outputs[0].output: hots": `error expected-step spec.cases[0].create.outputs[0].output: ` +
			`step "provision" has no output "hots": did you mean "host"?`,
		"spec.cases[1].create.fails.step: sed": `error expected-step spec.cases[1].create.fails.step: ` +
			`the create phase of plugin "hello-db@1.0.0" has no step "sed": did you mean "seed"?`,
	} {
		assert.Equal(t, []string{want}, check(t, edited(t, aPluginTest, change), edited(t, aPlugin)), change)
	}
}

// Without its plugin, a test is not compared.
func TestPluginTest_alone(t *testing.T) {
	t.Parallel()
	assert.Empty(t, check(t, edited(t, aPluginTest, "spec.plugin: other")))
}

func TestPluginTest_givenOnce(t *testing.T) {
	t.Parallel()
	for change, want := range map[string]string{
		"spec.cases[0].params.size: a":   `error test-unique spec.cases[0].fixtureParams[0].name: param "size" must be given once: params has it too`,
		"spec.secrets[0].data.host: a":   `error test-unique spec.secrets[0].fixtureData[0].name: key "host" must be given once: data has it too`,
		"spec.skip: [all]":               `error test-skip spec.skip[0]: must be one of inputs-read, outputs-read, inputs-declared, create-twice, delete-twice, nothing-left, processes-end, any-order, create-after-kill, delete-after-half-create, not "all"`,
		`spec.secrets[0].data: {a b: c}`: `error test-secret-key spec.secrets[0].data["a b"]: key must hold letters, digits, dashes, underscores and dots only, not as "a b" does`,
		"spec.fixtures[1].command: ['']": `error fixture-form spec.fixtures[1].command[0]: must name a program`,
	} {
		assert.Equal(t, []string{want}, check(t, edited(t, aPluginTest, change)), change)
	}
}

// A prefix of kustomize does not change the names of tests: sandboxes and ids stay the same.
func TestPluginTest_renamedByKustomize(t *testing.T) {
	t.Parallel()
	renamed := "metadata: {name: dev-hello-db, annotations: {internal.config.kubernetes.io/previousNames: hello-db}}"
	assert.Equal(t, []string{`error duplicate-test metadata.name: test "hello-db" is given twice: another; rename one of them`},
		check(t, edited(t, aPluginTest), edited(t, aPluginTest, renamed)))
}
