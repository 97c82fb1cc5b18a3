package function

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/internal/function/renderphase"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// Real plugins, with their sandboxes: both phases render into objects that Kubernetes accepts, without findings except
// one about the workload.
func TestRealPluginsRender(t *testing.T) {
	t.Parallel()
	folders, err := filepath.Glob(filepath.Join(checkout.Corpus(t), "signadot", "plugins", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, folders)
	for _, folder := range folders {
		for _, phase := range []string{"create", "delete"} {
			for _, workload := range []string{"Job", "Pod"} {
				var stdout, stderr bytes.Buffer
				code := renderphase.New().Run(t.Context(), []string{
					"--phases", phase, "--workload", workload, "--set", "cluster=c", "--set", "namespace=ns",
					"--set", "tfstate-bucket=b", filepath.Join(folder, "plugin.yaml"), filepath.Join(folder, "example-sandbox.yaml"),
				}, strings.NewReader(""), &stdout, &stderr)
				require.Zero(t, code, "%s: %s", folder, stderr.String())
				if workload == "Pod" {
					assert.Regexp(t, `^\[warning\] workload Pod: .*\n$`, stderr.String(), folder)
				} else {
					assert.Empty(t, stderr.String(), folder)
				}
				assert.Contains(t, stdout.String(), "kind: "+workload)
				decodeStrictly(t, stdout.String())
			}
		}
	}
}

func decodeStrictly(t *testing.T, documents string) {
	t.Helper()
	for document := range strings.SplitSeq(documents, "\n---\n") {
		var kind struct{ Kind string }
		require.NoError(t, yaml.Unmarshal([]byte(document), &kind))
		typed, known := map[string]any{
			"ConfigMap": &corev1.ConfigMap{}, "Secret": &corev1.Secret{}, "ServiceAccount": &corev1.ServiceAccount{},
			"Job": &batchv1.Job{}, "Pod": &corev1.Pod{}, "Role": &rbacv1.Role{}, "RoleBinding": &rbacv1.RoleBinding{},
		}[kind.Kind]
		require.True(t, known, "%q in %s", kind.Kind, document)
		asJSON, err := yaml.YAMLToJSONStrict([]byte(document))
		require.NoError(t, err)
		strict, err := kjson.UnmarshalStrict(asJSON, typed)
		require.NoError(t, err)
		require.Empty(t, strict)
	}
}
