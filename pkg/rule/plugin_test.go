package rule_test

import (
	"strings"
	"testing"
)

// The tables say what each rule takes and what it refuses: a change to a valid document, and the beginnings of all
// findings that follow.

func TestPluginName(t *testing.T) {
	t.Parallel()
	cases{
		"metadata.name: hello-db":            nil,
		"metadata.name: hello-db@0.0.0":      nil,
		"metadata.name: hello-db@1.0.0-rc.1": nil,
		"metadata.name: Hello-DB9@1.0.0":     nil,
		"metadata.name: ab":                  nil,
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
		"kind: Resourceplugin": {
			`error kind kind: unknown kind "Resourceplugin": did you mean "ResourcePlugin"?`,
		},
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
		at + `"spec: {containers: [{name: main, command: [sh]}]}"`: {
			"warning overlay-replaced " + at,
		},
		at + `"spec: {containers: [{name: main, env: [{name: DB_NAME, value: x}]}]}"`: {
			"warning overlay-variable " + at + `variable "DB_NAME" of the overlay is never seen: remove it, ` +
				`step "drop" gets another value for it`,
		},
		at + `"spec: {containers: [{name: main, env: [{name: SIGNADOT_SANDBOX_ID, value: x}]}]}"`: {
			"warning overlay-variable " + at,
		},
		at + `"spec: {containers: [{name: side, image: a, env: [{name: DBNAME, value: x}]}]}"`: nil,
	}.run(t, aPlugin)
}

func TestSteps(t *testing.T) {
	t.Parallel()
	const thirty = "a23456789-123456789-123456789z"
	cases{
		"spec.delete: []": {
			"error empty-workflow spec.delete: must have at least one step: add one or leave delete out",
		},
		"spec.create: []": {
			"error empty-workflow spec.create: ", "error unknown-step spec.delete[0].inputs[0].valueFromStep.name: ",
		},
		"-spec.delete":                   nil,
		"spec.delete: null":              nil,
		"-spec.create":                   {"warning missing-create spec.create: "},
		"spec.delete[0].name: " + thirty: nil,
		"spec.delete[0].name: d":         nil,
		"spec.delete[0].name: " + thirty + "z": {
			"error step-name spec.delete[0].name: step name must have at most 30 characters, not 31",
		},
		"spec.delete[0].name: 1st": {
			"error step-name spec.delete[0].name: step name must start with a letter",
		},
		"spec.delete[0].name: a_b": {
			"error step-name spec.delete[0].name: step name must hold letters, digits and dashes only",
		},
		"spec.delete[0].name: drop-": {
			"error step-name spec.delete[0].name: step name must end in",
		},
		"spec.delete[0].name: dröp": {"error step-name spec.delete[0].name: "},
		"spec.delete[0].name: seed": {
			`error step-unique spec.delete[0].name: step name "seed" is already taken by spec.create[1]`,
		},
		`spec.delete[0].name: ""`: {
			"error required spec.delete[0].name: must not be empty",
		},
		"-spec.delete[0].name": {
			"error required spec.delete[0].name: must be set",
		},
		"-spec.delete[0].script": {
			"error script spec.delete[0].script: must be set",
		},
		`spec.delete[0].script: "  "`: {
			"error script spec.delete[0].script: must be set",
		},
		`spec.delete[0].script: "#!/bin/sh"`:                        nil,
		`spec.delete[0].script: "#! /usr/bin/env python3\nprint()"`: nil,
		`spec.delete[0].script: "echo"`: {
			"warning script-interpreter spec.delete[0].script: must name its interpreter in the first line",
		},
		`spec.delete[0].script: "\n#!/bin/sh"`: {
			"warning script-interpreter spec.delete[0].script: the interpreter must be named at the very beginning",
		},
		`spec.delete[0].script: "#!bash\necho"`: {
			"warning script-interpreter spec.delete[0].script: the interpreter in the first line must be an absolute path",
		},
		`spec.delete[0].script: "#!"`: {
			"warning script-interpreter spec.delete[0].script: the interpreter in the first line",
		},
		`spec.delete[0].script: "\uFEFF#!/bin/sh"`: {
			"warning script-interpreter spec.delete[0].script: must not begin with a byte order mark",
		},
		`spec.delete[0].script: "#!/bin/sh\r\necho"`: {
			"error script-line-end spec.delete[0].script: the first line must not end in a carriage return",
		},
		`spec.delete[0].script: "#!/bin/sh\necho\r\n"`: nil,
	}.run(t, aPlugin)
}

func TestInputs(t *testing.T) {
	t.Parallel()
	const at = "spec.create[0].inputs[0]"
	cases{
		at + ".name: db_name": {"error input-name " + at + ".name: input name must hold"},
		at + ".name: size": {
			`error input-unique spec.create[0].inputs[1].name: input name "size" must be unique`,
		},
		at + ".valueFromSandbox: false": {"error input-source " + at + `: input "db-name" must have a source`},
		"-" + at + ".valueFromSandbox":  {"error input-source " + at + `: input "db-name" must have a source`},
		"spec.create[1].inputs[0].valueFromSandbox: true": {
			`error input-source spec.create[1].inputs[0]: input "host" must have only one of`,
		},
		at + ".as.env: DB.NAME": {
			"warning input-variable " + at + `.as.env: a shell script cannot read a variable named "DB.NAME": call it "DB_NAME"`,
		},
		at + ".as.env: DB NAME": {
			"error variable-name " + at + ".as.env: variable must hold",
		},
		at + ".as.env: A=B": {"error variable-name " + at + ".as.env: "},
		at + ".as.env: 1A": {
			"error variable-name " + at + ".as.env: variable must not start with a digit",
		},
		at + ".as.env: ..": {
			"error variable-name " + at + ".as.env: variable must not be",
		},
		at + ".as.env: _x":                     nil,
		at + ".as.env: SIGNADOT_RESOURCE_NAME": {"warning input-reserved " + at + ".as.env: "},
		at + ".as.env: SIZE": {
			`error input-clash spec.create[0].inputs[1]: inputs "db-name" and "size" must not share the variable "SIZE"`,
		},
		"-" + at + ".as": nil,
		at + ".as: {}":   nil,
		at + ".as.path: inputs/x": {
			"error input-path " + at + ".as.path: must be an absolute path",
		},
		at + ".as.path: /inputs/../etc/passwd": {
			"error input-path " + at + ".as.path: must not hold ..",
		},
		at + ".as.path: /inputs/..": {
			"error input-path " + at + ".as.path: must not hold ..",
		},
		at + ".as.path: /a..b/c": nil,
		at + ".as.path: /": {
			"error input-path " + at + ".as.path: must name a file",
		},
		at + ".as.path: /a/": {
			"error input-path " + at + ".as.path: must name a file",
		},
		at + `.as.path: "/a\nb"`: {
			"error input-path " + at + ".as.path: must not hold control characters",
		},
		"spec.create[0].inputs[1].as.path: /inputs//db-name": {
			`error input-clash spec.create[0].inputs[1].as.path: inputs "db-name" and "size" must not share ` +
				`the file "/inputs/db-name"`,
		},
		"spec.create[0].inputs[1].as.path: /inputs": {
			`error input-clash spec.create[0].inputs[1].as.path: inputs "db-name" and "size" must not share ` +
				`the file "/inputs", which would have to be a folder too`,
		},
		"spec.create[0].inputs[1].as.path: /inputs/db-name/size": {
			`error input-clash spec.create[0].inputs[1].as.path: `,
		},
		"spec.create[0].inputs[1].as.path: /inputs/db-name2": nil,
	}.run(t, aPlugin)
}

func TestOutputs(t *testing.T) {
	t.Parallel()
	const at = "spec.create[0].outputs[1]"
	cases{
		at + ".name: db.port":            {"error output-name " + at + ".name: output name must hold"},
		at + ".name: host":               {`error output-unique ` + at + `.name: output name "host" must be unique`},
		"-" + at + ".name":               {"error required " + at + ".name: must be set"},
		"-" + at + ".valueFromPath":      {"error required " + at + ".valueFromPath: must be set"},
		at + `.valueFromPath: ""`:        {"error required " + at + ".valueFromPath: must not be empty"},
		at + ".valueFromPath: tmp/port":  {"error output-path " + at + ".valueFromPath: must be an absolute path"},
		at + ".valueFromPath: /tmp/../x": {"error output-path " + at + ".valueFromPath: must not hold .."},
		at + ".valueFromPath: /tmp/host": nil,
	}.run(t, aPlugin)
}

func TestStepGraph(t *testing.T) {
	t.Parallel()
	const from = "spec.delete[0].inputs[0].valueFromStep"
	cases{
		from + ".name: nobody": {
			"error unknown-step " + from + `.name: there is no step "nobody": the input must read from a step of this plugin`,
		},
		from + ".name: provison": {
			"error unknown-step " + from + `.name: there is no step "provison": did you mean "provision"?`,
		},
		from + ".output: password": {
			"error unknown-output " + from + `.output: step "provision" has no output "password": its outputs are "host", "port"`,
		},
		from + ".output: HOST": {
			"error unknown-output " + from + `.output: step "provision" has no output "HOST": did you mean "host"?`,
		},
		from + `.output: ""`: {"error required " + from + ".output: must not be empty"},
		from + ": {name: drop, output: log}": {
			"error step-cycle " + from + ".name: steps must not wait for each other: drop → drop",
		},
		"spec.create[1].inputs[0].valueFromStep: {name: drop, output: log}": {
			`error create-from-delete spec.create[1].inputs[0].valueFromStep.name: a create step must not ` +
				`read from the delete step "drop"`,
		},
		"spec.create[0].inputs[2]: {name: user, valueFromStep: {name: seed, output: user}}": {
			"error step-cycle spec.create[0].inputs[2].valueFromStep.name: steps must not wait for each " +
				"other: provision → seed → provision",
		},
	}.run(t, aPlugin)
}
