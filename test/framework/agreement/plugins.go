// Package agreement generates plugins whose steps succeed and fail in all possible ways, and returns the results of their
// steps on a node, and with each engine of `rplug run`. Tests compare the results.
package agreement

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// object is a document that is encoded as JSON, which is YAML, too.
type object = map[string]any

// Plugin is a generated plugin and a sandbox that uses it.
type Plugin struct {
	// Name is the bare name of the plugin, and the name of the sandbox.
	Name string
	// Steps are the names of its steps.
	Steps []string
	// Documents are both as a stream.
	Documents string
}

// params are passed to all plugins: texts that Kubernetes, YAML or a shell might change.
var params = map[string]string{
	"dollars": "$(SIGNADOT_SANDBOX_ID) $$(SIGNADOT_SANDBOX_NAME) $$ $ $() ${HOME} $(", "lines": "\n\nfirst\n  second\ttab\n\n",
	"unicode": "größer – 数据 🂡", "quotes": `'single' "double" \back\slash` + " `ticks` # {a} [b] %s & *",
	"empty": "", "yaml": "yes",
}

// kind is a kind of step with a certain result. Its script writes the output "out", unless it fails. In the script, $self is
// a text that only this step has.
type kind struct {
	name, script string
	// path is the path of the output; the default is /outputs/out.
	path string
	// pod and main have fields of the Pod and of main, in flow style.
	pod, main string
	// whole means that script is the complete script.
	whole bool
}

// deadline is the field of a Pod that limits the run time of scripts.
const deadline = "activeDeadlineSeconds:"

// kinds run on a node and on this machine, so their scripts use only features that busybox and coreutils have in common.
var kinds = []kind{
	{name: "text", script: `printf '%s $(HOME) $$ größer 数据\n\n' "$self" > /outputs/out`},
	{name: "binary", script: `i=0; while [ $i -lt 256 ]; do printf "\\$(printf %03o $i)"; i=$((i+1)); done > /outputs/out`},
	{name: "big", script: `head -c 700000 /dev/zero | tr '\0' x > /outputs/out`},
	{name: "largest", script: `head -c 1048500 /dev/zero > /outputs/out`},
	{name: "too-large", script: `head -c 1048577 /dev/zero > /outputs/out`},
	{name: "empty", script: `: > /outputs/out`},
	{name: "missing", script: `true`},
	{name: "exit", script: `echo > /outputs/out; exit 7`},
	{name: "exit-255", script: `exit 255`},
	{name: "killed", script: `kill -KILL $$`},
	{name: "terminated", script: `kill -TERM $$; sleep 1`},
	{name: "timeout", script: `exec sleep 1000`, pod: deadline + " 8"},
	{name: "timeout-trapped", script: `trap 'echo late > /outputs/out; exit 0' TERM; while :; do sleep 0.1; done`,
		pod: deadline + " 8"},
	{name: "background", script: `(sleep 0.3; printf '%s later' "$self" > /outputs/out) &`},
	{name: "unfinished", script: `(printf part; exec sleep 20) > /outputs/out &`},
	{name: "folder", script: `mkdir -p /outputs/out`},
	{name: "pipe", script: `mkfifo /outputs/out`},
	{name: "device", script: `ln -s /dev/zero /outputs/out`},
	{name: "link", script: `printf '%s linked' "$self" > /outputs/real; ln -s real /outputs/out`},
	{name: "dangling", script: `ln -s /no/such/file /outputs/out`},
	{name: "elsewhere", script: `printf '%s there' "$self" > "/var/new folder/a,b/out"`, path: "/var/new folder/a,b/out"},
	{name: "no-shebang", script: "mkdir -p /outputs\necho \"no interpreter $0\" > /outputs/out\n", whole: true},
	{name: "no-interpreter", script: "#!/no/such/interpreter\n", whole: true},
	{name: "no-program", script: "#!/usr/bin/env no-such-program\n", whole: true},
	{name: "read-only", script: `# root may write where the file system is writable
		if (echo > /inputs/dollars) 2>/dev/null; then echo written; else echo refused; fi > /outputs/out`},
	{name: "message", script: `echo 'my own reason' > /dev/termination-log; exit 3`},
	{name: "folder-of-its-own", script: `touch /work/x && ls /work > /outputs/out`,
		pod: "volumes: [{name: work, emptyDir: {}}]", main: "volumeMounts: [{name: work, mountPath: /work}]"},
	{name: "surroundings", script: `{ pwd; id -u; id -g; umask; echo "$0 $# $OVERLAY"
		ls /var/run/resourceplugins/io/inputs 2>/dev/null | wc -l; } > /outputs/out`,
		main: `env: [{name: OVERLAY, value: "$(SIGNADOT_RESOURCE_NAME) $$(A)"}], workingDir: /tmp`},
	{name: "reads", script: `{ printf '%s|' "$DOLLARS" "$LINES" "$UNICODE" "$QUOTES" "$EMPTY" "$YAML"
		cat /inputs/dollars /inputs/lines /inputs/unicode; } > /outputs/out`},
	{name: "own-signal", script: `trap 'echo signal > /outputs/out; exit 0' USR1; kill -USR1 $$; sleep 1; exit 9`},
}

// Kinds returns the number of plugins needed to have each kind of step as the first step of one of them.
func Kinds() int { return len(kinds) }

// Plugins generates count plugins that run in an image and a namespace. The first step of plugin i is of kind i; the others
// are of random kinds and read outputs of random steps before them.
func Plugins(count int, image, namespace string) []Plugin {
	random := rand.New(rand.NewPCG(17, 17))
	plugins := make([]Plugin, count)
	for i := range plugins {
		plugins[i] = generate(random, i, image, namespace)
	}
	return plugins
}

func generate(random *rand.Rand, i int, image, namespace string) Plugin {
	first := kinds[i%len(kinds)]
	plugin := Plugin{Name: fmt.Sprintf("agree-%02d-%s", i, first.name)}
	var steps []object
	for k := range 2 + random.IntN(4) {
		name, one := fmt.Sprintf("step-%d", k), first
		if k > 0 {
			one = plainKind(random)
		}
		var reads []string
		for _, earlier := range plugin.Steps {
			if len(reads) < 3 && random.IntN(5) < 3 {
				reads = append(reads, earlier)
			}
		}
		steps = append(steps, step(name, one, reads))
		plugin.Steps = append(plugin.Steps, name)
	}
	if !strings.HasPrefix(first.pod, deadline) { // a Pod that exceeds its deadline has no other message
		steps = append(steps, bare(random))
		plugin.Steps = append(plugin.Steps, "bare")
	}
	overlay := fmt.Sprintf("spec: {%s}\n", strings.Join(nonEmpty(first.pod, fmt.Sprintf("containers: [{%s}]",
		strings.Join(nonEmpty("name: main", first.main), ", "))), ", "))
	plugin.Documents = text(document("ResourcePlugin", plugin.Name+"@1.0.0", object{
		"runner": object{"image": image, "namespace": namespace, "podTemplateOverlay": overlay}, "create": steps,
	})) + "\n---\n" + text(document("Sandbox", plugin.Name, object{
		"cluster": "agreement", "resources": []object{{"name": "r", "plugin": plugin.Name, "params": params}},
	}))
	return plugin
}

// plainKind returns a kind that needs no overlay. Half of the steps just succeed.
func plainKind(random *rand.Rand) kind {
	for {
		one := kinds[random.IntN(len(kinds))]
		if random.IntN(2) == 0 {
			one = kinds[0]
		}
		if one.pod+one.main == "" {
			return one
		}
	}
}

// step returns a step that reads the outputs of others as files, and publishes "out" and "seen", a checksum of its inputs.
func step(name string, one kind, reads []string) object {
	inputs := make([]object, 0, len(params)+len(reads))
	for param := range params {
		inputs = append(inputs, object{"name": param, "valueFromSandbox": true,
			"as": object{"env": strings.ToUpper(param), "path": "/inputs/" + param}})
	}
	for _, producer := range reads {
		inputs = append(inputs, object{"name": producer, "valueFromStep": object{"name": producer, "output": "out"},
			"as": object{"path": "/inputs/from/" + producer}})
	}
	script, path := one.script, one.path
	if !one.whole {
		script = fmt.Sprintf("#!/bin/sh\nset -eu\nmkdir -p /outputs\nself='%s of '\"$SIGNADOT_SANDBOX_NAME\"\n"+
			"cat /inputs/* /inputs/from/* 2>/dev/null | sha256sum > /outputs/seen\n%s\n", name, one.script)
	}
	if path == "" {
		path = "/outputs/out"
	}
	outputs := []object{{"name": "out", "valueFromPath": path}}
	if !one.whole {
		outputs = append(outputs, object{"name": "seen", "valueFromPath": "/outputs/seen"})
	}
	return object{"name": name, "script": script, "inputs": inputs, "outputs": outputs}
}

// bare returns a step without data flow, which runs without our runner. It is the first process of its container, so a
// signal that it sends to itself has no effect.
func bare(random *rand.Rand) object {
	return object{"name": "bare", "script": []string{
		"#!/bin/sh\necho done\n", "#!/bin/sh\nexit 4\n", "#!/bin/sh\necho 'bare reason' > /dev/termination-log\nexit 130\n",
	}[random.IntN(3)]}
}

func nonEmpty(texts ...string) (found []string) {
	for _, one := range texts {
		if one != "" {
			found = append(found, one)
		}
	}
	return found
}

func document(kind, name string, spec object) object {
	return object{"apiVersion": contract.APIVersion, "kind": kind, "metadata": object{"name": name}, "spec": spec}
}

func text(one object) string {
	encoded, err := json.Marshal(one)
	if err != nil {
		panic(err) // maps, lists and strings can always be encoded
	}
	return string(encoded)
}
