package growth

import (
	"fmt"
	"strings"
)

// Documents are the parts of a plugin, of a sandbox with a resource and a fork, of a route group and of a cluster, which can
// all be rendered. Script is that of the first step.
type Documents struct {
	Script                                        string
	overlay, inputs, outputs, steps, deletes      string // of the plugin
	labels, params, variables, resources, forks   string // of the sandbox
	endpoints, match, matches                     string // of the route group
	workloadLabels, workloadEnv, workloads, items string // of the cluster
}

// DocumentDimensions are the parts of Documents that can grow.
var DocumentDimensions = map[string]func(d *Documents, n int){
	"lines of a script":       func(d *Documents, n int) { d.Script += rows(n, "      echo $I%d > /tmp/p%[1]d\n") },
	"variables of an overlay": func(d *Documents, n int) { d.overlay += rows(n, "          - {name: O%d, value: v}\n") },
	"params": func(d *Documents, n int) {
		d.inputs += rows(n, "    - {name: i%d, valueFromSandbox: true, as: {env: I%[1]d}}\n")
		d.params += rows(n, "      i%d: v\n")
	},
	"params as files": func(d *Documents, n int) {
		d.inputs += rows(n, "    - {name: f%d, valueFromSandbox: true, as: {path: /in/f%[1]d}}\n")
		d.params += rows(n, "      f%d: v\n")
	},
	"outputs": func(d *Documents, n int) { d.outputs += rows(n, "    - {name: o%d, valueFromPath: /tmp/p%[1]d}\n") },
	"steps":   func(d *Documents, n int) { d.steps += rows(n, "  - {name: t%d, script: \"#!/bin/sh\"}\n") },
	"steps that read an output": func(d *Documents, n int) {
		d.steps += rows(n, "  - {name: v%d, script: \"#!/bin/sh\", inputs: ["+readsOutput+"]}\n")
	},
	"plugins in use": func(d *Documents, n int) { // the steps with outputs of one plugin are limited
		d.items += rows(n/4, usedPlugin)
		d.resources += rows(n/4, "  - {name: u%d, plugin: used%[1]d@1.0.0, params: {i: v}}\n")
	},
	"plugins":   func(d *Documents, n int) { d.items += rows(n/4, otherPlugin) },
	"labels":    func(d *Documents, n int) { d.labels += rows(n, "    l%d: v\n") },
	"resources": func(d *Documents, n int) { d.resources += rows(n, "  - {name: r%d, plugin: small@1.0.0}\n") },
	"sandboxes": func(d *Documents, n int) { d.items += rows(n/4, otherSandbox) },
	"variables of a fork": func(d *Documents, n int) {
		d.variables += rows(n, "      - {name: N%d, value: v}\n")
	},
	"variables from an output": func(d *Documents, n int) {
		d.variables += rows(n, "      - {name: M%d, valueFrom: {resource: {name: db, outputKey: s.o}}}\n")
	},
	"forks": func(d *Documents, n int) {
		d.forks += rows(n/4, "  - forkOf: {kind: Deployment, namespace: shop, name: f%d}\n")
		d.workloads += rows(n/4, strings.ReplaceAll(workload, "NAME", "f%[1]d"))
	},
	"endpoints": func(d *Documents, n int) {
		d.endpoints += rows(n, "  - {name: e%d, target: \"http://w.shop.svc:80\"}\n")
	},
	"labels of a match": func(d *Documents, n int) { d.match += rows(n, "    - label: {key: l%d, value: v*}\n") },
	"nested matches": func(d *Documents, n int) {
		d.match += rows(n, "    - all: [{label: {key: l%d, value: v}}, {label: {key: l, value: v}}]\n")
	},
	"route groups":      func(d *Documents, n int) { d.matches += rows(n/4, otherGroup) },
	"workloads":         func(d *Documents, n int) { d.workloads += rows(n/4, strings.ReplaceAll(workload, "NAME", "o%[1]d")) },
	"labels of Pods":    func(d *Documents, n int) { d.workloadLabels += rows(n, "l%d: v, ") },
	"variables of Pods": func(d *Documents, n int) { d.workloadEnv += rows(n, "{name: P%d, value: v}, ") },
	"other objects": func(d *Documents, n int) {
		d.items += rows(n, "- {apiVersion: v1, kind: ConfigMap, metadata: {name: c%d}}\n")
	},
	"other disruptions":  func(d *Documents, n int) { d.items += rows(n/4, otherBudget) },
	"overridden by ours": func(d *Documents, n int) { d.workloadEnv += rows(n, "{name: N%d, value: old}, ") },
}

const (
	readsOutput = "{name: o, valueFromStep: {name: s, output: o}, as: {env: O}}"
	ours        = "- {apiVersion: resourceplugins.dev/v1alpha1, "
	otherPlugin = ours + "kind: ResourcePlugin, metadata: {name: \"db@1.1.%d\"}, " +
		"spec: {runner: {image: alpine}, create: [{name: s, script: x}]}}\n"
	usedPlugin = ours + "kind: ResourcePlugin, metadata: {name: \"used%d@1.0.0\"}, spec: {runner: {image: alpine}, create: [" +
		"{name: s, script: \"#!/bin/sh\", inputs: [{name: i, valueFromSandbox: true, as: {env: I}}], " +
		"outputs: [{name: o, valueFromPath: /o}]}, " +
		"{name: t, script: \"#!/bin/sh\", inputs: [" + readsOutput + "], outputs: [{name: o, valueFromPath: /o}]}], " +
		"delete: [{name: d, script: \"#!/bin/sh\", inputs: [" + readsOutput + "]}]}}\n"
	otherSandbox = ours + "kind: Sandbox, metadata: {name: sb%d}, spec: {cluster: demo, labels: {l: other}, " +
		"resources: [{name: db, plugin: small@1.0.0}], forks: [{forkOf: {kind: Deployment, namespace: shop, name: w}}]}}\n"
	otherGroup = ours + "kind: RouteGroup, metadata: {name: rg%d}, spec: {cluster: demo, " +
		"match: {label: {key: none, value: v}}, endpoints: [{name: web, target: \"http://w.shop.svc:80\"}]}}\n"
	otherBudget = "- {apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b%d, namespace: shop}, " +
		"spec: {selector: {matchLabels: {app: x%[1]d}}}}\n"
	workload = "- {apiVersion: apps/v1, kind: Deployment, metadata: {name: NAME, namespace: shop}, " +
		"spec: {selector: {matchLabels: {app: NAME}}, " +
		"template: {metadata: {labels: {app: NAME}}, spec: {containers: [{name: main, image: web}]}}}}\n" +
		"- {apiVersion: v1, kind: Service, metadata: {name: NAME, namespace: shop}, " +
		"spec: {selector: {app: NAME}, ports: [{port: 80}]}}\n"
)

// rows joins a format filled in with the numbers below n.
func rows(n int, format string) string {
	var all strings.Builder
	for i := range n {
		fmt.Fprintf(&all, format, i)
	}
	return all.String()
}

// List returns the documents as a ResourceList.
func (d *Documents) List() []byte {
	var list strings.Builder
	list.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n")
	for _, document := range []string{
		"kind: ResourcePlugin\nmetadata: {name: db@1.0.0}\nspec:\n  runner:\n    image: alpine\n    podTemplateOverlay: |\n" +
			"      spec:\n        containers:\n        - name: main\n          env:\n          - {name: A, value: a}\n" + d.overlay +
			"  create:\n  - name: s\n    script: |\n      #!/bin/sh\n      echo $I > /tmp/o\n" + d.Script +
			"    inputs:\n    - {name: i, valueFromSandbox: true, as: {env: I}}\n" + d.inputs +
			"    outputs:\n    - {name: o, valueFromPath: /tmp/o}\n" + d.outputs + d.steps +
			"  delete:\n  - {name: d, script: \"#!/bin/sh\"}\n" + d.deletes,
		"kind: ResourcePlugin\nmetadata: {name: small@1.0.0}\nspec:\n  runner: {image: alpine}\n" +
			"  create: [{name: s, script: \"#!/bin/sh\"}]\n",
		"kind: Sandbox\nmetadata: {name: sb}\nspec:\n  cluster: demo\n  labels:\n    l: v\n" + d.labels +
			"  resources:\n  - name: db\n    plugin: db@1.0.0\n    params:\n      i: v\n" + d.params + d.resources +
			"  forks:\n  - forkOf: {kind: Deployment, namespace: shop, name: w}\n    customizations:\n      env:\n" +
			"      - {name: FORK, valueFrom: {resource: {name: db, outputKey: s.o}}}\n" + d.variables + d.forks,
		"kind: RouteGroup\nmetadata: {name: rg}\nspec:\n  cluster: demo\n  match:\n    any:\n    - label: {key: l, value: v}\n" +
			d.match + "  endpoints:\n  - {name: web, target: \"http://w.shop.svc:80\"}\n" + d.endpoints,
	} {
		text := "apiVersion: resourceplugins.dev/v1alpha1\n" + document
		list.WriteString("- " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ") + "\n")
	}
	main := strings.ReplaceAll(workload, "NAME", "w")
	main = strings.Replace(main, "labels: {app", "labels: {"+d.workloadLabels+"app", 1)
	main = strings.Replace(main, "image: web", "image: web, env: ["+d.workloadEnv+"{name: POD, value: v}]", 1)
	return []byte(list.String() + d.items + d.matches + main + d.workloads)
}
