//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// insides are the ways in which Argo CD renders the documents of a repository itself, with the files that a folder needs.
var insides = []struct {
	name  string
	files map[string]string
}{
	{"Plugin", map[string]string{"rplug.yaml": "apiVersion: resourceplugins.dev/v1alpha1\nkind: Project\n"}},
	{"Kustomize", map[string]string{
		"kustomization.yaml": "resources: [documents.yaml]\ntransformers: [render.yaml]\n",
		"render.yaml": `apiVersion: resourceplugins.dev/v1alpha1
kind: RenderPhase
metadata:
  name: render
  annotations:
    config.kubernetes.io/function: "exec: {path: render-phase}"
delivery: argocd
`,
	}},
}

// Argo CD renders documents itself, by the plugin of deploy/argocd in its repo server, or by kustomize with exec functions: a
// sandbox is created, changed and torn down by commits of its document. A mistake in a document is shown, and changes nothing.
func TestArgoCDInside(t *testing.T) {
	t.Parallel()
	for _, inside := range insides {
		t.Run(inside.name, func(t *testing.T) {
			s := newNamespace(t)
			a := newApplication(s)
			tool := "Argo CD, rendering by " + strings.ToLower(inside.name)
			commit := func(documents ...object) string {
				t.Helper()
				files := map[string]string{"documents.yaml": texts(t, append(s.kept(), documents...)...)}
				for name, text := range inside.files {
					files[name] = text
				}
				return a.commit(files)
			}
			returned := func(value string) object { return sandbox("returned", "returning", map[string]string{"value": value}) }

			revision := commit(s.returning(), returned("one"))
			a.create()
			a.await(revision, "Synced", "Healthy")
			s.requireValue("one")
			observe(t, tool, "all steps have succeeded", "Synced, Healthy")

			wrong := returned("two")
			wrong["spec"].(object)["resources"].([]object)[0]["plugin"] = "returnin"
			commit(s.returning(), wrong)
			a.awaitCondition("ComparisonError", `"returnin"`)
			assert.Equal(t, map[string]int{"make": 1, "use": 1, "tell": 1}, s.runs("returned"))
			observe(t, tool, "a document has a mistake", "Unknown, Healthy; ComparisonError with the message")

			a.await(commit(s.returning(), returned("two")), "Synced", "Healthy")
			s.requireValue("two")
			absent := returned("two")
			absent["metadata"].(object)["annotations"] = map[string]string{contract.StateKey: "absent"}
			a.await(commit(s.returning(), absent), "Synced", "Healthy")
			assert.Equal(t, 1, s.runs("returned")["drop"])

			a.await(commit(s.returning(), returned("three")), "Synced", "Healthy")
			a.await(commit(), "Synced", "Healthy")
			assert.Equal(t, 1, s.runs("returned")["drop"], "a document that is removed at once is not torn down")
			observe(t, tool, "a document was removed at once", "Synced, Healthy; no delete phase runs")
		})
	}
}

// awaitCondition waits until the Application has a condition whose message contains a text.
func (a *application) awaitCondition(name, text string) {
	a.t.Helper()
	eventually(a.t, func() (string, error) {
		status, err := a.status()
		for _, condition := range status.Conditions {
			if condition.Type == name && strings.Contains(condition.Message, text) {
				return "", nil
			}
		}
		return fmt.Sprintf("%s with %s, not %v", name, text, status.Conditions), err
	})
}
