package validate_test

import "testing"

func TestCustomizations(t *testing.T) {
	t.Parallel()
	const at = "spec.forks[0].customizations"
	cases{
		"-" + at:    nil,
		at + ": {}": nil,
		at + ".command: [sh]": {
			"error unknown-key " + at + `.command: unknown key "command": a command must be changed by a patch`,
		},
		"spec.forks[0].patches: []": {
			`error unknown-key spec.forks[0].patches: unknown key "patches": a fork has one patch`,
		},
		at + ".patch~patches": {
			"error unknown-key " + at + `.patches: unknown key "patches": it is called "patch" today`,
		},
		at + ".images[0].image: Web": {"error image-reference " + at + ".images[0].image: "},
		at + `.images[0].image: ""`: {
			"error required " + at + ".images[0].image: must not be empty",
		},
		"-" + at + ".images[0].container": {
			"error image-container " + at + ".images[1]: at most one image must be without a container",
		},
		at + ".images[1].container: main": {
			"error image-container " + at + `.images[1].container: container "main" must have one image only`,
		},
		at + ".env[0].name: A B":   {"error variable-name " + at + ".env[0].name: "},
		at + ".env[0].name: a.b-c": nil,
		at + ".env[0].operation: set": {
			"error env-operation " + at + `.env[0].operation: must be one of "upsert", "delete", not "set"`,
		},
		at + ".env[0].operation: delete": nil,
		"-" + at + ".env[0].value":       nil,
		at + ".env[1].value: x": {
			"error env-source " + at + ".env[1]: must have only one of value and valueFrom",
		},
		at + ".env[1].valueFrom: {}": {
			"error env-source " + at + ".env[1].valueFrom: must name exactly one of resource, fork, configMap and secret, not 0",
		},
		at + ".env[1].valueFrom.secret: {name: a, key: b}": {
			"error env-source " + at + ".env[1].valueFrom: must name exactly one of resource, fork, configMap and secret, not 2",
		},
		at + ".env[1].valueFrom.resource.name: DB": {
			"error resource-reference " + at + `.env[1].valueFrom.resource.name: there is no resource "DB": did you mean "db"?`,
		},
		at + ".env[1].valueFrom.resource.name: queue": {
			"error resource-reference " + at + `.env[1].valueFrom.resource.name: there is no resource ` +
				`"queue": it must be one of this sandbox's resources: "db", "cacheDB"`,
		},
		at + ".env[1].valueFrom.resource.outputKey: host": {
			"warning output-key-form " + at + `.env[1].valueFrom.resource.outputKey: must be <step>.<output> such ` +
				`as "provision.host": "host" names no step`,
		},
		at + ".env[1].valueFrom.resource.outputKey: make-user/key": {
			"error output-key " + at + `.env[1].valueFrom.resource.outputKey: must be <step>.<output>, not "make-user/key": ` +
				`did you mean "make-user.key"?`,
		},
		at + ".env[1].valueFrom.resource.outputKey: a/b/c": {
			"error output-key " + at + `.env[1].valueFrom.resource.outputKey: must be <step>.<output> such ` +
				`as "provision.host", not "a/b/c"`,
		},
		at + ".env[1].valueFrom.resource.outputKey: a.":    {"error output-key " + at},
		at + ".env[1].valueFrom.resource.outputKey: a.b.c": {"error output-key " + at},
		at + ".env[2].valueFrom.fork.forkOf.kind: Rollout": nil,
		at + ".env[2].valueFrom.fork.forkOf.name: nobody": {
			"error fork-reference " + at + `.env[2].valueFrom.fork.forkOf: the ArgoRollout "nobody" of ` +
				`namespace "shop" must be one that this sandbox forks`,
		},
	}.run(t, aSandbox)
}

func TestPatches(t *testing.T) {
	t.Parallel()
	const at = "spec.forks[0].customizations.patch"
	cases{
		at + ".type: merge": nil,
		at + ".type: Merge": {"error patch-type " + at + ".type: must be one of "},
		at + ".type: signadot/env\n" + at + ".value: anything": nil,
		at + ".type: json": {
			"error patch-value " + at + `.value: a patch of type "json" must be a list of operations`,
		},
		at + `: {type: merge, value: "spec:\n  ? [a, b]\n  : 1\n"}`: {
			"error patch-value " + at + ".value: line 2 of the patch must not have a list or a mapping as a key",
		},
		at + `: {type: strategic, value: "spec: {{a: b}: 1}"}`: {
			"error patch-value " + at + ".value: line 1 of the patch must not have a list or a mapping as a key",
		},
		at + `: {type: json, value: "[{op: add, path: /a, value: {a: &x [b], *x : c}}]"}`: {
			"error patch-value " + at + ".value: line 1 of the patch must not have a list or a mapping as a key",
		},
		at + `.value: "{spec:"`: {"error patch-value " + at + ".value: patch must be JSON or YAML: "},
		at + `.value: "- a"`: {
			"error patch-value " + at + `.value: a patch of type "strategic" must be a mapping`,
		},
		at + `.value: ""`:            {"error required " + at + ".value: must not be empty"},
		at + `.value: '{"spec":{}}'`: nil,
		at + ".type: json\n" + at + `.value: '[{"op": "add", "path": "/a", "value": 1}, {"op": "remove", "path": "/b"}]'`: nil,
		at + ".type: json\n" + at + `.value: '[{op: move, from: /a, path: /b}, {op: test, path: "", value: null}]'`:       nil,
		at + ".type: json\n" + at + `.value: '[{op: put, path: /a}]'`: {
			"error patch-value " + at + ".value: operation 1 of the patch must have an op of ",
		},
		at + ".type: json\n" + at + `.value: '[{op: remove, path: a}]'`: {
			"error patch-value " + at + ".value: operation 1 of the patch must have a path",
		},
		at + ".type: json\n" + at + `.value: '[{op: add, path: /a}]'`: {
			"error patch-value " + at + ".value: operation 1 of the patch must have a value to add",
		},
		at + ".type: json\n" + at + `.value: '[{op: copy, path: /a}]'`: {
			"error patch-value " + at + ".value: operation 1 of the patch must say from where to copy",
		},
		at + ".type: json\n" + at + `.value: '[{op: remove}]'`: {
			"error patch-value " + at + ".value: operation 1 of the patch must have a path",
		},
		at + `.value: '{"spec":{"replica":1}}'`: {
			"error patch-field " + at + `.value: line 1: spec.replica: unknown key "replica": did you mean "replicas"?`,
		},
		at + `.value: "spec:\n  template:\n    spec:\n      containers: [{image: a}]\n      nodename: b\n"`: {
			"error patch-field " + at + ".value: line 4: spec.template.spec.containers[0].name: must be set",
			"error patch-field " + at + `.value: line 5: spec.template.spec.nodename: unknown key "nodename": did you mean "nodeName"?`,
		},
		at + `.value: "spec: {strategy: null, template: {spec: {containers: [{name: a, $patch: delete}]}}}"`: nil,
		at + ".type: merge\n" + at + ".value: '{spec: {replica: 1}}'":                                        nil,
		"spec.forks[0].forkOf.kind: Rollout\n" + at + ".value: '{spec: {canary: {}}}'":                       nil,
		at + ".type: json\n" + at + `.value: '[1]'`: {
			"error patch-value " + at + ".value: operation 1 of the patch must have an op",
		},
	}.run(t, aSandbox)
}

func TestKeysOfConfigMapsAndSecrets(t *testing.T) {
	t.Parallel()
	const at = "spec.forks[0].customizations.env[3].valueFrom"
	cases{
		at + ".secret.key: a.b_c-D9":        nil,
		at + ".secret.key: " + long[:253]:   nil,
		at + ".secret.key: a/b":             {"error key-reference " + at + ".secret.key: key must hold letters"},
		at + ".secret.key: " + long[:254]:   {"error key-reference " + at + ".secret.key: key must have at most 253"},
		at + ".secret.key: ..a":             {"error key-reference " + at + ".secret.key: key must not be"},
		at + `.secret.key: ""`:              {"error required " + at + ".secret.key: must not be empty"},
		at + ".secret.name: My_Keys":        {"error key-reference " + at + ".secret.name: name must hold lower-case"},
		at + ": {configMap: {name: A}}":     {"error required " + at + ".configMap.key: must be set", "error key-reference "},
		"spec.local[0].files[1].path: /etc": nil,
		"spec.local[0].files[1].valueFrom.configMap.key: a b": {
			"error key-reference spec.local[0].files[1].valueFrom.configMap.key: ",
		},
		"spec.local[0].files[1].valueFrom.configMap.name: Settings": {
			"error key-reference spec.local[0].files[1].valueFrom.configMap.name: ",
		},
	}.run(t, aSandbox)
}
