//go:build e2e

package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// sandboxDefinition makes sandboxes custom resources, as in clusters that use the first policy.
const sandboxDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: sandboxes.resourceplugins.dev}
spec:
  group: resourceplugins.dev
  scope: Namespaced
  names: {kind: Sandbox, plural: sandboxes, singular: sandbox}
  versions:
  - name: v1alpha1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              cluster: {type: string}
              resources:
                type: array
                items:
                  type: object
                  required: [name, plugin]
                  properties:
                    name: {type: string}
                    plugin: {type: string}
                    params: {type: object, additionalProperties: {type: string}}
`

// The API server enforces the scaffolded policies: rendered objects pass, and are denied with a fault. All tests use the
// same server, so the policies are about a plugin that no other test has.
func TestAcceptedByPolicies(t *testing.T) {
	s := newNamespace(t)
	root, folder := t.TempDir(), t.TempDir()
	rplug := func(arguments string) string {
		command := exec.Command(filepath.Join(suite.programs, "rplug"), strings.Fields(arguments)...)
		command.Dir = folder
		stdout, _, err := execute(command, "")
		require.NoError(t, err)
		return stdout
	}
	rplug("kubebuilder install --root " + root)
	rplug("kubebuilder run --root " + root + " --plugins resourceplugins.dev/v1-alpha init -- --cluster staging")
	rplug("kubebuilder run --root " + root + " create api -- --kind GuardedDB --version v1 --params dbname --outputs host")
	rplug("kubebuilder run --root " + root + " create webhook -- --kind GuardedDB --version v1")
	policies := filepath.Join(folder, "policies")
	definition := must(t, sandboxDefinition, "create", "-f", "-", "-o", "name")
	t.Cleanup(func() {
		_, err := kubectl("", "delete", "--ignore-not-found", "-f", policies)
		require.NoError(t, err)
		must(t, "", "delete", strings.TrimSpace(definition))
	})
	must(t, "", "wait", "--for=condition=Established", strings.TrimSpace(definition))
	must(t, "", "apply", "-f", policies)

	manifest := s.inNamespace(rplug("build ."))
	require.Contains(t, manifest, contract.PluginKey+": guarded-db@1.0.0")
	sandbox := "apiVersion: resourceplugins.dev/v1alpha1\nkind: Sandbox\nmetadata: {name: x, namespace: " + s.name + "}\n" +
		"spec: {cluster: staging, resources: [{name: db, plugin: guarded-db@1.0.0, params: {dbname: orders}}]}\n"
	for _, c := range []struct{ manifest, fault, with, denied string }{
		{manifest, "digest: sha256:", "digest: sha1:", "the annotation resourceplugins.dev/digest must be the digest of the plugin"},
		{manifest, "guarded-db@1.0.0", "guarded-db@latest", "the annotation resourceplugins.dev/plugin must be guarded-db@VERSION"},
		{sandbox, "dbname: orders", "size: big", "a resource of guarded-db must have the params: dbname"},
		{sandbox, "{dbname: orders}", "{dbname: orders, size: big}", "guarded-db has no such params: size"},
		{sandbox, "cluster: staging", "cluster: ''", "spec.cluster must not be empty"},
	} {
		faulty := strings.ReplaceAll(c.manifest, c.fault, c.with)
		require.NotEqual(t, c.manifest, faulty, c.fault)
		eventually(t, func() (string, error) { // a policy has an effect some seconds after it was applied
			_, err := kubectl(faulty, "apply", "--dry-run=server", "-f", "-")
			if err == nil {
				return "denial of " + c.with, nil
			}
			assert.ErrorContains(t, err, c.denied)
			return "", nil
		})
		checkAccepted(t, c.manifest, "without "+c.with)
	}
	// The server has type-checked the expressions for Jobs and for the custom resource.
	warnings := must(t, "", "get", "validatingadmissionpolicies", "-o", "jsonpath={.items[*].status.typeChecking.expressionWarnings}")
	assert.Empty(t, warnings)
}
