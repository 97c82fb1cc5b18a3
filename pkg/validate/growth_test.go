package validate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
	"github.com/resource-plugins/krm-functions/test/framework/growth"
)

// grown is the parts of a plugin, of a sandbox that uses it, of a route group and of a test. Each dimension adds to some of them.
type grown struct {
	spec, env, step, inputs, outputs, script, steps, comments string // of the plugin
	params, labels, variables, resources                      string // of the sandbox
	group, match, endpoints                                   string // of the route group
	test, skip, fixtures, fixtureEnv, secrets, data, values   string // of the test
	cases, caseParams, caseValues, expected                   string
	others                                                    string // items
}

// dimensions are the ways in which the documents can grow, each by n. A rule may compare the parts of one with those of
// another.
var dimensions = map[string]func(g *grown, n int){
	"unread inputs": func(g *grown, n int) { g.inputs += rows(n, "    - {name: i%d, valueFromSandbox: true}\n") },
	"inputs with files": func(g *grown, n int) {
		g.inputs += rows(n, "    - {name: f%d, valueFromSandbox: true, as: {path: /in/d%[1]d/f}}\n")
	},
	"unset variables":          func(g *grown, n int) { g.script += rows(n, "      echo $X_I%d\n") },
	"assignments":              func(g *grown, n int) { g.script += rows(n, "      V%d=1\n") },
	"paths in the script":      func(g *grown, n int) { g.script += rows(n, "      cat /p/q%d/$y > r%[1]d\n") },
	"variables of the overlay": func(g *grown, n int) { g.env += rows(n, "          - {name: O%d, value: v}\n") },
	"unwritten outputs":        func(g *grown, n int) { g.outputs += rows(n, "    - {name: o%d, valueFromPath: /out/o%[1]d}\n") },
	"outputs with wrong names": func(g *grown, n int) { g.outputs += rows(n, "    - {name: _o%d, valueFromPath: /o}\n") },
	"steps":                    func(g *grown, n int) { g.steps += rows(n, "  - {name: t%d, script: \"#!/bin/sh\\necho $a\"}\n") },
	"steps with wrong names": func(g *grown, n int) {
		g.steps += rows(n, "  - {name: _t%d, script: \"#!/bin/sh\\necho $a\"}\n")
	},
	"unknown outputs": func(g *grown, n int) {
		g.inputs += rows(n, "    - {name: u%d, valueFromStep: {name: other, output: q%[1]d}}\n")
	},
	"unknown steps": func(g *grown, n int) {
		g.inputs += rows(n, "    - {name: v%d, valueFromStep: {name: n%[1]d, output: q}}\n")
	},
	"unknown keys of the spec": func(g *grown, n int) { g.spec += rows(n, "  k%d: v\n") },
	"unknown keys of the step": func(g *grown, n int) { g.step += rows(n, "    k%d: v\n") },
	"comments": func(g *grown, n int) {
		g.comments += rows(n, "  # krm-functions: ignore input-unread reason %d\n")
	},
	"params":              func(g *grown, n int) { g.params += rows(n, "      p%d: v\n") },
	"labels":              func(g *grown, n int) { g.labels += rows(n, "    l%d: \"\"\n") },
	"variables of a fork": func(g *grown, n int) { g.variables += rows(n, "      - {name: N%d, value: v}\n") },
	"outputs of unknown resources": func(g *grown, n int) {
		g.variables += rows(n, "      - {name: M%d, valueFrom: {resource: {name: x%[1]d, outputKey: s.o}}}\n")
	},
	"unknown outputs of a resource": func(g *grown, n int) {
		g.variables += rows(n, "      - {name: L%d, valueFrom: {resource: {name: db, outputKey: s.z%[1]d}}}\n")
	},
	"resources":        func(g *grown, n int) { g.resources += rows(n, "  - {name: r%d, plugin: db@1.0.0}\n") },
	"unknown plugins":  func(g *grown, n int) { g.resources += rows(n, "  - {name: z%d, plugin: dx%[1]d@1.0.0}\n") },
	"unknown versions": func(g *grown, n int) { g.resources += rows(n, "  - {name: y%d, plugin: db@2.%[1]d.0}\n") },
	"versions": func(g *grown, n int) {
		g.others += rows(n/4, item("ResourcePlugin", "db@1.1.%d",
			"{runner: {image: alpine}, create: [{name: s, script: \"#!/bin/sh\"}]}"))
	},
	"unknown keys of the route group": func(g *grown, n int) { g.group += rows(n, "  k%d: v\n") },
	"labels of a match":               func(g *grown, n int) { g.match += rows(n, "    - label: {key: l%d, value: v*}\n") },
	"wrong labels of a match":         func(g *grown, n int) { g.match += rows(n, "    - label: {key: _%d, value: \"\"}\n") },
	"nested matches": func(g *grown, n int) {
		g.match += rows(n, "    - all: [{label: {key: l%d, value: v}}, {any: []}]\n")
	},
	"endpoints": func(g *grown, n int) {
		g.endpoints += rows(n, "  - {name: e%d, target: \"http://w.shop.svc:80\"}\n")
	},
	"wrong endpoints": func(g *grown, n int) {
		g.endpoints += rows(n, "  - {name: _%d, target: w%[1]d, cluster: c%[1]d}\n")
	},
	"endpoints of one name": func(g *grown, n int) {
		g.endpoints += rows(n, "  - {name: web, target: \"http://w.shop.svc:%d\"}\n")
	},
	"route groups": func(g *grown, n int) {
		g.others += rows(n/4, item("RouteGroup", "g%d", "{cluster: demo, match: {label: {key: l, value: v}}}"))
	},
	"route groups of one name": func(g *grown, n int) {
		g.others += rows(n/4, item("RouteGroup", "same", "{cluster: demo, match: {label: {key: l%d, value: v}}}"))
	},
	"unknown keys of the test":  func(g *grown, n int) { g.test += rows(n, "  k%d: v\n") },
	"skipped checks":            func(g *grown, n int) { g.skip += rows(n, "  - check-%d\n") },
	"repeated checks":           func(g *grown, n int) { g.skip += rows(n, "  - delete-twice # %d\n") },
	"fixtures":                  func(g *grown, n int) { g.fixtures += rows(n, "  - {name: f%d, command: [./f], port: 80}\n") },
	"fixtures with wrong names": func(g *grown, n int) { g.fixtures += rows(n, "  - {name: _f%d}\n") },
	"variables of a fixture":    func(g *grown, n int) { g.fixtureEnv += rows(n, "      E%d: v\n") },
	"secrets":                   func(g *grown, n int) { g.secrets += rows(n, "  - {name: x%d, data: {a: b}}\n") },
	"secrets of one name":       func(g *grown, n int) { g.secrets += rows(n, "  - {name: same, data: {a%d: b}}\n") },
	"keys of a secret":          func(g *grown, n int) { g.data += rows(n, "      k%d: v\n") },
	"values of unknown fixtures": func(g *grown, n int) {
		g.values += rows(n, "    - {name: k%d, fixture: u%[1]d, field: host}\n")
	},
	"cases":             func(g *grown, n int) { g.cases += rows(n, "  - {name: c%d, params: {a: v}}\n") },
	"cases of one name": func(g *grown, n int) { g.cases += rows(n, "  - {name: same, params: {a: v%d}}\n") },
	"params of a case":  func(g *grown, n int) { g.caseParams += rows(n, "      p%d: v\n") },
	"values of fixtures": func(g *grown, n int) {
		g.caseValues += rows(n, "    - {name: p%d, fixture: f%[1]d, field: port}\n")
	},
	"expected outputs": func(g *grown, n int) { g.expected += rows(n, "      - {step: s, output: o%d, equals: v}\n") },
	"expected outputs of unknown steps": func(g *grown, n int) {
		g.expected += rows(n, "      - {step: u%d, output: o, matches: \"(\"}\n")
	},
	"tests": func(g *grown, n int) {
		g.others += rows(n/4, item("PluginTest", "t%d", "{plugin: db, cases: [{name: c}]}"))
	},
	"tests of unknown plugins": func(g *grown, n int) {
		g.others += rows(n/4, item("PluginTest", "same", "{plugin: dx%d, cases: [{name: c}]}"))
	},
}

// item returns the format of an item of a list.
func item(kind, name, spec string) string {
	return "- {apiVersion: resourceplugins.dev/v1alpha1, kind: " + kind + ", metadata: {name: \"" + name + "\"}, spec: " + spec + "}\n"
}

// rows joins a format filled in with the numbers below n.
func rows(n int, format string) string {
	var all strings.Builder
	for i := range n {
		fmt.Fprintf(&all, format, i)
	}
	return all.String()
}

// list returns the documents as a ResourceList.
func (g *grown) list() []byte {
	list := "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
	for _, document := range []string{
		"kind: ResourcePlugin\nmetadata: {name: db@1.0.0}\nspec:\n" + g.spec +
			"  runner:\n    image: alpine\n    podTemplateOverlay: |\n      spec:\n        containers:\n        - name: main\n" +
			"          env:\n          - {name: A, value: a}\n" + g.env + g.comments +
			"  create:\n  - name: other\n    script: \"#!/bin/sh\"\n    outputs:\n    - {name: o, valueFromPath: /o}\n" + g.outputs +
			"  - name: s\n" + g.step + "    script: |\n      #!/bin/sh\n      echo $a\n" + g.script +
			"    outputs:\n    - {name: o, valueFromPath: /o}\n" + g.outputs +
			"    inputs:\n    - {name: a, valueFromSandbox: true}\n" + g.inputs + g.steps,
		"kind: Sandbox\nmetadata: {name: sb}\nspec:\n  cluster: demo\n  labels:\n    l: \"\"\n" + g.labels +
			"  resources:\n  - name: db\n    plugin: db@1.0.0\n    params:\n      a: v\n" + g.params + g.resources +
			"  forks:\n  - forkOf: {kind: Deployment, namespace: shop, name: w}\n    customizations:\n      env:\n" +
			"      - {name: N, value: v}\n" + g.variables,
		"kind: RouteGroup\nmetadata: {name: rg}\nspec:\n  cluster: demo\n" + g.group + "  match:\n    any:\n" +
			"    - label: {key: l, value: v}\n" + g.match + "  endpoints:\n  - {name: web, target: \"http://w.shop.svc:80\"}\n" +
			g.endpoints,
		"kind: PluginTest\nmetadata: {name: t}\nspec:\n  plugin: db\n" + g.test + "  skip:\n  - create-twice\n" + g.skip +
			"  fixtures:\n  - name: f\n    command: [./f]\n    port: 80\n    env:\n      A: a\n" + g.fixtureEnv + g.fixtures +
			"  secrets:\n  - name: x\n    data:\n      a: b\n" + g.data +
			"    fixtureData:\n    - {name: h, fixture: f, field: host}\n" + g.values + g.secrets +
			"  cases:\n  - name: c\n    params:\n      a: v\n" + g.caseParams +
			"    fixtureParams:\n    - {name: h, fixture: f, field: port}\n" + g.caseValues +
			"    create:\n      outputs:\n      - {step: s, output: o, equals: v}\n" + g.expected + g.cases,
	} {
		text := "apiVersion: resourceplugins.dev/v1alpha1\n" + document
		list += "- " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ") + "\n"
	}
	return []byte(list + g.others)
}

// The cost of checking documents is in proportion to their size, whichever two dimensions grow together.
func TestCheck_costIsInProportion(t *testing.T) {
	checkout.Slow(t, "checks large documents of many pairs of shapes")
	growth.Check(t, growth.Test[grown]{Dimensions: dimensions, Few: 400, Prepare: func(g *grown) func() int {
		src := g.list()
		return func() int {
			list, err := krm.Parse(src)
			require.NoError(t, err)
			report, err := validate.Check(list, validate.Options{})
			require.NoError(t, err)
			validate.Suppress(list, report.Results, validate.Options{})
			return len(src)
		}
	}})
}
