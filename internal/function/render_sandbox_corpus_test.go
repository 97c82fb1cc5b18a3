package function

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	kjson "sigs.k8s.io/json"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/internal/function/rendersandbox"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// Real sandboxes render against baselines that are made for them, into objects that Kubernetes accepts, a fork and a
// Service each. The exact output is checked by digests, since the files are not ours to copy: a changed digest means
// that renders have changed.
func TestRealSandboxesRender(t *testing.T) {
	t.Parallel()
	corpus := checkout.Corpus(t)
	var files []string
	_ = filepath.WalkDir(corpus, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.Contains(path, "sandbox") || strings.Contains(path, "hotrod/") {
			if strings.HasSuffix(path, ".yaml") && !strings.Contains(path, "/broken/") {
				files = append(files, path)
			}
		}
		return nil
	})
	require.NotEmpty(t, files)
	variables := map[string]string{
		"cluster": "c", "namespace": "ns", "branch": "b", "name": "n", "service": "svc", "image": "example.com/i:1",
		"github-pr": "7", "devbox-id": "d",
	}
	var flags []string
	for key, value := range variables {
		flags = append(flags, "--set", key+"="+value)
	}
	var digests strings.Builder
	for _, file := range files {
		_, stderr, code := command(t, nil, append(flags, "--keep-inputs", file)...)
		if code != 0 { // the baselines are not there: the errors say which
			require.Contains(t, stderr, "must be in the list: add its manifest", file)
		}
		base := baselineFor(stderr)
		stdout, stderr, code := command(t, []byte(base), append(flags, "-", file)...)
		require.Zero(t, code, "%s: %s", file, stderr)
		forks := decodeForks(t, stdout)
		assert.Equal(t, strings.Count(base, "kind: Deployment"), forks, file)
		fmt.Fprintf(&digests, "%s: %d forks, %.12x\n", strings.TrimPrefix(file, corpus+"/"), forks, sha256.Sum256([]byte(stdout)))
	}
	requireGolden(t, "testdata/corpus.golden", digests.String())
}

func requireGolden(t *testing.T, file, got string) {
	t.Helper()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

// baselineFor makes a Deployment and a Service for each that an error asks for.
func baselineFor(stderr string) string {
	var out strings.Builder
	for line := range strings.Lines(stderr) {
		var name, namespace string
		_, rest, _ := strings.Cut(line, "Deployment ")
		if n, _ := fmt.Sscanf(rest, "%q of namespace %q", &name, &namespace); n < 2 {
			continue
		}
		fmt.Fprintf(&out, "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: %[1]s, namespace: %[2]s}\nspec:\n"+
			"  selector: {matchLabels: {app: %[1]s}}\n  template:\n    metadata: {labels: {app: %[1]s}}\n"+
			"    spec: {containers: [{name: hotrod, image: i, ports: [{containerPort: 8080}]}]}\n---\n"+
			"apiVersion: v1\nkind: Service\nmetadata: {name: %[1]s, namespace: %[2]s}\n"+
			"spec: {selector: {app: %[1]s}, ports: [{port: 8080}]}\n---\n", name, namespace)
	}
	return out.String()
}

func command(t *testing.T, stdin []byte, args ...string) (string, string, int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := rendersandbox.New().Run(t.Context(), args, bytes.NewReader(stdin), &stdout, &stderr)
	return stdout.String(), stderr.String(), code
}

// decodeForks decodes the rendered objects as strictly as the API server, and counts the Deployments.
func decodeForks(t *testing.T, documents string) (deployments int) {
	t.Helper()
	for decoder := yaml.NewDecoder(strings.NewReader(documents)); ; {
		var document map[string]any
		if decoder.Decode(&document) != nil {
			return deployments
		}
		typed, known := map[string]any{"Deployment": &appsv1.Deployment{}, "Service": &corev1.Service{}}[document["kind"].(string)]
		require.True(t, known, document["kind"])
		text, err := yaml.Marshal(document)
		require.NoError(t, err)
		asJSON, err := sigsyaml.YAMLToJSONStrict(text)
		require.NoError(t, err)
		problems, err := kjson.UnmarshalStrict(asJSON, typed)
		require.NoError(t, err)
		require.Empty(t, problems)
		if document["kind"] == "Deployment" {
			deployments++
		}
	}
}
