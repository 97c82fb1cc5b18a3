// Package node tests the scripts of this folder that need neither root nor a node.
package node

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The README documents the variables with the ports, and their defaults.
func TestSettings_portsAreDocumented(t *testing.T) {
	t.Parallel()
	settings, err := os.ReadFile("settings")
	require.NoError(t, err)
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	ports := regexp.MustCompile(`\{(KRM_NODE_[A-Z_]+PORT):-(\d+)\}`).FindAllStringSubmatch(string(settings), -1)
	require.NotEmpty(t, ports)
	for _, port := range ports {
		assert.Contains(t, string(readme), "\n| `"+port[1]+"` | "+port[2]+" |\n")
	}
	assert.Equal(t, len(ports), strings.Count(string(readme), "\n| `KRM_NODE_"))
}

func TestSettings_readPortsFromTheEnvironment(t *testing.T) {
	t.Parallel()
	for want, environment := range map[string][]string{
		"127.0.0.1:15000 16443": nil,
		"127.0.0.1:25000 26443": {"KRM_NODE_REGISTRY_PORT=25000", "KRM_NODE_API_PORT=26443"},
	} {
		command := exec.Command("bash", "-c", `. ./settings; echo "$REGISTRY $API_PORT"`)
		command.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, environment...)
		output, err := command.CombinedOutput()
		require.NoError(t, err, string(output))
		assert.Equal(t, want+"\n", string(output))
	}
}
