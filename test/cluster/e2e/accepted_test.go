//go:build e2e

package e2e

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// The API server accepts all rendered objects, with strict validation and without warnings, also in a namespace that
// enforces the Pod Security Standard "baseline".
func TestAccepted(t *testing.T) {
	var folders []string
	if checkout.HasCorpus() {
		plugins, err := filepath.Glob(filepath.Join(checkout.Corpus(t), "signadot", "plugins", "*"))
		require.NoError(t, err)
		folders = plugins
	}
	examples, err := filepath.Glob(filepath.Join(checkout.Root(), "examples", "*", "plugin.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, examples)
	for _, example := range examples {
		folders = append(folders, filepath.Dir(example))
	}
	folders = append(folders, filepath.Join(checkout.Root(), "examples", "orders-db", "native"))

	plain := newNamespace(t)
	baseline := newNamedNamespace(t, plain.name+"-baseline", "pod-security.kubernetes.io/enforce=baseline", "pod-security.kubernetes.io/warn=baseline")
	for _, folder := range folders {
		files := []string{filepath.Join(folder, "plugin.yaml"), filepath.Join(folder, "sandbox.yaml")}
		if matches, _ := filepath.Glob(filepath.Join(folder, "example-sandbox.yaml")); len(matches) == 1 {
			files[1] = matches[0]
		}
		for _, phase := range []string{"create", "delete"} {
			for _, workload := range []string{"Job", "Pod"} {
				for _, s := range []*testNamespace{plain, baseline} {
					namespace := s.name
					manifest := function(t, "render-phase", "", append([]string{
						"--phases", phase, "--workload", workload, "--runner-namespace", namespace,
						"--set", "cluster=c", "--set", "namespace=" + namespace, "--set", "tfstate-bucket=b",
					}, files...)...)
					manifest = s.inNamespace(manifest)
					if accounts := accounts(manifest, namespace); accounts != "" && workload == "Pod" { // a Pod without its account is rejected
						must(t, accounts, "apply", "-f", "-")
					}
					checkAccepted(t, manifest, phase+" of "+folder+" as "+workload+" in "+namespace)
				}
			}
		}
	}
}

// accounts returns manifests of the ServiceAccounts used by the Pods of a manifest.
func accounts(manifest, namespace string) string {
	var stream strings.Builder
	for _, match := range regexp.MustCompile(`serviceAccountName: (\S+)`).FindAllStringSubmatch(manifest, -1) {
		fmt.Fprintf(&stream, "---\napiVersion: v1\nkind: ServiceAccount\nmetadata: {name: %s, namespace: %s}\n", match[1], namespace)
	}
	return stream.String()
}

func checkAccepted(t *testing.T, manifest, what string) {
	t.Helper()
	_, stderr, err := kubectlWarns(manifest, "apply", "--dry-run=server", "--validate=strict", "-f", "-")
	require.NoError(t, err, what)
	assert.Empty(t, stderr, what)
}

// The API server warns about a Pod that violates "baseline", so TestAccepted can fail.
func TestAcceptedCanFail(t *testing.T) {
	s := newNamespace(t, "pod-security.kubernetes.io/enforce=baseline", "pod-security.kubernetes.io/warn=baseline")
	manifest := render(t, nil, s.plugin("rude@1.0.0", s.overlay(), step{name: "say", script: "#!/bin/sh\ntrue"}), sandbox("rude", "rude", nil))
	_, stderr, err := kubectlWarns(manifest, "apply", "--dry-run=server", "--validate=strict", "-f", "-")
	require.NoError(t, err, "a Job is only warned of")
	assert.Contains(t, stderr, "hostPath volumes")
}
