//go:build e2e

package e2e

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// object is a document that is encoded as JSON, which is YAML, too.
type object = map[string]any

// step is a step of a test's plugin. It reads STEP.OUTPUT from the variable STEP_OUTPUT and the file /inputs/STEP.OUTPUT,
// and writes outputs to /outputs/NAME.
type step struct {
	name, script   string
	reads, outputs []string
	files          bool // reads only files: a variable has at most 128 KiB
}

func (s step) document() object {
	inputs, outputs := []object{}, []object{}
	for _, read := range s.reads {
		producer, output, _ := strings.Cut(read, ".")
		as := object{"path": "/inputs/" + read}
		if !s.files {
			as["env"] = strings.ToUpper(producer + "_" + output)
		}
		inputs = append(inputs, object{
			"name": producer + "-" + output, "valueFromStep": object{"name": producer, "output": output}, "as": as,
		})
	}
	for _, name := range s.outputs {
		outputs = append(outputs, object{"name": name, "valueFromPath": "/outputs/" + name})
	}
	return object{"name": s.name, "script": s.script, "inputs": inputs, "outputs": outputs}
}

// plugin returns a plugin that runs in the busybox image.
func (s *testNamespace) plugin(name, overlay string, create ...step) object {
	steps := make([]object, len(create))
	for i, one := range create {
		steps[i] = one.document()
	}
	return document("ResourcePlugin", name, nil, object{
		"runner": object{"image": "busybox", "namespace": s.name, "podTemplateOverlay": overlay},
		"create": steps,
	})
}

// sandbox returns a sandbox with one resource, "r", of the plugin.
func sandbox(name, plugin string, params map[string]string) object {
	resource := object{"name": "r", "plugin": plugin, "params": params}
	return document("Sandbox", name, nil, object{"cluster": "e2e", "resources": []object{resource}})
}

func document(kind, name string, annotations map[string]string, spec object) object {
	return object{
		"apiVersion": contract.APIVersion, "kind": kind, "spec": spec,
		"metadata": object{"name": name, "annotations": annotations},
	}
}

// render runs render-phase on documents from stdin.
func render(t *testing.T, arguments []string, documents ...object) string {
	t.Helper()
	return function(t, "render-phase", texts(t, documents...), slices.Concat(longStartTimeout, arguments, []string{"-"})...)
}

// longStartTimeout is for busy machines: with hundreds of Pods the default of five minutes may not be enough.
var longStartTimeout = []string{"--start-timeout-seconds", "900"}

// texts returns the documents as a YAML stream.
func texts(t *testing.T, documents ...object) string {
	t.Helper()
	texts := make([]string, len(documents))
	for i, one := range documents {
		text, err := json.Marshal(one)
		require.NoError(t, err)
		texts[i] = strings.ReplaceAll(string(text), "\u0085", `\u0085`) // a line break in YAML, none in JSON
	}
	return strings.Join(texts, "\n---\n")
}

func function(t *testing.T, name, stdin string, arguments ...string) string {
	t.Helper()
	stdout, _, err := execute(exec.Command(filepath.Join(suite.programs, name), arguments...), stdin)
	require.NoError(t, err)
	return stdout
}
