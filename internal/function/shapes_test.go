package function

import (
	"fmt"
	"strings"
)

// shape is a kind of input that can grow. Its documents begin with their names, as native ones do; foreign ones are whole.
type shape struct {
	name      string
	few       int // how large it is at first: small enough for ten times as much in a test
	documents func(n int) (documents []native, foreign []string)
}

// native is a document of our own kinds.
type native struct{ kind, name, spec string }

func (d native) krm() string {
	return fmt.Sprintf("apiVersion: resourceplugins.dev/v1alpha1\nkind: %s\nmetadata:\n  name: %s\nspec:\n%s", d.kind, d.name, d.spec)
}

func (d native) text() string { return "name: " + d.name + "\nspec:\n" + d.spec }

// times joins the results of format for the numbers below n.
func times(n int, format func(i int) string) string {
	var all strings.Builder
	for i := range n {
		all.WriteString(format(i))
	}
	return all.String()
}

// numbered is times for a format whose verbs all take the number, as %[1]d.
func numbered(n int, format string) string {
	return times(n, func(i int) string { return fmt.Sprintf(format, i) })
}

func pluginOf(name, create string) native {
	return native{"ResourcePlugin", name, "  runner: {image: alpine}\n  create:\n" + create}
}

func sandboxOf(name, rest string) native { return native{"Sandbox", name, "  cluster: demo\n" + rest} }

const (
	aStep      = "  - name: s\n    script: \"#!/bin/sh\"\n"
	aResource  = "  resources:\n  - {name: db, plugin: db@1.0.0}\n"
	aFork      = "  forks:\n  - forkOf: {kind: Deployment, namespace: shop, name: w0}\n"
	manyOutput = "    - {name: o%[1]d, valueFromPath: /outputs/o%[1]d}\n"
)

// workload is a Deployment with a Service, the number i, with more in its template's labels and its container's variables.
func workload(i int, labels, env string) []string {
	return []string{
		fmt.Sprintf("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: w%[1]d, namespace: shop}\nspec:\n"+
			"  selector: {matchLabels: {app: w%[1]d}}\n  template:\n    metadata:\n      labels:\n        app: w%[1]d\n%[2]s"+
			"    spec:\n      containers:\n      - name: main\n        image: web:1\n        env:\n        - {name: A, value: a}\n%[3]s",
			i, labels, env),
		fmt.Sprintf("apiVersion: v1\nkind: Service\nmetadata: {name: w%[1]d, namespace: shop}\nspec:\n"+
			"  selector: {app: w%[1]d}\n  ports: [{port: 80}]\n", i),
	}
}

func patchOf(kind, value string) string {
	return aFork + "    customizations:\n      patch:\n        type: " + kind + "\n        value: |\n" +
		"          " + strings.ReplaceAll(value, "\n", "\n          ") + "\n"
}

// forking returns a sandbox and the workload that it forks.
func forking(rest string) ([]native, []string) {
	return []native{sandboxOf("sb", rest)}, workload(0, "", "")
}

// using returns a plugin and a sandbox that uses it.
func using(plugin native) ([]native, []string) {
	return []native{plugin, sandboxOf("sb", aResource)}, nil
}

// each returns a document for each number below n, after others.
func each(n int, before []native, document func(i int) native) []native {
	for i := range n {
		before = append(before, document(i))
	}
	return before
}

var shapes = []shape{
	{"documents", 100, func(n int) ([]native, []string) {
		return each(n, nil, func(i int) native { return pluginOf(fmt.Sprintf("p%d@1.0.0", i), aStep) }), nil
	}},
	{"steps", 30, func(n int) ([]native, []string) {
		return using(pluginOf("db@1.0.0", numbered(n, "  - name: s%[1]d\n    script: \"#!/bin/sh\"\n")))
	}},
	{"chain", 30, func(n int) ([]native, []string) {
		return using(pluginOf("db@1.0.0", times(n, func(i int) string {
			step := fmt.Sprintf("  - name: s%[1]d\n    script: \"#!/bin/sh\"\n    outputs: [{name: o, valueFromPath: /outputs/o}]\n", i)
			if i > 0 {
				step += fmt.Sprintf("    inputs: [{name: i, valueFromStep: {name: s%d, output: o}, as: {env: I}}]\n", i-1)
			}
			return step
		})))
	}},
	{"fan-in", 20, func(n int) ([]native, []string) { // 16 is the most that a step may read
		return using(pluginOf("db@1.0.0", numbered(16, "  - {name: s%[1]d, script: \"#!/bin/sh\", outputs: [{name: o, valueFromPath: /o}]}\n")+
			times(n, func(i int) string {
				return fmt.Sprintf("  - name: all%d\n    script: \"#!/bin/sh\"\n    inputs:\n", i) +
					numbered(16, "    - {name: i%[1]d, valueFromStep: {name: s%[1]d, output: o}, as: {env: I%[1]d}}\n")
			})))
	}},
	{"params", 200, func(n int) ([]native, []string) {
		return []native{
			pluginOf("db@1.0.0", aStep+"    inputs:\n"+numbered(n, "    - {name: i%[1]d, valueFromSandbox: true, as: {env: I%[1]d}}\n")),
			sandboxOf("sb", "  resources:\n  - name: db\n    plugin: db@1.0.0\n    params:\n"+numbered(n, "      i%[1]d: v\n")),
		}, nil
	}},
	{"outputs", 200, func(n int) ([]native, []string) {
		return using(pluginOf("db@1.0.0", aStep+"    outputs:\n"+numbered(n, manyOutput)))
	}},
	{"sandboxes", 50, func(n int) ([]native, []string) {
		return each(n, []native{pluginOf("db@1.0.0", aStep)}, func(i int) native {
			return sandboxOf(fmt.Sprintf("sb-%d", i), aResource+aFork)
		}), workload(0, "", "")
	}},
	{"resources", 50, func(n int) ([]native, []string) {
		return []native{
			pluginOf("db@1.0.0", aStep),
			sandboxOf("sb", "  resources:\n"+numbered(n, "  - {name: r%[1]d, plugin: db@1.0.0}\n")),
		}, nil
	}},
	{"forks", 50, func(n int) (documents []native, foreign []string) {
		for i := range n {
			foreign = append(foreign, workload(i, "", "")...)
		}
		return []native{sandboxOf("sb", "  forks:\n"+
			numbered(n, "  - forkOf: {kind: Deployment, namespace: shop, name: w%[1]d}\n"))}, foreign
	}},
	{"patches", 50, func(n int) ([]native, []string) {
		return each(n, nil, func(i int) native {
			return sandboxOf(fmt.Sprintf("sb-%d", i), patchOf("strategic", "spec: {template: {spec: {containers: [{name: main, tty: true}]}}}"))
		}), workload(0, "", "")
	}},
	{"elements of a strategic patch", 500, func(n int) ([]native, []string) {
		return forking(patchOf("strategic", "spec: {template: {spec: {containers: [{name: main, env: ["+
			numbered(n, "{name: N%[1]d, value: v},")+"]}]}}}"))
	}},
	{"elements of a merge patch", 200, func(n int) ([]native, []string) {
		return forking(patchOf("merge", "spec: {template: {spec: {containers: [{name: main, image: x, env: ["+
			numbered(n, "{name: N%[1]d, value: v},")+"]}]}}}"))
	}},
	{"operations", 200, func(n int) ([]native, []string) {
		return forking(patchOf("json", strings.TrimSpace(numbered(n,
			"- {op: add, path: /spec/template/spec/containers/0/env/-, value: {name: N%[1]d, value: v}}\n"))))
	}},
	{"variables", 200, func(n int) ([]native, []string) {
		documents, _ := forking(aFork + "    customizations:\n      env:\n" + numbered(n, "      - {name: N%[1]d, value: v}\n"))
		return documents, workload(0, "", numbered(n, "        - {name: N%[1]d, value: v}\n"))
	}},
	{"variables of an overlay", 400, func(n int) ([]native, []string) {
		plugin := pluginOf("db@1.0.0", aStep)
		plugin.spec = "  runner:\n    image: alpine\n    podTemplateOverlay: |\n      spec:\n        containers:\n        - name: main\n" +
			"          env:\n" + numbered(n, "          - {name: N%[1]d, value: v}\n") + "  create:\n" + aStep
		return using(plugin)
	}},
	{"variables of an overlay and inputs", 100, func(n int) ([]native, []string) {
		plugin := pluginOf("db@1.0.0", "")
		plugin.spec = "  runner:\n    image: alpine\n    podTemplateOverlay: |\n      spec:\n        containers:\n        - name: main\n" +
			"          env:\n" + numbered(n, "          - {name: N%[1]d, value: v}\n") + "  create:\n" + aStep +
			"    inputs:\n" + numbered(n, "    - {name: i%[1]d, valueFromSandbox: true, as: {env: I%[1]d}}\n")
		return []native{plugin, sandboxOf("sb", "  resources:\n  - name: db\n    plugin: db@1.0.0\n    params:\n"+
			numbered(n, "      i%[1]d: v\n"))}, nil
	}},
	{"labels", 200, func(n int) ([]native, []string) {
		return []native{sandboxOf("sb", "  labels:\n"+numbered(n, "    l%[1]d: v\n")+aFork)}, workload(0, numbered(n, "        l%[1]d: v\n"), "")
	}},
	{"depth", 100, func(n int) ([]native, []string) {
		return []native{
			{"RouteGroup", "rg", "  cluster: demo\n  match: " + strings.Repeat("{any: [", n) + "{label: {key: a, value: b}}" + strings.Repeat("]}", n) + "\n"},
			sandboxOf("sb", "  unknown: "+strings.Repeat("[", n)+strings.Repeat("]", n)+"\n"+
				patchOf("merge", strings.Repeat("{a: ", n)+"b"+strings.Repeat("}", n))),
		}, workload(0, "", "")
	}},
	{"unknown keys", 200, func(n int) ([]native, []string) {
		return []native{pluginOf("db@1.0.0", aStep+numbered(n, "    key%[1]d: v\n"))}, nil
	}},
	{"aliases", 200, func(n int) ([]native, []string) {
		return using(pluginOf("db@1.0.0", "  - name: s\n    script: &s \"#!/bin/sh\"\n"+numbered(n, "  - {name: s%[1]d, script: *s}\n")))
	}},
	{"copies of a plugin", 100, func(n int) ([]native, []string) {
		return each(n, []native{sandboxOf("sb", aResource)}, func(int) native { return pluginOf("db@1.0.0", aStep) }), nil
	}},
	{"versions of a plugin", 100, func(n int) ([]native, []string) {
		return each(n, []native{sandboxOf("sb", "  resources:\n  - {name: db, plugin: db@^1}\n")}, func(i int) native {
			return pluginOf(fmt.Sprintf("db@1.%d.0", i), aStep)
		}), nil
	}},
	{"versions of a catalog", 200, func(n int) ([]native, []string) {
		return []native{
			{"Catalog", "all", "  plugins:\n  - name: db\n    versions:\n" +
				numbered(n, "    - {version: 1.%[1]d.0, digest: \"sha256:%064[1]x\"}\n")},
			sandboxOf("sb", "  resources:\n  - {name: db, plugin: db@^1}\n"),
		}, nil
	}},
	{"entries of a lock", 200, func(n int) ([]native, []string) {
		return []native{
			pluginOf("db@1.0.0", aStep), sandboxOf("sb", aResource),
			{"PluginLock", "lock", "  plugins:\n" +
				numbered(n, "  - {asked: p%[1]d@^1, chosen: p%[1]d@1.0.0, digest: \"sha256:%064[1]x\"}\n")},
		}, nil
	}},
	{"route groups", 100, func(n int) ([]native, []string) {
		return each(n, []native{sandboxOf("sb", "  labels: {l0: v}\n"+aFork)}, func(i int) native {
			return native{"RouteGroup", fmt.Sprintf("rg-%d", i), "  cluster: demo\n  match: {label: {key: l0, value: v}}\n" +
				"  endpoints: [{name: e, target: \"http://w0.shop.svc:80\"}]\n"}
		}), workload(0, "", "")
	}},
	{"endpoints", 100, func(n int) ([]native, []string) {
		return forking(aFork + "  defaultRouteGroup:\n    endpoints:\n" +
			numbered(n, "    - {name: e%[1]d, target: \"http://w0.shop.svc:80\"}\n"))
	}},
	{"lines of a script", 300, func(n int) ([]native, []string) {
		return using(pluginOf("db@1.0.0", "  - name: s\n    script: |\n      #!/bin/sh\n"+
			numbered(n, "      echo \"$A%[1]d\" @@{x} > /outputs/o%[1]d\n")))
	}},
	{"findings", 100, func(n int) ([]native, []string) {
		return []native{
			pluginOf("db@1.0.0", numbered(n, "  - {name: -s%[1]d, script: [], outputs: [{name: -}]}\n")),
			sandboxOf("sb", "  resources:\n"+numbered(n, "  - {name: r%[1]d, plugin: missing}\n")),
		}, nil
	}},
}
