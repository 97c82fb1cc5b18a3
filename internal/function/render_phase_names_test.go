package function

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/function/renderphase"
)

const namesFile = "../../deploy/kustomize/names.yaml"

type fieldSpec struct{ Kind, Path string }

// annotationSpecs are the fields of kinds that hold the annotations of Pods.
func annotationSpecs(keys []string, kinds ...string) (specs []fieldSpec) {
	paths := map[string]string{
		"Job": "spec/template/metadata/annotations/", "Pod": "metadata/annotations/",
		"Workflow":    "spec/templates/metadata/annotations/",
		"PipelineRun": "spec/pipelineSpec/tasks/taskSpec/metadata/annotations/",
	}
	for _, kind := range kinds {
		for _, key := range keys {
			specs = append(specs, fieldSpec{kind, paths[kind] + strings.ReplaceAll(key, "/", `\/`)})
		}
	}
	return specs
}

// referenceSpecs are the fields of engines that refer to a ConfigMap or a Secret by its name, as those of a Pod do.
func referenceSpecs(kind, name string) (specs []fieldSpec) {
	for engine, parts := range map[string]struct {
		base       string
		containers []string
	}{
		"Workflow":    {"spec/templates/", []string{"container", "containerSet/containers", "initContainers", "sidecars"}},
		"PipelineRun": {"spec/pipelineSpec/tasks/taskSpec/", []string{"steps", "sidecars"}},
	} {
		for _, container := range parts.containers {
			specs = append(specs, fieldSpec{engine, parts.base + container + "/env/valueFrom/" + kind + "KeyRef/name"},
				fieldSpec{engine, parts.base + container + "/envFrom/" + kind + "Ref/name"})
		}
		specs = append(specs, fieldSpec{engine, parts.base + "volumes/" + kind + "/" + name},
			fieldSpec{engine, parts.base + "volumes/projected/sources/" + kind + "/name"})
	}
	return specs
}

// The shipped configuration names every annotation that holds the name of a Secret or a Job, and every field of an engine that
// refers to an object, and no other.
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
	require.Len(t, config.NameReference, 5)
	secrets, jobs := config.NameReference[0], config.NameReference[1]
	assert.Equal(t, "Secret", secrets.Kind)
	assert.Equal(t, "Job", jobs.Kind)
	ofSecrets, ofJobs := []string{contract.OutputSecretKey}, []string{}
	for i := range contract.MaxSecrets {
		ofSecrets, ofJobs = append(ofSecrets, contract.InputSecretKey(i)), append(ofJobs, contract.InputJobKey(i))
	}
	assert.ElementsMatch(t, slices.Concat(annotationSpecs(ofSecrets, "Job", "Pod", "Workflow", "PipelineRun"),
		referenceSpecs("secret", "secretName"),
		[]fieldSpec{{"PipelineRun", "spec/taskRunSpecs/podTemplate/imagePullSecrets/name"}}), secrets.FieldSpecs)
	assert.ElementsMatch(t, append(annotationSpecs(ofJobs, "Job"), fieldSpec{"Role", "rules/resourceNames"}), jobs.FieldSpecs)
	configMaps, accounts := config.NameReference[2], config.NameReference[3]
	assert.Equal(t, []string{"ConfigMap", "ServiceAccount"}, []string{configMaps.Kind, accounts.Kind})
	assert.ElementsMatch(t, referenceSpecs("configMap", "name"), configMaps.FieldSpecs)
	budgets := config.NameReference[4]
	assert.Equal(t, "PodDisruptionBudget", budgets.Kind)
	assert.ElementsMatch(t, append(annotationSpecs([]string{contract.ForkBudgetKey}, "Job", "Pod", "Workflow", "PipelineRun"),
		fieldSpec{"Role", "rules/resourceNames"}), budgets.FieldSpecs)
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
	for i := range 12 {
		flags := [][]string{{"--workload", "Job"}, {"--workload", "Pod"}, {"--engine", "argo"}, {"--engine", "tekton"}}[i%4]
		if i >= 8 { // whose delete steps wait for forks
			flags = append(flags, "--delivery", "helm")
		}
		rendered := runFiles(t, pluginAndSandbox, append(flags, "--phases", []string{"create", "delete", "delete"}[i/4])...)
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
	code := renderphase.New().Run(t.Context(), append(flags, "-"), strings.NewReader(documents), &stdout, &stderr)
	require.Zero(t, code, stderr.String())
	return stdout.String()
}
