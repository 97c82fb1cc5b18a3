package validate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A common mistake of new users gives one finding, whose message contains the correction.
func TestMessagesOfCommonMistakes(t *testing.T) {
	t.Parallel()
	const overlay = "spec.runner.podTemplateOverlay: "
	const inOverlay = "error overlay " + overlay
	const key = "spec.forks[0].customizations.env[1].valueFrom.resource.outputKey: "
	for _, c := range []struct{ file, change, want string }{
		{aPlugin, "spec.create[0].inputs[1]: {name: size, valueFrom: sandbox, as: {env: SIZE}}",
			`error unknown-key spec.create[0].inputs[1].valueFrom: unknown key "valueFrom": did you mean "valueFromSandbox: true"?`},
		{aPlugin, "spec.delete[0].inputs[0]: {name: host, valueFrom: {name: provision, output: host}}",
			`error unknown-key spec.delete[0].inputs[0].valueFrom: unknown key "valueFrom": did you mean "valueFromStep"?`},
		{aPlugin, "metadata.name: s3-bucket",
			`info plugin-version metadata.name: "s3-bucket" has no version and counts as 0.0.0: name it "s3-bucket@1.0.0"`},
		{aPlugin, "spec.runner.podTemplateOverlay: {spec: {serviceAccountName: a}}",
			"error type " + overlay + "must be a string that holds YAML, not a mapping: put | after podTemplateOverlay:"},
		{aPlugin, overlay + `"spec: {containers: [{name: mc, tty: true}]}"`,
			inOverlay + `line 1: spec.containers[0]: container "mc" has no image: call it "main", or give it an image`},
		{aPlugin, overlay + `"spec: {containers: [{name: mian, tty: true}]}"`,
			inOverlay + `line 1: spec.containers[0]: container "mian" has no image: did you mean "main"?`},
		{aPlugin, overlay + `"spec: {containers: [{name: Main, image: a}]}"`,
			inOverlay + `line 1: spec.containers[0].name: must not be "Main": did you mean "main"?`},
		{aPlugin, overlay + `"spec: {initContainers: [{name: fetch}]}"`,
			inOverlay + `line 1: spec.initContainers[0]: container "fetch" has no image: only "main" gets that of the runner`},
		{aPlugin, overlay + `"spec:\n  serviceAccountName: a: b\n"`,
			inOverlay + `line 2: must be valid YAML: quote the value: ": " starts a mapping`},
		{aPlugin, overlay + `"spec:\n\tserviceAccountName: a\n"`,
			inOverlay + `line 2: must be valid YAML: a line must be indented with spaces, not with tabs`},
		{aPlugin, "spec.create[0].name: make_bucket\nspec.create[1].inputs[0].valueFromStep.name: make-bucket\n" +
			"spec.delete[0].inputs[0].valueFromStep.name: make-bucket",
			`error step-name spec.create[0].name: step name must hold letters, digits and dashes only, not as "make_bucket" does: ` +
				`write "make-bucket"`},
		{aPlugin, "spec.create[0].outputs[0].name: host_name\nspec.create[1].inputs[0].valueFromStep.output: host-name\n" +
			"spec.delete[0].inputs[0].valueFromStep.output: host-name",
			`error output-name spec.create[0].outputs[0].name: output name must hold letters, digits and dashes only, not as ` +
				`"host_name" does: write "host-name"`},
		{aPlugin, "spec.create[0].outputs[1].valueFromPath: /outputs/port",
			`warning output-unwritten spec.create[0].outputs[1].valueFromPath: no line of the script names "/outputs/port": write the ` +
				`output there`},
		{aSandbox, key + "make-user/key", "error output-key " + key + `must be <step>.<output>, not "make-user/key": did you mean "make-user.key"?`},
		{aSandbox, key + "host", "warning output-key-form " + key + `must be <step>.<output> such as "provision.host": "host" names no step`},
		{aSandbox, `spec.forks[0].endpoints[0].port: "8083"`,
			`warning quoted-number spec.forks[0].endpoints[0].port: the string "8083" is taken for a number: remove the quotes`},
		{aSandbox, `spec.local[0].mappings[0].port: "8083"`,
			`warning quoted-number spec.local[0].mappings[0].port: the string "8083" is taken for a number: remove the quotes`},
		{aSandbox, `spec.routing.forwards[0].port: "8083"`,
			`warning quoted-number spec.routing.forwards[0].port: the string "8083" is taken for a number: remove the quotes`},
	} {
		assert.Equal(t, []string{c.want}, check(t, edited(t, c.file, c.change)), c.change)
	}
}

// Duplicate keys are reported beside spec, and in metadata.
func TestRepeatedKeys(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"kind: Sandbox\nkind: ConfigMap\nmetadata: {name: a}":           `error duplicate-key kind: must be given once: key "kind" is repeated`,
		"kind: ConfigMap\nkind: Sandbox\nmetadata: {name: a}":           `error duplicate-key kind: must be given once: key "kind" is repeated`,
		"kind: Sandbox\nmetadata: {name: a}\nmetadata: {name: b}":       `error duplicate-key metadata: must be given once: key "metadata" is repeated`,
		"kind: Sandbox\nmetadata: {name: a, name: b}":                   `error duplicate-key metadata.name: must be given once: key "name" is repeated`,
		"kind: Sandbox\nmetadata: {name: a, annotations: {b: c, b: d}}": `error duplicate-key metadata.annotations.b: must be given once: key "b" is repeated`,
		"kind: Sandbox\nmetadata: {name: a}\nspec: {cluster: d}":        `error duplicate-key spec: must be given once: key "spec" is repeated`,
	} {
		text = "apiVersion: resourceplugins.dev/v1alpha1\nspec: {cluster: c}\n" + text
		assert.Contains(t, check(t, parsed(t, text)), want, text)
	}
}
