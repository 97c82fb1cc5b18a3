package function

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/function/importplugin"
	"github.com/resource-plugins/krm-functions/internal/function/renderphase"
	"github.com/resource-plugins/krm-functions/internal/function/rendersandbox"
	"github.com/resource-plugins/krm-functions/internal/function/resolveversion"
	"github.com/resource-plugins/krm-functions/internal/function/validateplugin"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

const (
	smallInput  = 17_500 // bytes
	smallMemory = 64 << 20
)

// long is a text of some bytes.
func long(bytes int) string { return strings.Repeat("x", bytes) }

// laughs are lines of YAML whose aliases stand for ten times as much in each line.
func laughs() string {
	lines := "a0: &a0 [x, x]\n"
	for n := range 40 {
		lines += fmt.Sprintf("a%d: &a%d [%s*a%d]\n", n+1, n+1, strings.Repeat(fmt.Sprintf("*a%d, ", n), 9), n)
	}
	return strings.TrimSpace(lines)
}

func indented(text string, by int) string {
	return strings.Repeat(" ", by) + strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", by)) + "\n"
}

// hostileKinds are specs that any document may have.
var hostileKinds = map[string]string{
	"laughs":         indented(laughs(), 2),
	"aliased text":   "  x: &a " + long(8000) + "\n  b: [" + strings.Repeat("*a, ", 2000) + "]\n",
	"lists":          "  x: " + strings.Repeat("[", 8000) + strings.Repeat("]", 8000) + "\n",
	"mappings":       "  x: " + strings.Repeat("{a: ", 3300) + strings.Repeat("}", 3300) + "\n",
	"fewer mappings": "  x: [" + strings.Repeat(strings.Repeat("{a: ", 480)+strings.Repeat("}", 480)+", ", 6) + "]\n",
	"a long key":     "  ? " + long(900) + "\n  : [" + strings.Repeat("{a}, ", 1600) + "]\n",
	"wrong elements": "  resources: [" + strings.Repeat("{a}, ", 1100) + "]\n  create: [" + strings.Repeat("{a}, ", 1100) +
		"]\n  forks: [" + strings.Repeat("{a}, ", 1000) + "]\n",
}

// hostilePatches are patches of a fork, by type.
var hostilePatches = [][2]string{
	{"merge", laughs()},
	{"merge", "a: &a " + long(8000) + "\nb: [" + strings.Repeat("*a, ", 2100) + "]"},
	{"strategic", "a: &a " + long(8000) + "\nb: [" + strings.Repeat("*a, ", 2100) + "]"},
	{"json", "- {op: add, path: /x, value: &a " + long(8000) + "}\n- {op: add, path: /y, value: [" + strings.Repeat("*a, ", 2000) + "]}"},
	{"json", strings.TrimSpace(numbered(280, "- {op: copy, from: /spec, path: /spec/c%[1]d}\n"))},
	{"json", "- {op: add, path: /spec/x, value: " + long(8000) + "}\n" +
		strings.TrimSpace(numbered(140, "- {op: copy, from: /spec/x, path: /spec/c%[1]d}\n"))},
	{"merge", strings.Repeat("{a: ", 3300) + "b" + strings.Repeat("}", 3300)},
	{"strategic", strings.Repeat("{a: ", 3300) + "b" + strings.Repeat("}", 3300)},
	{"json", "- {op: add, path: /x, value: " + strings.Repeat("[", 8000) + strings.Repeat("]", 8000) + "}"},
	{"signadot/env", "- {name: A, value: &a " + long(8000) + "}\n" + strings.TrimSpace(numbered(220, "- {name: N%[1]d, value: *a}\n"))},
}

// overlaid returns a plugin with an overlay.
func overlaid(overlay, create string) native {
	return native{"ResourcePlugin", "db", "  runner:\n    image: alpine\n    podTemplateOverlay: |\n" + indented(overlay, 6) + "  create:\n" + create}
}

// manySteps and manyResources are as many as fit into some bytes.
func manySteps(n int) string { return numbered(n, "  - {name: s%[1]d, script: \"#!/bin/sh\"}\n") }

func manyResources(n int, params string) string {
	return "  resources:\n" + numbered(n, "  - {name: r%[1]d, plugin: db"+params+"}\n")
}

// hostileProducts are documents whose output grows with the product of the sizes of their parts.
func hostileProducts() map[string][]native {
	const step = "  - {name: s%[1]d, script: \"#!/bin/sh\", inputs: [{name: p, valueFromSandbox: true, as: {env: A}}]}\n"
	return map[string][]native{
		"steps and resources": {pluginOf("db", manySteps(200)), sandboxOf("sb", manyResources(250, ""))},
		"steps, resources and an overlay": {
			overlaid("metadata: {annotations: {a: "+long(5000)+"}}", manySteps(150)), sandboxOf("sb", manyResources(170, "")),
		},
		"steps, resources and a param": {pluginOf("db", numbered(60, step)), sandboxOf("sb",
			"  resources:\n  - {name: r, plugin: db, params: {p: &a "+long(5500)+"}}\n"+
				numbered(110, "  - {name: r%[1]d, plugin: db, params: {p: *a}}\n"))},
		"scripts and resources": {
			pluginOf("db", "  - name: s\n    script: &a \"#!/bin/sh\\n"+long(5000)+"\"\n"+numbered(170, "  - {name: s%[1]d, script: *a}\n")),
			sandboxOf("sb", manyResources(170, "")),
		},
		"an overlay of aliases": {
			overlaid("metadata: {annotations: {a: &a "+long(8000)+"}}\nspec: {containers: [{name: main, args: ["+
				strings.Repeat("*a, ", 2000)+"]}]}", aStep), sandboxOf("sb", aResource),
		},
		"an overlay of laughs": {overlaid(laughs(), aStep), sandboxOf("sb", aResource)},
		"wrong names of steps": {{"ResourcePlugin", "db", "  description: &a " + long(8000) + "\n  runner: {image: *a}\n  create: [" +
			strings.Repeat("{name: *a, script: *a, inputs: [{name: *a}], outputs: [{name: *a, valueFromPath: *a}]},", 95) + "]\n"}},
		"wrong names of resources": {sandboxOf("sb", "  description: &a "+long(8000)+"\n  resources: ["+
			strings.Repeat("{name: *a, plugin: *a, params: {a: *a}}, ", 200)+"]\n")},
		"wrong names of forks": {sandboxOf("sb", "  description: &a "+long(8000)+"\n  forks: ["+
			strings.Repeat("{forkOf: {kind: *a, namespace: *a, name: *a}}, ", 180)+"]\n")},
		"a long name of a sandbox": {sandboxOf(long(8000), "  resources: ["+strings.Repeat("{a}, ", 1700)+"]\n")},
		"unknown plugins": {pluginOf("db", aStep), sandboxOf("sb", numbered(1, "  resources:\n")+
			numbered(400, "  - {name: r%[1]d, plugin: m%[1]d}\n"))},
		"descriptions of versions": {{"Catalog", "all", "  description: &a " + long(6000) + "\n  plugins:\n  - name: db\n    versions:\n" +
			numbered(85, "    - {version: 1.%[1]d.0, digest: \"sha256:%064[1]x\", description: *a}\n")}, sandboxOf("sb", aResource)},
	}
}

// hostileLists are lists of at most smallInput bytes, by description.
func hostileLists() map[string]string {
	lists := map[string]string{
		"tiny items": listHead + strings.Repeat("- {apiVersion: v1, kind: A, metadata: {name: a}}\n", 340),
		"tiny sandboxes": listHead +
			strings.Repeat("- {apiVersion: resourceplugins.dev/v1alpha1, kind: Sandbox, metadata: {name: a}}\n", 200),
	}
	for _, kind := range []string{"ResourcePlugin", "Sandbox", "RouteGroup", "Catalog", "PluginLock", "PluginTest"} {
		for name, spec := range hostileKinds {
			lists[kind+" of "+name] = phaseList([]string{native{kind, "a", spec}.krm()})
		}
	}
	for i, patch := range hostilePatches {
		fork := sandboxOf("sb", patchOf(patch[0], patch[1]))
		lists[fmt.Sprintf("%s patch %d", patch[0], i)] = phaseList(append(workload(0, "", ""), fork.krm()))
	}
	for name, documents := range hostileProducts() {
		var krm []string
		for _, document := range documents {
			krm = append(krm, document.krm())
		}
		lists[name] = phaseList(krm)
	}
	var routes []string // of groups, sandboxes and Services
	for i := range 38 {
		routes = append(routes, fmt.Sprintf("{apiVersion: resourceplugins.dev/v1alpha1, kind: RouteGroup, metadata: {name: g%d}, "+
			"spec: {match: {label: {key: a, value: '*'}}}}", i),
			fmt.Sprintf("{apiVersion: resourceplugins.dev/v1alpha1, kind: Sandbox, metadata: {name: s%d}, spec: {cluster: c, "+
				"labels: {a: b}, forks: [{forkOf: {kind: Deployment, namespace: shop, name: w0}}]}}", i),
			fmt.Sprintf("{apiVersion: v1, kind: Service, metadata: {name: s%d, namespace: shop}, spec: {selector: {app: w0}, "+
				"ports: [{port: 80}]}}", i))
	}
	lists["route groups, sandboxes and Services"] = strings.Replace(phaseList(append(routes, workload(0, "", "")...)), "items:",
		"functionConfig: {apiVersion: resourceplugins.dev/v1alpha1, kind: RenderSandbox, metadata: {name: x}, routing: istio}\nitems:", 1)
	return lists
}

// Small documents never take much memory or produce much output, regardless of their content. A run allocates more than
// it holds at a time: that is measured where it allocates a lot, in a separate process.
func TestSmallDocuments_takeLittleMemory(t *testing.T) {
	checkout.Slow(t, "measures the memory of processes")
	var runs []sized
	names := map[string]string{}
	for name, list := range hostileLists() {
		assert.LessOrEqual(t, len(list), smallInput, name)
		names[list] = name
		for _, f := range []cli.Function{validateplugin.New(), resolveversion.New(), renderphase.New(), rendersandbox.New()} {
			runs = append(runs, sized{function: f, list: list})
		}
	}
	processes, most := 0, 0
	for _, run := range runs {
		name := run.function.Name + " of " + names[run.list]
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		assert.Less(t, run.written(), smallMemory/4, name)
		runtime.ReadMemStats(&after)
		if after.TotalAlloc-before.TotalAlloc > smallMemory {
			processes++
			took := run.heap(t)
			most = max(most, took)
			assert.Less(t, took, smallMemory, name)
		}
	}
	t.Logf("%d runs, %d of them measured in processes, which took at most %d MiB", len(runs), processes, most>>20)
}

// Copies of an embedded file count, too.
func TestSmallDocuments_withEmbeddedFiles(t *testing.T) {
	checkout.Slow(t, "measures the memory of processes")
	for _, size := range []int{20 << 10, 500 << 10} {
		folder := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(folder, "x.sh"), []byte("#!/bin/sh\n"+long(size)), 0o600))
		text := pluginOf("db", "  - name: s\n    script: &s \"@{embed: x.sh}\"\n"+numbered(500, "  - {name: s%[1]d, script: *s}\n")).text()
		require.LessOrEqual(t, len(text), smallInput)
		require.NoError(t, os.WriteFile(filepath.Join(folder, "plugin.yaml"), []byte(text), 0o600))
		for _, f := range []cli.Function{importplugin.New(), validateplugin.New()} {
			run := sized{function: f, args: []string{folder}}
			assert.Less(t, run.heap(t), smallMemory, "%s, %d bytes", f.Name, size)
		}
	}
}

// written returns how much a run writes, in bytes.
func (s sized) written() int {
	var out, errors bytes.Buffer
	s.function.Run(context.Background(), s.args, strings.NewReader(s.list), &out, &errors)
	return out.Len() + errors.Len()
}

// functionVariable makes a process of this test one run of a function.
const (
	functionVariable = "TEST_RUN_FUNCTION"
	heapPrefix       = "heap and stacks: "
)

// heap returns the most memory that a run takes for its heap and stacks.
func (s sized) heap(t *testing.T) int {
	t.Helper()
	command := exec.Command(os.Args[0], s.args...)
	// The function waits for the garbage collector, however busy the machine is. Otherwise it can run ahead of a collector
	// that the machine does not run.
	command.Env = append(os.Environ(), functionVariable+"="+s.function.Name, "GOMAXPROCS=1", "GODEBUG=gcstoptheworld=1")
	command.Stdin = strings.NewReader(s.list)
	out, err := command.CombinedOutput()
	require.NoError(t, err, "%.2000s", out)
	_, after, found := strings.Cut(string(out), heapPrefix)
	require.True(t, found, "%.2000s", out)
	text, _, _ := strings.Cut(after, "\n")
	bytes, err := strconv.Atoi(text)
	require.NoError(t, err)
	return bytes
}

// runMeasured is the process of sized.heap: it runs a function, and prints the memory that it took.
func runMeasured(name string, args []string) {
	at := slices.IndexFunc(functions, func(f cli.Function) bool { return f.Name == name })
	functions[at].Run(context.Background(), args, os.Stdin, io.Discard, io.Discard)
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	fmt.Fprintf(os.Stderr, "%s%d\n", heapPrefix, memory.HeapSys+memory.StackSys)
}
