// Package helm tests the plugin in deploy/helm/ with Helm 4, without a cluster.
package helm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/kyaml/kio"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// plugin is a template of a chart. Its script contains an action of Go templates for the program that it calls.
const plugin = `apiVersion: resourceplugins.dev/v1alpha1
kind: ResourcePlugin
metadata:
  name: hello-db@1.0.0
spec:
  description: {{ .Values.description }}
  runner:
    image: ubuntu
  create:
  - name: say-hello
    inputs:
    - name: dbname
      valueFromSandbox: true
    script: |
      #!/bin/sh
      mkdir -p /outputs
      docker ps --format '{{ "{{" }} .Names }}' > /outputs/names
      echo "$DBNAME"
    outputs:
    - name: names
      valueFromPath: /outputs/names
  delete:
  - name: say-goodbye
    script: |
      #!/bin/sh
      echo goodbye
`

const sandbox = `apiVersion: resourceplugins.dev/v1alpha1
kind: Sandbox
metadata:
  name: {{ .Release.Name }}
spec:
  cluster: staging
  resources:
  - name: db
    plugin: hello-db@^1
    params:
      dbname: orders
`

// others are objects that are not ours.
const others = `# a comment
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  template: '{{ "{{" }} .x }}'
---
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  annotations:
    helm.sh/hook: pre-upgrade
`

// rplug is the path of the program.
var rplug string

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "helm")
	if err == nil {
		rplug = filepath.Join(folder, "rplug")
		err = checkout.BuildProgram(rplug, "cmd/rplug")
	}
	code := 1
	if err == nil {
		code = m.Run()
	} else {
		fmt.Fprintln(os.Stderr, err)
	}
	_ = os.RemoveAll(folder)
	os.Exit(code)
}

// helm is Helm 4 with the plugin and a chart.
type helm struct{ program, folder string }

// install installs the plugin of this checkout, and makes a chart.
func install(t *testing.T, templates map[string]string) helm {
	t.Helper()
	h := helm{program: checkout.Tool(t, "helm4"), folder: t.TempDir()}
	files := map[string]string{
		"chart/Chart.yaml":  "apiVersion: v2\nname: sandboxes\nversion: 0.1.0\n",
		"chart/values.yaml": "description: a database\n",
	}
	for name, text := range templates {
		files["chart/templates/"+name] = text
	}
	for name, text := range files {
		file := filepath.Join(h.folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	_, stderr, err := h.run(t, "", "plugin", "install", filepath.Join(checkout.Root(), "deploy", "helm"))
	require.NoError(t, err, stderr)
	return h
}

// run runs Helm, without any configuration but the plugin.
func (h helm) run(t *testing.T, stdin string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	return h.execute(t, h.program, stdin, args...)
}

func (h helm) execute(t *testing.T, program, stdin string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, args...)
	command.Dir = h.folder
	command.Env = []string{
		"PATH=" + filepath.Dir(rplug) + ":" + os.Getenv("PATH"), "HOME=" + h.folder,
		"HELM_CACHE_HOME=" + filepath.Join(h.folder, "cache"), "HELM_CONFIG_HOME=" + filepath.Join(h.folder, "config"),
		"HELM_DATA_HOME=" + filepath.Join(h.folder, "data"),
	}
	var out, errs bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(stdin), &out, &errs
	err = command.Run()
	return out.String(), errs.String(), err
}

// template returns Helm's output for the chart.
func (h helm) template(t *testing.T, args ...string) string {
	t.Helper()
	stdout, stderr, err := h.run(t, "", append([]string{"template", "feature-x", "chart"}, args...)...)
	require.NoError(t, err, stderr)
	return stdout
}

// objects returns the objects of a text as JSON by kind, namespace and name.
func objects(t *testing.T, text string) map[string]string {
	t.Helper()
	nodes, err := (&kio.ByteReader{Reader: strings.NewReader(text), OmitReaderAnnotations: true}).Read()
	require.NoError(t, err)
	found := map[string]string{}
	for _, node := range nodes {
		content, err := node.Map()
		require.NoError(t, err)
		printed, err := json.Marshal(content)
		require.NoError(t, err)
		key := node.GetKind() + " " + node.GetNamespace() + " " + node.GetName()
		require.NotContains(t, found, key)
		found[key] = string(printed)
	}
	return found
}

// Helm gets the objects of `rplug render`, and all other objects of the chart unchanged.
func TestPostRenderer(t *testing.T) {
	t.Parallel()
	h := install(t, map[string]string{"plugin.yaml": plugin, "sandbox.yaml": sandbox, "others.yaml": others})
	plain := h.template(t)
	rendered := func(args ...string) map[string]string {
		stdout, stderr, err := h.execute(t, rplug, plain, append([]string{"render", "-"}, args...)...)
		require.NoError(t, err, stderr)
		want := objects(t, strings.ReplaceAll(stdout, "{{`{{`}}", "{{"))
		require.NotEmpty(t, want)
		for key, object := range objects(t, plain) {
			if !strings.Contains(object, "resourceplugins.dev/v1alpha1") {
				want[key] = object
			}
		}
		return want
	}
	got := h.template(t, "--post-renderer", "rplug")
	assert.Equal(t, rendered("--delivery", "helm", "--phases", "create,delete"), objects(t, got))
	assert.Contains(t, got, "docker ps --format '{{ .Names }}'")
	assert.Contains(t, got, "helm.sh/hook: post-delete")
	assert.Contains(t, got, "# a comment")
	assert.NotContains(t, got, "postrenderer.helm.sh")
	assert.NotContains(t, h.template(t, "--post-renderer", "rplug", "--no-hooks"), "say-goodbye\n    helm.sh/hook")

	got = h.template(t, "--post-renderer", "rplug", "--post-renderer-args", "--delete-hook=PreDelete",
		"--post-renderer-args", "--runner-namespace=databases")
	assert.Equal(t, rendered("--delivery", "helm", "--phases", "create,delete", "--delete-hook", "PreDelete",
		"--runner-namespace", "databases"), objects(t, got))
}

// Errors in documents make Helm fail, with a message that contains all of them.
func TestErrorsFailHelm(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		templates map[string]string
		args      []string
		want      []string
	}{
		"documents": {
			map[string]string{"plugin.yaml": strings.ReplaceAll(plugin, "valueFromSandbox: true", "valueFromSandbox: false"),
				"sandbox.yaml": strings.ReplaceAll(sandbox, "^1", "^2")},
			nil,
			[]string{"[error] ResourcePlugin/hello-db@1.0.0 spec.create[0].inputs[0]: ", "must have a source"},
		},
		"a name that Helm leaves out": {
			map[string]string{"sandbox.yaml": strings.ReplaceAll(sandbox, "hello-db@^1", "/_x")}, nil,
			[]string{`[error] Sandbox/feature-x spec.resources[0].plugin: `, "/_x"},
		},
		"the call": {map[string]string{"others.yaml": others}, []string{"--post-renderer-args", "--nonsense"}, []string{`rplug post-render: unknown flag "--nonsense"`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := install(t, c.templates)
			stdout, stderr, err := h.run(t, "", append([]string{"template", "feature-x", "chart", "--post-renderer", "rplug"}, c.args...)...)
			require.Error(t, err)
			assert.Empty(t, stdout)
			for _, want := range c.want {
				assert.Contains(t, stderr, want)
			}
		})
	}
}

// A chart without sandboxes does not change, even if nothing remains to be applied.
func TestChartsWithoutSandboxes(t *testing.T) {
	t.Parallel()
	h := install(t, map[string]string{"others.yaml": others})
	assert.Equal(t, objects(t, h.template(t)), objects(t, h.template(t, "--post-renderer", "rplug")))
	h = install(t, map[string]string{"plugin.yaml": plugin})
	assert.Empty(t, strings.TrimSpace(h.template(t, "--post-renderer", "rplug")))
}
