package function

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

const namesFile = "../../kustomize/names.yaml"

type fieldSpec struct{ Kind, Path string }

// annotationSpecs are the fields of Jobs, and of Pods if there are any, that hold the annotations.
func annotationSpecs(ofPods bool, keys ...string) (specs []fieldSpec) {
	for _, key := range keys {
		escaped := strings.ReplaceAll(key, "/", `\/`)
		specs = append(specs, fieldSpec{"Job", "spec/template/metadata/annotations/" + escaped})
		if ofPods {
			specs = append(specs, fieldSpec{"Pod", "metadata/annotations/" + escaped})
		}
	}
	return specs
}

// The shipped configuration names every annotation that holds the name of a Secret or a Job, and no other.
func TestNamesConfigurationIsComplete(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(namesFile)
	require.NoError(t, err)
	var config struct {
		NameReference []struct {
			Kind, Group, Version string
			FieldSpecs           []fieldSpec
		}
	}
	require.NoError(t, yaml.UnmarshalStrict(text, &config))
	require.Len(t, config.NameReference, 2)
	secrets, jobs := config.NameReference[0], config.NameReference[1]
	assert.Equal(t, "Secret", secrets.Kind)
	assert.Equal(t, "Job", jobs.Kind)
	ofSecrets, ofJobs := []string{contract.OutputSecretKey}, []string{}
	for i := range contract.MaxSecrets {
		ofSecrets, ofJobs = append(ofSecrets, contract.InputSecretKey(i)), append(ofJobs, contract.InputJobKey(i))
	}
	assert.ElementsMatch(t, annotationSpecs(true, ofSecrets...), secrets.FieldSpecs)
	assert.ElementsMatch(t, append(annotationSpecs(false, ofJobs...), fieldSpec{"Role", "rules/resourceNames"}), jobs.FieldSpecs)
}

const pluginAndSandbox = `
apiVersion: resourceplugins.dev/v1alpha1
kind: ResourcePlugin
metadata: {name: pg@1.0.0}
spec:
  runner: {image: postgres}
  create:
  - name: provision
    inputs: [{name: size, valueFromSandbox: true, as: {path: /etc/size}}]
    outputs: [{name: user, valueFromPath: /tmp/user}]
    script: "#!/bin/sh"
  - name: seed
    inputs: [{name: user, valueFromStep: {name: provision, output: user}}]
    outputs: [{name: rows, valueFromPath: /tmp/rows}]
    script: "#!/bin/sh"
  delete:
  - name: drop
    inputs: [{name: user, valueFromStep: {name: provision, output: user}}]
    script: "#!/bin/sh"
---
apiVersion: resourceplugins.dev/v1alpha1
kind: Sandbox
metadata: {name: s}
spec:
  cluster: c
  resources: [{name: db, plugin: pg}]
  forks:
  - forkOf: {kind: Deployment, namespace: web, name: api}
    customizations: {env: [{name: DB_USER, valueFrom: {resource: {name: db, outputKey: provision.user}}}]}
`

// A namePrefix of a later overlay reaches every name and every reference, in other namespaces too.
func TestPhasePrefixReachesEveryReference(t *testing.T) {
	t.Parallel()
	names, err := os.ReadFile(namesFile)
	require.NoError(t, err)
	for i := range 4 {
		rendered := runFiles(t, pluginAndSandbox,
			"--workload", []string{"Job", "Pod"}[i%2], "--phases", []string{"create", "delete"}[i/2])
		require.Contains(t, rendered, "namespace: web")
		disk := filesys.MakeFsInMemory()
		for name, text := range map[string]string{
			"/base/kustomization.yaml": "resources: [rendered.yaml]\n",
			"/base/rendered.yaml":      rendered,
			"/overlay/names.yaml":      string(names),
			"/overlay/kustomization.yaml": "resources: [../base]\nnamePrefix: pr7-\nnameSuffix: -z\n" +
				"configurations: [names.yaml]\n",
		} {
			require.NoError(t, disk.WriteFile(name, []byte(text)))
		}
		built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(disk, "/overlay")
		require.NoError(t, err)
		text, err := built.AsYaml()
		require.NoError(t, err)
		for _, name := range objectNames(t, rendered) {
			require.Contains(t, string(text), "pr7-"+name+"-z")
			stray := strings.Count(string(text), name) - strings.Count(string(text), "pr7-"+name+"-z")
			assert.Zero(t, stray, "%s is named without the prefix", name)
		}
	}
}

func objectNames(t *testing.T, documents string) (names []string) {
	t.Helper()
	for document := range strings.SplitSeq(documents, "---\n") {
		var object struct{ Metadata struct{ Name string } }
		require.NoError(t, yaml.Unmarshal([]byte(document), &object))
		names = append(names, object.Metadata.Name)
	}
	require.Greater(t, len(names), 5)
	return names
}

// runFiles runs the command in file mode on documents from stdin.
func runFiles(t *testing.T, documents string, flags ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := RenderPhase().Run(append(flags, "-"), strings.NewReader(documents), &stdout, &stderr)
	require.Zero(t, code, stderr.String())
	return stdout.String()
}
