//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// With Argo CD, a sandbox expires by the clock of Git, and a sandbox whose document was lost is swept, by commits alone.
func TestArgoCDEnd(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	a := newApplication(s)
	ready := func(revision string) { a.await(revision, "Synced", "Healthy") }
	deliverEnds(s, argoCDName, argoCDArguments, a.repository, a.create, ready, ready)
}

// The same with Flux.
func TestFluxEnd(t *testing.T) {
	t.Parallel()
	s := newNamespace(t)
	k := newKustomization(s)
	k.spec["timeout"] = "30s" // while a delete phase is there, the Kustomization is not ready before its timeout
	k.create()                // before the first commit, it delivers nothing
	deliverEnds(s, fluxName, fluxArguments, k.repository, func() {}, k.ready, func(string) {})
}

// deliverEnds commits documents and their renders. One sandbox expires, is torn down, and its document is dropped; another loses
// its document at once, and is torn down with the output of rplug sweep. ready waits until a revision is delivered and healthy,
// left until one is that has a delete phase.
func deliverEnds(s *testNamespace, tool string, arguments []string, r *repository, begin func(), ready, left func(revision string)) {
	s.t.Helper()
	p := newPage(s, "expired")
	p.folder = r.work
	r.git(r.work, "config", "user.name", "Test")
	r.git(r.work, "config", "user.email", "test@example.org")
	build := "rplug build --undo " + strings.Join(arguments, " ")
	push := func() (revision string) {
		s.t.Helper()
		p.bash("git add --all; git commit --quiet --message=Change; git push --quiet origin main")
		return r.git(r.work, "rev-parse", "HEAD")
	}
	document := func(name string) string { return filepath.Join(r.work, "documents", name+".yaml") }
	require.NoError(s.t, os.MkdirAll(filepath.Join(r.work, "documents"), 0o755))
	expires, lost := sandbox("expired", "returning", map[string]string{"value": "one"}), sandbox("lost", "returning", map[string]string{"value": "two"})
	expires["spec"].(object)["ttl"] = object{"duration": "2m"}
	for name, documents := range map[string][]object{"plugin": {s.returning()}, "kept": s.kept(), "expired": {expires}, "lost": {lost}} {
		p.write("documents/"+name+".yaml", s.asUsersWrite(documents))
	}
	p.bash(build + " --output-dir deploy documents")
	revision := push()
	begin()
	ready(revision)
	ran := map[string]int{"make": 1, "use": 1, "tell": 1}
	require.Equal(s.t, ran, s.runs("expired"))

	eventually(s.t, func() (string, error) {
		p.bash("rplug expire --write documents")
		text, err := os.ReadFile(document("expired"))
		if !strings.Contains(string(text), "absent") {
			return "the ttl", err
		}
		return "", err
	})
	p.bash(build + " --output-dir deploy documents")
	left(push())
	observe(s.t, tool, "a sandbox has expired, and rplug expire has marked it absent", "the delete phase runs")
	eventually(s.t, func() (string, error) {
		out, _, err := execute(p.command(build+" documents | rplug remove --done --render - -- documents"), "")
		if err != nil {
			return fmt.Sprintf("the end of the delete phase: %s %v", out, err), nil
		}
		return "", nil
	})
	ran["drop"] = 1
	assert.Equal(s.t, ran, s.runs("expired"))
	assert.NoFileExists(s.t, document("expired"))
	p.bash(build + " --output-dir deploy documents")
	ready(push())

	require.NoError(s.t, os.Remove(document("lost")))
	_, stderr, err := execute(p.command(build+" --output-dir deploy documents"), "")
	require.Error(s.t, err, "its delete phase was never rendered")
	assert.Contains(s.t, stderr, "lost")
	p.bash(build + " --allow-leaks --output-dir deploy documents")
	ready(push())
	assert.Zero(s.t, s.runs("lost")["drop"])
	observe(s.t, tool, "a document was removed at once", "no delete phase runs; rplug sweep lists the sandbox as leaked")
	p.bash("rplug sweep --render documents > deploy/swept.yaml")
	left(push())
	eventually(s.t, func() (string, error) {
		if s.runs("lost")["drop"] == 0 || len(s.ended("--selector=resourceplugins.dev/sandbox=lost")) == 0 {
			return "the delete phase of the lost sandbox", nil
		}
		return "", nil
	})
	observe(s.t, tool, "the output of rplug sweep --render was committed", "the delete phase of the leaked sandbox runs")
	assert.Equal(s.t, ran, s.runs("lost"))
	p.bash("rm deploy/swept.yaml")
	ready(push())
	for key, output := range s.outputs() {
		assert.True(s.t, strings.HasPrefix(key, "kept/") || len(output.Data) == 0, key)
	}
	assert.Equal(s.t, map[string]int{"keep": 1}, s.runs("kept"))
}

// asUsersWrite returns the documents as YAML in block style, without empty annotations, so that commands can edit them.
func (s *testNamespace) asUsersWrite(documents []object) (all string) {
	s.t.Helper()
	for _, document := range documents {
		if metadata := document["metadata"].(object); metadata["annotations"].(map[string]string) == nil {
			delete(metadata, "annotations")
		}
		text, err := yaml.Marshal(document)
		require.NoError(s.t, err)
		all += "---\n" + string(text)
	}
	return all
}
