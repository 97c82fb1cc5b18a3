package architecture

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
	"github.com/resource-plugins/krm-functions/test/framework/docker"
)

// imageAtDigest matches an image with its version, for people, and its digest, since a tag can be moved.
var imageAtDigest = regexp.MustCompile(`^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$`)

// container is a container of a workflow, in the long form.
type container struct{ Image, Options string }

type workflow struct {
	Jobs map[string]struct {
		Container *container
		Services  map[string]container
	}
}

// Only the job with the Kubernetes node is privileged, since the node needs its own mounts, cgroups and namespaces.
func TestWorkflowsRunContainersByDigest(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../.github/workflows/*.yaml")
	require.NoError(t, err)
	privileged := []string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var w workflow
		require.NoError(t, yaml.Unmarshal(text, &w), "%s: a container must have the keys image and options", file)
		for name, job := range w.Jobs {
			if job.Container != nil {
				job.Services = map[string]container{"": *job.Container}
			}
			for _, c := range job.Services {
				assert.Regexp(t, imageAtDigest, c.Image, "%s: %s", file, name)
				if regexp.MustCompile(`--privileged|--cap-add|=host|unconfined|--volume|-v `).MatchString(c.Options) {
					privileged = append(privileged, filepath.Base(file)+": "+name)
				}
			}
		}
		assert.NotContains(t, string(text), "docker run")
		assert.NotContains(t, string(text), "uses: docker://")
	}
	assert.Equal(t, []string{"test.yaml: node"}, privileged)
}

// Containers started by tests, hooks and pages are restricted.
func TestContainersAreRestricted(t *testing.T) {
	t.Parallel()
	list := exec.CommandContext(t.Context(), "git", "grep", "-lzE", `docker run|"docker",|language: docker|--privileged`, "--",
		":!test/architecture", ":!.github/workflows")
	list.Dir = checkout.Root()
	names, err := list.Output()
	require.NoError(t, err)
	found := 0
	for name := range bytes.SplitSeq(bytes.TrimSuffix(names, []byte{0}), []byte{0}) {
		text, err := os.ReadFile(filepath.Join(checkout.Root(), string(name)))
		require.NoError(t, err)
		switch file := string(name); {
		case file == "test/framework/docker/docker.go":
		case strings.HasSuffix(file, ".go"):
			assert.NotRegexp(t, `"docker",\s*"run"`, string(text), "%s must use docker.Run", file)
		default:
			started := strings.Count(string(text), "docker run") + strings.Count(string(text), "language: docker")
			assert.Equal(t, started, strings.Count(string(text), docker.Restricted), file)
			found += started
		}
		assert.NotContains(t, string(text), "--privileged", string(name))
	}
	assert.NotZero(t, found)
}
