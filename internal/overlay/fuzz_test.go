package overlay_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	kjson "sigs.k8s.io/json"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/internal/overlay"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// overlays are lines of a file, whose first one is empty.
func overlays(tb testing.TB) []string {
	tb.Helper()
	text, err := os.ReadFile("testdata/overlays")
	require.NoError(tb, err)
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// Whatever Parse accepts, the API server's strict decoder accepts and reads the same.
func FuzzParseIsAsStrictAsKubernetes(f *testing.F) {
	for _, text := range overlays(f) {
		f.Add(text)
	}
	for _, text := range good {
		f.Add(text)
	}
	for _, scalar := range []string{
		"y", "Y", "yes", "yEs", "on", "1", "012", "0o14", "1_0", "1e3", "1.0", "0x1F", "2020-01-01", "~", "'a'", "!!str 1",
		"!!int \"1\"", "!!binary aGk=", "1e30", "9223372036854775808", "1:30", ".5", "+1", "-1.5e-3Ki", "1e", "1E5", "1Ei", "e5",
		".", "0", "-", "=", "100E",
	} {
		f.Add("spec: {hostNetwork: " + scalar + "}")
		f.Add("spec: {nodeName: " + scalar + "}")
		f.Add("spec: {priority: " + scalar + ", terminationGracePeriodSeconds: " + scalar + "}")
		f.Add("metadata: {creationTimestamp: " + scalar + "}")
		f.Add("spec: {containers: [{name: main, resources: {limits: {cpu: " + scalar + "}}}]}")
		f.Add("spec: {containers: [{name: main, readinessProbe: {httpGet: {port: " + scalar + "}}}]}")
		f.Add("metadata: {labels: {" + scalar + ": a}}")
	}
	f.Add("metadata: {creationTimestamp: '2006-01-02T15:04:05Z'}")
	f.Fuzz(func(t *testing.T, text string) {
		o, problems := overlay.Parse(text)
		for _, p := range problems {
			require.NotContains(t, p.String(), "\n")
			if p.Severity == strictyaml.SeverityError {
				return
			}
		}
		var ofTree, ofText corev1.PodTemplateSpec
		strict, err := kjson.UnmarshalStrict(o.Canonical, &ofTree)
		require.NoError(t, err, "%q", text)
		require.Empty(t, strict, "%q", text)
		asJSON, err := sigsyaml.YAMLToJSON([]byte(text))
		if err != nil {
			return // the older YAML reader refuses it
		}
		if strict, err = kjson.UnmarshalStrict(asJSON, &ofText); err == nil && len(strict) == 0 {
			require.True(t, equality.Semantic.DeepEqual(ofText, ofTree), "%q", text)
		}
	})
}

func TestRealOverlays(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(checkout.Corpus(t), "signadot/plugins/*/plugin/pod-template.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		_, problems := overlay.Parse(string(text))
		assert.Empty(t, problems, file)
	}
}
