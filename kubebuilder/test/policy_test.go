package kubebuilder

import (
	"encoding/json"
	"maps"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/internal/build"
	"github.com/resource-plugins/krm-functions/internal/scaffold"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// object is a Kubernetes object.
type object = map[string]any

// denied evaluates a policy on objects with the code of the API server, and returns the reasons for denying each object.
func denied(t *testing.T, policy object, objects ...object) (reasons [][]string) {
	t.Helper()
	input, err := json.Marshal(object{"policy": policy, "objects": objects})
	require.NoError(t, err)
	command := exec.CommandContext(t.Context(), checkout.Tool(t, "cel"))
	command.Stdin = strings.NewReader(string(input))
	var stderr strings.Builder
	command.Stderr = &stderr
	out, err := command.Output()
	require.NoError(t, err, stderr.String())
	require.NoError(t, json.Unmarshal(out, &reasons))
	require.Len(t, reasons, len(objects))
	return reasons
}

// policies returns the policies of a plugin with params: for sandboxes, and for Jobs.
func policies(t *testing.T, params ...string) (sandboxes, jobs object) {
	t.Helper()
	files, err := scaffold.Policy{Plugin: "postgres-db", Params: params}.Files()
	require.NoError(t, err)
	parts := strings.Split(files[scaffold.PolicyFile("postgres-db")], "---\n")
	require.NoError(t, yaml.Unmarshal([]byte(parts[0]), &sandboxes))
	require.NoError(t, yaml.Unmarshal([]byte(parts[2]), &jobs))
	return sandboxes, jobs
}

// sandbox returns a sandbox with a spec as JSON.
func sandbox(t *testing.T, spec string) (one object) {
	t.Helper()
	require.NoError(t, yaml.Unmarshal([]byte(
		"{apiVersion: resourceplugins.dev/v1alpha1, kind: Sandbox, metadata: {name: x}, spec: "+spec+"}"), &one))
	return one
}

func TestPolicyOfSandboxes(t *testing.T) {
	t.Parallel()
	policy, _ := policies(t, "dbname", "size")
	without, _ := policies(t)
	for _, c := range []struct {
		policy object
		spec   string
		want   []string
	}{
		{policy, "{cluster: a, resources: [{name: db, plugin: postgres-db@^1, params: {dbname: a, size: b}}]}", nil},
		{policy, "{cluster: a, resources: [{name: db, plugin: postgres-db-other@1.0.0}]}", nil}, // of another plugin
		{policy, "{resources: [{name: db, plugin: cache}]}", nil},
		{policy, "{cluster: a}", nil},
		{without, "{cluster: a, resources: [{name: db, plugin: postgres-db}]}", nil},
		{policy, "{cluster: '', resources: [{name: 1db, plugin: postgres-db, params: {dbname: a, size: b}}]}", []string{
			"spec.cluster must not be empty",
			"the name of a resource must be at most 30 letters, digits and dashes, and start with a letter",
		}},
		{policy, "{cluster: a, resources: [{name: db, plugin: postgres-db}]}", []string{
			"a resource of postgres-db must have the params: dbname, size",
		}},
		{policy, "{cluster: a, resources: [{name: db, plugin: postgres-db, params: {dbname: a, size: b, sizes: c}}, {name: DB, plugin: cache}]}", []string{
			"the names of resources must differ, whatever their case", "postgres-db has no such params: sizes",
		}},
		{without, "{cluster: a, resources: [{name: db, plugin: postgres-db, params: {size: b}}]}", []string{
			"postgres-db has no such params: size",
		}},
	} {
		assert.Equal(t, append([]string{}, c.want...), denied(t, c.policy, sandbox(t, c.spec))[0], c.spec)
	}
}

// Rendered Jobs of both phases pass the policy. Modified Jobs do not.
func TestPolicyOfJobs(t *testing.T) {
	t.Parallel()
	_, policy := policies(t, "dbname")
	rendered := renderedJobs(t, scaffold.API{Plugin: scaffold.Plugin{
		Name: "PostgresDB", Version: "1.2.0-alpha.1", Params: []string{"dbname"}, Outputs: []string{"host"},
	}})
	require.NotEmpty(t, rendered)
	for i, reasons := range denied(t, policy, rendered...) {
		assert.Empty(t, reasons, rendered[i])
	}
	job := rendered[0]
	for want, change := range map[string]func(metadata, spec object){
		"the annotation resourceplugins.dev/plugin must be postgres-db@VERSION": func(metadata, _ object) {
			metadata["annotations"].(object)["resourceplugins.dev/plugin"] = "postgres-db@latest"
		},
		"the annotation resourceplugins.dev/digest must be the digest of the plugin": func(metadata, _ object) {
			delete(metadata["annotations"].(object), "resourceplugins.dev/digest")
		},
		"the label resourceplugins.dev/phase must be create or delete": func(metadata, _ object) {
			metadata["labels"].(object)["resourceplugins.dev/phase"] = "update"
		},
		"spec.template.spec.restartPolicy must be Never": func(_, spec object) { spec["restartPolicy"] = "OnFailure" },
		"a container must be main":                       func(_, spec object) { spec["containers"] = []any{object{"name": "x"}} },
		"the labels resourceplugins.dev/sandbox, resourceplugins.dev/resource and resourceplugins.dev/step must be set": func(metadata, _ object) {
			delete(metadata["labels"].(object), "resourceplugins.dev/step")
		},
	} {
		changed := cloned(t, job)
		change(changed["metadata"].(object), changed["spec"].(object)["template"].(object)["spec"].(object))
		assert.Equal(t, [][]string{{want}}, denied(t, policy, changed))
	}
	other := cloned(t, job)
	other["metadata"] = object{"name": "other"}
	assert.Equal(t, [][]string{{}}, denied(t, policy, other), "it does not apply to Jobs of other plugins")
}

func cloned(t *testing.T, one object) (other object) {
	t.Helper()
	text, err := json.Marshal(one)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &other))
	return other
}

// renderedJobs returns the Jobs of both phases of a plugin's example.
func renderedJobs(t *testing.T, api scaffold.API) (jobs []object) {
	t.Helper()
	files, err := api.Files()
	require.NoError(t, err)
	for _, isAbsent := range []bool{false, true} {
		var items []*krm.Item
		for _, path := range files.Paths() {
			item, err := krm.NewItem([]byte(files[path]))
			require.NoError(t, err)
			if isAbsent && item.Kind() == "Sandbox" {
				item.Annotate("resourceplugins.dev/state", "absent")
			}
			items = append(items, item)
		}
		result, err := build.New().Run(krm.NewList(items...))
		require.NoError(t, err)
		for _, item := range result.Objects {
			if item.Kind() == "Job" {
				content, err := render.ReadObject(item)
				require.NoError(t, err)
				jobs = append(jobs, maps.Clone(content))
			}
		}
	}
	return jobs
}
