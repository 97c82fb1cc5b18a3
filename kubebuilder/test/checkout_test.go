package kubebuilder

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/scaffold"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// The commands for an operator in docs/howto/kubebuilder.md work from a checkout, whose release no proxy has. TestScaffoldBehindGo
// does the same with a release.
func TestGuideFromCheckout(t *testing.T) {
	t.Parallel()
	program := checkout.Tool(t, "kubebuilder")
	s := newShell(t)
	s.env = append(s.env, "PATH="+filepath.Dir(program)+":"+s.path())
	s.needModule("sigs.k8s.io/controller-tools", controllerTools["kubebuilder"])
	commands := guideCommands(t, "An operator")
	require.Len(t, commands, 3)
	for _, prefix := range []string{"kubebuilder init ", "go mod edit -replace ", "kubebuilder create api "} {
		at := slices.IndexFunc(commands, func(line string) bool { return strings.HasPrefix(line, prefix) })
		require.GreaterOrEqual(t, at, 0, "%s must be one of %q", prefix, commands)
		s.run("sh", "-c", strings.ReplaceAll(commands[at], "$HOME/krm-functions", checkout.Root()))
	}
	s.check(1)
	s.run("go", "vet", "./...")
	assert.Contains(t, s.run("go", "test", "./plugins"), "ok")
	s.run("go", "mod", "edit", "-dropreplace", scaffold.Module)
	assert.NotContains(t, s.files()["go.mod"], "replace")
}

// guideCommands returns the lines of the shell blocks in a section of the guide.
func guideCommands(t *testing.T, section string) (lines []string) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(checkout.Root(), "docs", "howto", "kubebuilder.md"))
	require.NoError(t, err)
	_, text, isThere := strings.Cut(string(page), "\n## "+section+"\n")
	require.True(t, isThere)
	text, _, _ = strings.Cut(text, "\n## ")
	inBlock := false
	for line := range strings.Lines(text) {
		switch line = strings.TrimSpace(line); {
		case line == "```sh":
			inBlock = true
		case line == "```":
			inBlock = false
		case inBlock:
			lines = append(lines, line)
		}
	}
	return lines
}
