//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// A kustomize overlay with a namePrefix over a rendered base works, since deploy/kustomize/names.yaml updates all references.
func TestStepsPrefix(t *testing.T) {
	s := newNamespace(t)
	folder := t.TempDir()
	base, overlay := filepath.Join(folder, "base"), filepath.Join(folder, "overlay")
	names, err := os.ReadFile(filepath.Join(checkout.Root(), "deploy", "kustomize", "names.yaml"))
	require.NoError(t, err)
	for file, text := range map[string]string{
		base + "/rendered.yaml":      render(t, nil, s.fan("old"), sandbox("prefix", "fan", nil)),
		base + "/kustomization.yaml": "resources: [rendered.yaml]\n",
		overlay + "/names.yaml":      string(names),
		overlay + "/kustomization.yaml": "namePrefix: team-\nresources: [../base]\n" +
			"configurations: [names.yaml]\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	must(t, "", "apply", "-k", overlay)
	s.succeeded(3)
	outputs := s.outputs()
	require.Len(t, outputs, 3)
	for key, one := range outputs {
		assert.True(t, strings.HasPrefix(one.Metadata.Name, "team-"), one.Metadata.Name)
		assert.NotEmpty(t, one.Data["value"], key)
	}
	first, left := outputs["prefix/first"].Data["value"], outputs["prefix/left"].Data["value"]
	assert.True(t, strings.HasSuffix(string(left), string(first)), "left must read what first published")
	report := newPage(s, "prefix").bash("kubectl get -k " + overlay + " -o go-template-file=status.gotemplate")
	assert.Contains(t, report, "\nstatus: Ready\n")
}
