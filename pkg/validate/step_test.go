package validate_test

import "testing"

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
		`spec.delete[0].script: "#!/bin/sh"`:                                 nil,
		`spec.delete[0].script: "#! /usr/bin/env python3\nopen('/tmp/log')"`: nil,
		`spec.delete[0].script: "echo $DB_NAME $HOST > /tmp/log"`: {
			"warning script-interpreter spec.delete[0].script: must name its interpreter in the first line",
		},
		`spec.delete[0].script: "\n#!/bin/sh"`: {
			"warning script-interpreter spec.delete[0].script: the interpreter must be named at the very beginning",
		},
		`spec.delete[0].script: "#!bash\necho > /tmp/log"`: {
			"warning script-interpreter spec.delete[0].script: the interpreter in the first line must be an absolute path",
		},
		`spec.delete[0].script: "#!"`: {
			"warning script-interpreter spec.delete[0].script: the interpreter in the first line",
		},
		`spec.delete[0].script: "\uFEFF#!/bin/sh"`: {
			"warning script-interpreter spec.delete[0].script: must not begin with a byte order mark",
		},
		`spec.delete[0].script: "#!/bin/sh\r\necho > /tmp/log"`: {
			"error script-line-end spec.delete[0].script: the first line must not end in a carriage return",
		},
		`spec.delete[0].script: "#!/bin/sh\necho > /tmp/log\r\n"`: nil,
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
		"-" + at + ".as": {
			"warning input-unread " + at + `: input "db-name" is never read ($DB_NAME): the script reads $DBNAME, which nothing sets`,
		},
		at + ".as: {}": {"warning input-unread " + at + `: input "db-name" is never read ($DB_NAME): `},
		at + ".as.path: inputs/x": {
			"error input-path " + at + ".as.path: must be an absolute path",
		},
		at + ".as.path: /inputs/../etc/passwd": {
			"error input-path " + at + ".as.path: must not hold ..",
		},
		at + ".as.path: /inputs/..": {
			"error input-path " + at + ".as.path: must not hold ..",
		},
		at + ".as.path: /run/resourceplugins/io/a": {
			"error input-path " + at + `.as.path: must not be "/run/resourceplugins/io/a": the step needs what is mounted there`,
		},
		at + ".as.path: /a:b": {
			"error input-path " + at + `.as.path: must not hold a colon as "/a:b" does: Kubernetes cannot mount it`,
		},
		at + ".as.path: /var/run/resourceplugins": {"error input-path " + at + ".as.path: "},
		at + ".as.path: /run":                     {"error input-path " + at + ".as.path: "},
		at + ".as.path: /a..b/c":                  nil,
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
		"spec.create[0].inputs[2]: {name: user, valueFromStep: {name: seed, output: user}, as: {path: /root/user}}": {
			"error step-cycle spec.create[0].inputs[2].valueFromStep.name: steps must not wait for each " +
				"other: provision → seed → provision",
		},
	}.run(t, aPlugin)
}
