//go:build unix

package validate_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// grown is the parts of a plugin and of a sandbox that uses it. Each dimension adds to some of them.
type grown struct {
	spec, env, step, inputs, outputs, script, steps, comments string // of the plugin
	params, labels, variables, resources, versions            string
}

// dimensions are what can grow, each by n. A rule may compare the parts of one with those of another.
var dimensions = []struct {
	name string
	add  func(g *grown, n int)
}{
	{"unread inputs", func(g *grown, n int) { g.inputs += rows(n, "    - {name: i%d, valueFromSandbox: true}\n") }},
	{"inputs with files", func(g *grown, n int) {
		g.inputs += rows(n, "    - {name: f%d, valueFromSandbox: true, as: {path: /in/d%[1]d/f}}\n")
	}},
	{"unset variables", func(g *grown, n int) { g.script += rows(n, "      echo $X_I%d\n") }},
	{"assignments", func(g *grown, n int) { g.script += rows(n, "      V%d=1\n") }},
	{"paths in the script", func(g *grown, n int) { g.script += rows(n, "      cat /p/q%d/$y > r%[1]d\n") }},
	{"variables of the overlay", func(g *grown, n int) { g.env += rows(n, "          - {name: O%d, value: v}\n") }},
	{"unwritten outputs", func(g *grown, n int) { g.outputs += rows(n, "    - {name: o%d, valueFromPath: /out/o%[1]d}\n") }},
	{"outputs with wrong names", func(g *grown, n int) { g.outputs += rows(n, "    - {name: _o%d, valueFromPath: /o}\n") }},
	{"steps", func(g *grown, n int) { g.steps += rows(n, "  - {name: t%d, script: \"#!/bin/sh\\necho $a\"}\n") }},
	{"steps with wrong names", func(g *grown, n int) { g.steps += rows(n, "  - {name: _t%d, script: \"#!/bin/sh\\necho $a\"}\n") }},
	{"unknown outputs", func(g *grown, n int) {
		g.inputs += rows(n, "    - {name: u%d, valueFromStep: {name: other, output: q%[1]d}}\n")
	}},
	{"unknown steps", func(g *grown, n int) {
		g.inputs += rows(n, "    - {name: v%d, valueFromStep: {name: n%[1]d, output: q}}\n")
	}},
	{"unknown keys of the spec", func(g *grown, n int) { g.spec += rows(n, "  k%d: v\n") }},
	{"unknown keys of the step", func(g *grown, n int) { g.step += rows(n, "    k%d: v\n") }},
	{"comments", func(g *grown, n int) { g.comments += rows(n, "  # krm-functions: ignore input-unread reason %d\n") }},
	{"params", func(g *grown, n int) { g.params += rows(n, "      p%d: v\n") }},
	{"labels", func(g *grown, n int) { g.labels += rows(n, "    l%d: \"\"\n") }},
	{"variables of a fork", func(g *grown, n int) { g.variables += rows(n, "      - {name: N%d, value: v}\n") }},
	{"outputs of unknown resources", func(g *grown, n int) {
		g.variables += rows(n, "      - {name: M%d, valueFrom: {resource: {name: x%[1]d, outputKey: s.o}}}\n")
	}},
	{"unknown outputs of a resource", func(g *grown, n int) {
		g.variables += rows(n, "      - {name: L%d, valueFrom: {resource: {name: db, outputKey: s.z%[1]d}}}\n")
	}},
	{"resources", func(g *grown, n int) { g.resources += rows(n, "  - {name: r%d, plugin: db@1.0.0}\n") }},
	{"unknown plugins", func(g *grown, n int) { g.resources += rows(n, "  - {name: z%d, plugin: dx%[1]d@1.0.0}\n") }},
	{"unknown versions", func(g *grown, n int) { g.resources += rows(n, "  - {name: y%d, plugin: db@2.%[1]d.0}\n") }},
	{"versions", func(g *grown, n int) {
		g.versions += rows(n/4, "- apiVersion: resourceplugins.dev/v1alpha1\n  kind: ResourcePlugin\n  metadata: {name: db@1.1.%d}\n"+
			"  spec:\n    runner: {image: alpine}\n    create: [{name: s, script: \"#!/bin/sh\"}]\n")
	}},
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
	} {
		text := "apiVersion: resourceplugins.dev/v1alpha1\n" + document
		list += "- " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ") + "\n"
	}
	return []byte(list + g.versions)
}

// checkTime returns the CPU time of checking a list.
func checkTime(t *testing.T, src []byte) time.Duration {
	t.Helper()
	before := cpuTime(t)
	list, err := krm.Parse(src)
	require.NoError(t, err)
	report, err := validate.Check(list, validate.Options{})
	require.NoError(t, err)
	validate.Suppress(list, report.Results, validate.Options{})
	return cpuTime(t) - before
}

// cpuTime returns the time that all cores have spent on this process.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// The cost of checking documents is in proportion to their size: ten times as much of any two dimensions takes about ten
// times the CPU time, and not a hundred times. The test is not parallel, and compares times of one run.
func TestCheck_costIsInProportion(t *testing.T) {
	checkout.Slow(t, "checks large documents of many pairs of shapes")
	random := checkout.Random(t)
	for i, first := range dimensions {
		inProportion(t, first.name, 400, first.add)
		for _, second := range dimensions[i+1:] {
			if random.IntN(5) == 0 { // all pairs take five times as long
				inProportion(t, first.name+" and "+second.name, 100, first.add, second.add)
			}
		}
	}
}

// inProportion compares the cost of few and of ten times as many.
func inProportion(t *testing.T, name string, few int, add ...func(*grown, int)) {
	t.Helper()
	const times, most, least = 10, 25, 2 * time.Millisecond
	sized := func(n int) []byte {
		var g grown
		for _, one := range add {
			one(&g, n)
		}
		return g.list()
	}
	one, many := checkTime(t, sized(few)), checkTime(t, sized(times*few))
	for range 3 { // the machine may be busy
		if many > most*max(one, least) {
			one, many = max(one, checkTime(t, sized(few))), min(many, checkTime(t, sized(times*few)))
		}
	}
	assert.LessOrEqual(t, many, most*max(one, least), "%s: %d take %s, %d take %s", name, few, one, times*few, many)
}
