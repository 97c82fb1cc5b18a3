package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// BenchmarkOutputs compares rplug build over sandboxes with a step that has an output, as most plugins have, with programs that
// print the same objects from a template: helm, cue, and kustomize with a component, whose time grows so fast that it prints
// those of 100 sandboxes only.
func BenchmarkOutputs(b *testing.B) {
	helm, cue, kustomize := checkout.Tool(b, "helm"), checkout.Tool(b, "cue"), checkout.Tool(b, "kustomize")
	program := filepath.Join(b.TempDir(), "rplug")
	require.NoError(b, checkout.BuildProgram(program, "cmd/rplug"))
	before := map[string]*contestant{}
	var contestants []*contestant
	add := func(name string, n int, against *contestant, argv ...string) *contestant {
		one := &contestant{name: fmt.Sprint(name, "-", n), argv: argv}
		for _, peer := range []*contestant{against, before[name]} {
			if peer != nil {
				one.against = append(one.against, peer)
			}
		}
		before[name] = one
		contestants = append(contestants, one)
		return one
	}
	for _, n := range []int{100, 1000, 10000, 100000} {
		documents := b.TempDir()
		require.NoError(b, writeOutputs(documents, n))
		shared, template := objectsOf(b, program)
		ours := add("build", n, nil, program, "build", documents)
		if n == 100 {
			folder := b.TempDir()
			require.NoError(b, writeComponents(folder, n, shared, template))
			add("kustomize", n, ours, kustomize, "build", folder)
		}
		if n > 10000 { // the peers need more memory than most machines have
			continue
		}
		chart, instance := b.TempDir(), filepath.Join(b.TempDir(), "sandboxes.cue")
		require.NoError(b, writeChart(chart, n, inTemplate(template)))
		add("helm", n, ours, helm, "template", "bench", chart)
		if n > 1000 {
			continue
		}
		require.NoError(b, writeCUE(instance, n, template))
		add("cue", n, ours, cue, "export", "--out", "text", "--expression", "stream", instance)
	}
	contest(b, contestants...)
}

// outputPlugin has a step with an output.
const outputPlugin = `apiVersion: resourceplugins.dev/v1alpha1
kind: ResourcePlugin
metadata:
  name: database@1.0.0
spec:
  description: a database
  runner:
    image: postgres:17
  create:
  - name: make
    inputs:
    - name: dbname
      valueFromSandbox: true
      as: {env: DBNAME}
    script: |
      #!/bin/sh
      echo "$DBNAME" > /outputs/name
    outputs:
    - name: name
      valueFromPath: /outputs/name
`

func outputSandbox(name string) string {
	return fmt.Sprintf(`apiVersion: resourceplugins.dev/v1alpha1
kind: Sandbox
metadata:
  name: %[1]s
spec:
  cluster: staging
  description: the sandbox of a pull request
  resources:
  - name: db
    plugin: database
    params: {dbname: test-%[1]s}
`, name)
}

// writeOutputs writes the plugin and n sandboxes, each in a file, as teams keep them.
func writeOutputs(folder string, n int) error {
	if err := os.WriteFile(filepath.Join(folder, "plugin.yaml"), []byte(outputPlugin), 0o600); err != nil {
		return err
	}
	for i := range n {
		name := fmt.Sprint("sandbox-", i)
		if err := os.WriteFile(filepath.Join(folder, name+".yaml"), []byte(outputSandbox(name)), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// hole is where the name of a sandbox is in a template.
const hole = "SANDBOX"

// objectsOf renders one sandbox, and returns the objects that sandboxes share, and a template of the others.
func objectsOf(b *testing.B, program string) (shared, template string) {
	b.Helper()
	folder := b.TempDir()
	require.NoError(b, writeOutputs(folder, 0))
	require.NoError(b, os.WriteFile(filepath.Join(folder, "sandbox.yaml"), []byte(outputSandbox("sandbox-name")), 0o600))
	out, err := exec.Command(program, "build", folder).Output()
	require.NoError(b, err)
	for object := range bytes.SplitSeq(out, []byte("\n---\n")) {
		text := strings.TrimSuffix(string(object), "\n") + "\n"
		if strings.Contains(text, "sandbox-name") {
			template += "---\n" + strings.ReplaceAll(text, "sandbox-name", hole)
		} else {
			shared += "---\n" + text
		}
	}
	require.NotEmpty(b, shared)
	return shared, template
}

// outputSecret matches the name of the Secret with the output, which ends in a hash.
var outputSecret = regexp.MustCompile(`\bdb-make-[a-z2-7]{12}\b`)

// inTemplate returns the template for helm.
func inTemplate(template string) string {
	template = strings.ReplaceAll(template, hole, "sandbox-{{ $i }}")
	return `{{- $hash := printf "%d" $i | sha256sum | trunc 12 }}` + "\n" + outputSecret.ReplaceAllString(template, "db-make-{{ $$hash }}")
}

// writeComponents writes a kustomization of n others, which add the objects of a sandbox by a component, and replace its name.
func writeComponents(folder string, n int, shared, template string) error {
	files := map[string]string{"shared.yaml": shared}
	top := "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n- shared.yaml\n"
	files["component/kustomization.yaml"] = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [objects.yaml]\n"
	files["component/objects.yaml"] = strings.ReplaceAll(template, hole, "name")
	for i := range n {
		name := fmt.Sprintf("sandbox-%d", i)
		top += "- " + name + "\n"
		files[name+"/kustomization.yaml"] = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\ncomponents: [../component]\n" +
			"nameSuffix: \"-" + fmt.Sprint(i) + "\"\nlabels:\n- pairs: {resourceplugins.dev/sandbox: " + name + "}\n  includeTemplates: true\n"
	}
	files["kustomization.yaml"] = top
	for name, text := range files {
		file := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// writeCUE writes the objects of a template as a comprehension over n sandboxes.
func writeCUE(file string, n int, template string) error {
	var objects []string
	for text := range strings.SplitSeq(template, "---\n") {
		if text == "" {
			continue
		}
		object, err := yaml.YAMLToJSON([]byte(text))
		if err != nil {
			return err
		}
		var indented bytes.Buffer
		if err := json.Indent(&indented, object, "", " "); err != nil {
			return err
		}
		text := strings.ReplaceAll(indented.String(), hole, `sandbox-\(i)`)
		objects = append(objects, outputSecret.ReplaceAllString(text, `db-make-\(i)`))
	}
	return os.WriteFile(file, fmt.Appendf(nil, `package sandboxes

import (
	"encoding/yaml"
	"list"
)

objects: [for i in list.Range(0, %d, 1) for object in [
%s
] {object}]
stream: yaml.MarshalStream(objects)
`, n, strings.Join(objects, ",\n")), 0o600)
}
