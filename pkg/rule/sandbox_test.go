package rule_test

import (
	"testing"
)

func TestSandboxHead(t *testing.T) {
	t.Parallel()
	cases{
		"metadata.name: X":            nil,
		"metadata.name: " + long[:30]: nil,
		"metadata.name: " + long[:31]: {
			"error sandbox-name metadata.name: name must have at most 30 characters, not 31",
		},
		"metadata.name: a_b":         {"error sandbox-name metadata.name: name must hold"},
		"metadata.name: 1a":          {"error sandbox-name metadata.name: name must start with a letter"},
		"metadata.name: a-":          {"error sandbox-name metadata.name: name must end in"},
		"-metadata.name":             {"error sandbox-name metadata.name: name must not be empty"},
		`metadata.name: "@{name}"`:   {"error placeholder metadata.name: "},
		`spec.cluster: ""`:           {"error required spec.cluster: must not be empty"},
		"-spec.cluster":              {"error required spec.cluster: must be set"},
		"spec.cluster: " + long:      {"error sandbox-cluster spec.cluster: must have at most 255 bytes"},
		`spec.cluster: "@{cluster}"`: {"error placeholder spec.cluster: "},
		"spec.description: " + long:  {"error sandbox-description spec.description: must have at most 255 bytes"},
		"-spec.description":          nil,
		"spec.tags: {a: b}": {
			`error unknown-key spec.tags: unknown key "tags": it is called "labels" today`,
		},
		"spec.resource: []": {
			`error unknown-key spec.resource: unknown key "resource": it is called "resources" today`,
		},
		"spec.local~locals": {
			`error unknown-key spec.locals: unknown key "locals": it is called "local" today`,
		},
		"spec.workloads: []": {
			`error unknown-key spec.workloads: unknown key "workloads": workloads must be given as forks`,
		},
		"spec.endpoints: {name: a}": {
			"error type spec.endpoints: must be a list: each endpoint begins with a dash",
		},
		"spec.endpoints: web": {"error type spec.endpoints: must be a list, not "},
	}.run(t, aSandbox)
}

func TestLabels(t *testing.T) {
	t.Parallel()
	cases{
		"-spec.labels":    nil,
		"spec.labels: {}": nil,
		"spec.labels: {A-b_9: anything goes (here)}": nil,
		`spec.labels: {"": a}`:                       {"error label-key "},
		`spec.labels: {"a b": a}`: {
			`error label-key spec.labels["a b"]: label key must hold`,
		},
		"spec.labels: {ä: a}": {"error label-key "},
		"spec.labels: {" + long + ": a}": {
			"error label-key spec.labels." + long + ": label key must have at most 255 bytes",
		},
		"spec.labels: {a: " + long + "}": {
			"error label-value spec.labels.a: label value must have at most 255 bytes",
		},
		`spec.labels: {a: ""}`: {
			"error label-value spec.labels.a: label value must not be empty",
		},
		"spec.labels: {a: 12}": {
			"error type spec.labels.a: must be a string, not the number 12: quote it",
		},
		"spec.labels: {app.kubernetes.io/name: a}": {
			`warning label-key-form spec.labels["app.kubernetes.io/name"]: `,
		},
		"spec.labels: {signadot/other: a}": {
			`error label-reserved spec.labels["signadot/other"]: label key "signadot/other" must not begin with`,
		},
		"spec.labels: {signadot/github-repo: a/b}": {
			`error label-reserved spec.labels["signadot/github-repo"]: label "signadot/github-repo" must be ` +
				`given together with "signadot/github-pull-request"`,
		},
		`spec.labels: {signadot/github-pull-request: "1"}`: {`error label-reserved `},
	}.run(t, aSandbox)
}

func TestTTL(t *testing.T) {
	t.Parallel()
	cases{
		"-spec.ttl":                      nil,
		"-spec.ttl.offsetFrom":           nil,
		"spec.ttl.duration: 0m":          nil,
		"spec.ttl.duration: 4294967295w": nil,
		"spec.ttl.duration: 4294967296w": {
			"error ttl-duration spec.ttl.duration: must be a number of at most 32 bits",
		},
		"spec.ttl.duration: 90s":         {"error ttl-duration spec.ttl.duration: "},
		"spec.ttl.duration: 1d12h":       {"error ttl-duration spec.ttl.duration: "},
		"spec.ttl.duration: 2dd":         {"error ttl-duration spec.ttl.duration: "},
		"spec.ttl.duration: d":           {"error ttl-duration spec.ttl.duration: "},
		"spec.ttl.duration: -1d":         {"error ttl-duration spec.ttl.duration: "},
		`spec.ttl.duration: "2"`:         {"error ttl-duration spec.ttl.duration: "},
		"spec.ttl.duration: 2":           {"error type spec.ttl.duration: "},
		"-spec.ttl.duration":             {"error required spec.ttl.duration: must be set"},
		"spec.ttl.offsetFrom: createdAt": nil,
		"spec.ttl.offsetFrom: createdat": {
			`error ttl-offset spec.ttl.offsetFrom: must be one of "createdAt", "updatedAt", not "createdat"`,
		},
	}.run(t, aSandbox)
}

func TestWorkloads(t *testing.T) {
	t.Parallel()
	const of = "spec.forks[0].forkOf"
	cases{
		of + ".kind: StatefulSet": {
			"error workload-kind " + of + `.kind: must be one of "Deployment", "ArgoRollout", "Rollout", not "StatefulSet"`,
		},
		of + ".kind: Service":     {"error workload-kind " + of + ".kind: "},
		of + ".kind: deployment":  {"error workload-kind " + of + ".kind: "},
		of + ".kind: ArgoRollout": nil,
		of + ".namespace: Shop":   {"error workload-name " + of + ".namespace: namespace must hold"},
		of + ".namespace: a.b":    {"error workload-name " + of + ".namespace: "},
		of + ".namespace: CHANGE_ME": {
			"error placeholder " + of + `.namespace: "CHANGE_ME" is a placeholder: fill it in`,
		},
		of + ".namespace: ${ns}": {"error placeholder " + of + ".namespace: "},
		of + ".name: web.v1":     nil,
		of + ".name: Web":        {"error workload-name " + of + ".name: name must hold"},
		of + ".name: " + long:    {"error workload-name " + of + ".name: name must have at most 253 characters"},
		of + `: {kind: "", namespace: "", name: ""}`: {
			"error required " + of + ".kind: must not be empty", "error required " + of + ".namespace: ",
			"error required " + of + ".name: ",
		},
		"-" + of + ".name": {"error required " + of + ".name: must be set"},
		of + ": {kind: ArgoRollout, namespace: shop, name: cart}": {
			`error workload-unique spec.forks[1].forkOf: the Rollout "cart" of namespace "shop" must be ` +
				`named once: it is already in spec.forks[0].forkOf`,
		},
		"spec.local[0].from: {kind: Deployment, namespace: shop, name: web}": {
			"error workload-unique spec.local[0].from: ",
		},
		"spec.virtual[0].workload: {kind: Deployment, namespace: shop, name: web}": nil,
		"spec.virtual[0].name: web-fork": {
			`error workload-name-unique spec.virtual[0].name: workload name "web-fork" must be unique`,
		},
		"-spec.forks[0].name":                  nil,
		"spec.forks: null\n-spec.local[0].env": nil,
	}.run(t, aSandbox)
}

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
			"error output-key " + at + `.env[1].valueFrom.resource.outputKey: must be <step>.<output> such ` +
				`as "provision.host": "host" without a dot is an old form`,
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
		at + ".type: json\n" + at + `.value: '[1]'`: {
			"error patch-value " + at + ".value: operation 1 of the patch must have an op",
		},
	}.run(t, aSandbox)
}

func TestEndpoints(t *testing.T) {
	t.Parallel()
	const target = "spec.defaultRouteGroup.endpoints[0].target"
	cases{
		"spec.endpoints[0].name: web-port": {
			`error endpoint-unique spec.endpoints[0].name: endpoint name "web-port" must be unique`,
		},
		"spec.endpoints[0].name: web": {
			`error endpoint-unique spec.defaultRouteGroup.endpoints[0].name: `,
		},
		`spec.endpoints[0].name: ""`: {"error required spec.endpoints[0].name: must not be empty"},
		"spec.endpoints[0].port: 0": {
			"error endpoint-port spec.endpoints[0].port: port must be between 1 and 65535, not 0",
		},
		"spec.endpoints[0].port: 65536": {"error endpoint-port spec.endpoints[0].port: "},
		`spec.endpoints[0].port: "80"`:  {"error type spec.endpoints[0].port: must be a whole number"},
		"-spec.endpoints[0].port":       {"error required spec.endpoints[0].port: must be set"},
		"-spec.endpoints[0].protocol":   nil,
		"spec.forks[0].endpoints[0].protocol: HTTP": {
			`error endpoint-protocol spec.forks[0].endpoints[0].protocol: must be one of "http", "grpc", not "HTTP"`,
		},
		target + ": http://web.shop.svc":          nil,
		target + ": grpc://web.shop.rollout:9000": nil,
		target + ": http://[::1]:80/path":         nil,
		target + ": web.shop.svc:8080": {
			"error endpoint-target " + target + `: target must be a URL such as "http://web.shop.svc:8080", not "web.shop.svc:8080"`,
		},
		target + ": web.shop.svc": {"error endpoint-target " + target},
		target + ": http://":      {"error endpoint-target " + target},
		target + ": http://web.shop.svc:99999": {
			"error endpoint-target " + target + ": target must have a port between 1 and 65535",
		},
		target + `: "http://web.${ns}.svc:80"`: {
			"error placeholder " + target + `: "http://web.${ns}.svc:80" is not a template: a variable must be written @{ns}`,
		},
		"spec.defaultRouteGroup.match: {}": {
			`error unknown-key spec.defaultRouteGroup.match: unknown key "match": the default route group matches its own sandbox`,
		},
		"spec.defaultRouteGroup.endpoints: {}": {
			"error type spec.defaultRouteGroup.endpoints: must be a list: each endpoint begins with a dash",
		},
	}.run(t, aSandbox)
}

func TestLocal(t *testing.T) {
	t.Parallel()
	const at = "spec.local[0].mappings[0]"
	cases{
		"spec.local[0].mappings: []": {
			"error local-mappings spec.local[0].mappings: must have at least one entry",
		},
		"-spec.local[0].mappings": {"error required spec.local[0].mappings: must be set"},
		at + ".port: 0": {
			"error local-address " + at + ".port: port must be between",
		},
		at + `.toLocal: "8080"`: {
			"error local-address " + at + `.toLocal: must be host:port such as "localhost:8080", not "8080"`,
		},
		at + `.toLocal: ":8080"`:               {"error local-address " + at},
		at + `.toLocal: "localhost:"`:          {"error local-address " + at},
		at + `.toLocal: "localhost:0"`:         {"error local-address " + at},
		at + `.toLocal: "localhost:99999"`:     {"error local-address " + at},
		at + `.toLocal: "http://localhost:80"`: {"error local-address " + at},
		at + `.toLocal: "::1:80"`:              {"error local-address " + at},
		at + `.toLocal: "[::1]:80"`:            nil,
		at + `.toLocal: "10.0.0.1:80"`:         nil,
		"spec.routing.forwards[0].toLocal: nowhere": {
			"error local-address spec.routing.forwards[0].toLocal: ",
		},
		"-spec.routing.forwards[0].toLocal": nil,
		"spec.local[0].from.kind: Service":  nil,
		"spec.local[0].files[1].value: x": {
			"error env-source spec.local[0].files[1]: must have only one of value and valueFrom",
		},
		"spec.local[0].files[1].valueFrom: {}": {
			"error env-source spec.local[0].files[1].valueFrom: must name exactly one of resource, configMap and secret, not 0",
		},
		"spec.local[0].files[0].valueFrom.resource.name: dbb": {
			"error resource-reference spec.local[0].files[0].valueFrom.resource.name: ",
		},
		"-spec.local[0].files[0].path": {
			"error required spec.local[0].files[0].path: must be set",
		},
	}.run(t, aSandbox)
}

func TestResources(t *testing.T) {
	t.Parallel()
	const at = "spec.resources[1]"
	cases{
		at + ".name: db": {
			"error resource-unique " + at + `.name: resource name "db" must be unique`,
		},
		at + ".name: my_cache":       {"warning resource-name " + at + `.name: resource name "my_cache" must be`},
		at + ".name: " + long[:31]:   {"warning resource-name " + at},
		at + ".name: a-":             nil,
		at + `.name: "-"`:            {"warning resource-name " + at},
		at + `.name: ""`:             {"error required " + at + ".name: must not be empty"},
		at + ".plugin: cache@1.2.3":  nil,
		at + ".plugin: cache@v1":     nil,
		at + ".plugin: cache@latest": nil,
		at + ".plugin: my_cache": {
			"error plugin-reference " + at + `.plugin: plugin name "my_cache" must hold`,
		},
		at + ".plugin: cache@next": {
			"error plugin-reference " + at + ".plugin: plugin version \"next\" must be",
		},
		at + `.plugin: "${plugin}"`: {"error placeholder " + at + ".plugin: "},
		at + `.plugin: ""`:          {"error required " + at + ".plugin: must not be empty"},
		at + ".params: {a: 1}": {
			"error type " + at + ".params.a: must be a string, not the number 1: quote it",
		},
		at + ".params: {a: [b]}": {"error type " + at + ".params.a: must be a string, not a list"},
		at + ".params: [{dbname: test}]": {
			"error type " + at + ".params: must be a mapping of strings, as in params: {dbname: test}, not a list",
		},
		at + ".params: test":        {"error type " + at + ".params: must be a mapping, not "},
		at + `.params: {a: "${b}"}`: nil,
	}.run(t, aSandbox)
}
