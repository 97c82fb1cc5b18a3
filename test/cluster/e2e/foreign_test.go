//go:build e2e

package e2e

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// A Secret with the name of a step's Secret that belongs to another tool, or is immutable, keeps its data, and the step
// fails.
func TestFaultForeignSecret(t *testing.T) {
	s := newNamespace(t)
	plugin := s.plugin("foreign@1.0.0", s.overlay(), step{name: "make", script: script("make", good), outputs: []string{"value"}})
	const kind = "\nkind: Secret\n"
	tests := map[string]struct {
		data string                        // of the existing Secret
		edit func(documents string) string // of the rendered Secret
		want string
	}{
		"foreign": {"theirs", func(string) string { return "" }, "was not rendered for this step, since it has no annotation"},
		"merged":  {"theirs", func(text string) string { return text }, "has data that no step published"},
		"immutable": {"", func(text string) string { return strings.Replace(text, kind, kind+"immutable: true\n", 1) },
			"is immutable, so no outputs can be written to it: delete it if its data is not needed"},
	}
	for name, test := range tests {
		var documents []string
		for _, one := range strings.Split(render(t, nil, plugin, sandbox(name, "foreign", nil)), "\n---\n") {
			if !strings.Contains(one, kind) {
				documents = append(documents, one)
				continue
			}
			if test.data != "" {
				secretName := regexp.MustCompile(`(?m)^  name: (\S+)$`).FindStringSubmatch(one)[1]
				must(t, "", "create", "secret", "generic", secretName, "--namespace", s.name, "--from-literal=password="+test.data)
			}
			documents = append(documents, test.edit(one))
		}
		s.apply(strings.Join(documents, "\n---\n"))
	}
	ends, messages := s.ended(), s.messages()
	require.Len(t, ends, len(tests))
	for name, test := range tests {
		assert.Equal(t, "Failed", ends[name+"/make"], name)
		assert.Contains(t, messages[name+"/make"], test.want, name)
		assert.Empty(t, s.times(t, name, "make", "start"), "the script of %s must not run", name)
	}
	secrets, err := list[secret](s.name, "secrets")
	require.NoError(t, err)
	kept := 0
	for _, one := range secrets {
		assert.NotContains(t, one.Metadata.Annotations, contract.PublishedKey)
		if string(one.Data["password"]) == "theirs" {
			kept++
		}
	}
	assert.Equal(t, 2, kept, "Secrets of other tools are kept")
}
