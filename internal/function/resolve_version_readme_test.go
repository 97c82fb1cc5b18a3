package function

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// TestReadme holds that the documents of the README are sound.
func TestReadme(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../functions/resolve-version/README.md")
	require.NoError(t, err)
	var documents []*krm.Item
	for _, block := range strings.Split(string(text), "```yaml\n")[1:] {
		document, _, _ := strings.Cut(block, "```")
		if strings.Contains(document, "kind: Catalog") || strings.Contains(document, "kind: PluginLock") {
			item, err := krm.NewItem([]byte(document))
			require.NoError(t, err)
			documents = append(documents, item)
		}
	}
	require.Len(t, documents, 2)
	assert.Empty(t, resolve.Lint(documents))
}
