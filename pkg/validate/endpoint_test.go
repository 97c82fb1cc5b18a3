package validate_test

import "testing"

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
		`spec.endpoints[0].port: "80"`: {
			`warning quoted-number spec.endpoints[0].port: the string "80" is taken for a number: remove the quotes`,
		},
		`spec.endpoints[0].port: "http"`: {
			`error type spec.endpoints[0].port: must be a whole number, not the string "http"`,
		},
		`spec.endpoints[0].port: "65536"`: {
			"error endpoint-port spec.endpoints[0].port: port must be between 1 and 65535, not 65536",
			"warning quoted-number spec.endpoints[0].port: ",
		},
		"-spec.endpoints[0].port":     {"error required spec.endpoints[0].port: must be set"},
		"-spec.endpoints[0].protocol": nil,
		"spec.forks[0].endpoints[0].protocol: HTTP": {
			`error endpoint-protocol spec.forks[0].endpoints[0].protocol: must be one of "http", "grpc", not "HTTP"`,
		},
		"spec.endpoints[0].host: db.example.com": nil,
		`spec.endpoints[0].host: "::1"`:          nil,
		"spec.endpoints[0].host: a.b.svc/path": {
			`error endpoint-host spec.endpoints[0].host: host must be a DNS name or an IP address such as "web.shop.svc", ` +
				`not "a.b.svc/path": leave out scheme, port and path`,
		},
		"spec.endpoints[0].host: a.b.svc:80":      {`error endpoint-host spec.endpoints[0].host: host must be`},
		"spec.endpoints[0].host: http://a.b.svc":  {`error endpoint-host spec.endpoints[0].host: host must be`},
		"spec.endpoints[0].host: web.${ns}.svc":   {"error placeholder spec.endpoints[0].host: "},
		`spec.endpoints[0].host: ""`:              {"error required spec.endpoints[0].host: must not be empty"},
		target + ": http://web.shop.svc":          nil,
		target + ": grpc://web.shop.rollout:9000": nil,
		target + ": http://[::1]:80/path":         nil,
		target + ": web.shop.svc:8080": {
			"error endpoint-target " + target + `: target must be a URL such as "http://web.shop.svc:8080", not "web.shop.svc:8080"`,
		},
		target + ": web.shop.svc": {"error endpoint-target " + target},
		target + ": http://":      {"error endpoint-target " + target},
		target + ": http://me@a":  {"error endpoint-target " + target + ": target must be a URL such as"},
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
		at + ".plugin: cache@Next": {
			"error plugin-reference " + at + ".plugin: plugin version \"Next\" must be",
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
