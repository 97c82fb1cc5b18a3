//go:build e2e

package e2e

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// If the image is available within the start timeout, the step runs. If it is available later, main starts and refuses to
// run the script. If it is never available, the deadline ends the Pod. In the last two cases the consumers stop after the
// start timeout, not at their deadline.
func TestFaultImage(t *testing.T) {
	s := newNamespace(t)
	cases := map[string][]string{
		"soon":  {"--start-timeout-seconds", "900"},
		"late":  {"--start-timeout-seconds", "20"},
		"never": {"--start-timeout-seconds", "20", "--step-timeout-seconds", "120"},
	}
	for name, arguments := range cases {
		plugin := s.plugin(name+"@1.0.0", s.overlay(),
			step{name: "make", script: script("make", good), outputs: []string{"value"}},
			step{name: "use", script: script("use", "true"), reads: []string{"make.value"}})
		plugin["spec"].(object)["runner"].(object)["image"] = s.image(name)
		manifest := render(t, arguments, plugin, sandbox(name, name, nil))
		s.apply(manifest)
	}
	s.awaitFailed("late/use", "never/use")
	assert.Empty(t, s.events(t), "nothing must run without its image")
	s.load("soon")
	s.load("late")
	ends := s.ended()
	for key, want := range map[string]string{
		"soon/make": "Complete", "soon/use": "Complete", "late/make": "Failed", "late/use": "Failed",
		"never/make": "Failed", "never/use": "Failed",
	} {
		assert.Equal(t, want, ends[key], key)
	}
	assert.Empty(t, s.runs("late"), "main must refuse to run")
	assert.Empty(t, s.runs("never"))
	outputs, messages := s.outputs(), s.messages()
	assert.Equal(t, "value of soon", string(outputs["soon/make"].Data["value"]))
	assert.Contains(t, messages["late/make"], "main started after the start timeout")
	for _, name := range []string{"late", "never"} {
		assert.Empty(t, outputs[name+"/make"].Data, name)
		assert.NotEmpty(t, outputs[name+"/make"].Metadata.Annotations[contract.FailedKey], name)
		assert.Contains(t, messages[name+"/use"], "failed and its outputs are needed")
	}
}

// image returns the name of an image that only this test loads.
func (s *testNamespace) image(name string) string { return "e2e.example.org/" + s.name + ":" + name }

// load loads the image into the node. It contains a shell.
func (s *testNamespace) load(name string) {
	s.t.Helper()
	archive := filepath.Join(s.t.TempDir(), name+".tar")
	nodeScript(s.t, "image", "-o", archive, "-t", s.image(name), filepath.Join(suite.node, "images", "shell"))
	nodeScript(s.t, "load", archive)
}

// awaitFailed waits until the Jobs of the steps have failed.
func (s *testNamespace) awaitFailed(keys ...string) {
	s.t.Helper()
	eventually(s.t, func() (string, error) {
		jobs, err := list[workload](s.name, "jobs")
		ends := map[string]string{}
		for _, one := range jobs {
			ends[one.Metadata.key()] = one.end()
		}
		for _, key := range keys {
			if ends[key] != "Failed" {
				return "the failure of " + key, err
			}
		}
		return "", err
	})
}
