package load_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

func TestReadTakesRealFiles(t *testing.T) {
	t.Parallel()
	corpus := filepath.Join(checkout.Corpus(t), "signadot")
	values := map[string]string{}
	for _, name := range strings.Fields("cluster namespace tfstate-bucket branch name service image github-pr devbox-id") {
		values[name] = "8080"
	}
	read, err := load.Read([]string{corpus + "/plugins", corpus + "/hotrod"}, load.Options{Values: values})
	require.NoError(t, err)
	assert.Empty(t, told(read, corpus))
	documents := names(read, corpus)
	slices.Sort(documents)
	assert.Len(t, documents, 17)
	assert.Contains(t, documents, "ResourcePlugin terraform plugins/terraform/plugin.yaml")
	assert.Contains(t, documents, "Sandbox 8080 hotrod/sbx-noop.yaml")
	for _, d := range read.Documents {
		_, err := d.Item.Bytes()
		require.NoError(t, err)
	}
}

func TestReadTellsWhatIsOldInRealFiles(t *testing.T) {
	t.Parallel()
	corpus := filepath.Join(checkout.Corpus(t), "signadot")
	read, err := load.Read([]string{filepath.Join(corpus, "broken/unquoted-directive.yaml")}, load.Options{})
	require.NoError(t, err)
	told := strings.Join(told(read, corpus), "\n")
	assert.Contains(t, told, `broken/unquoted-directive.yaml:33:13: error a value that starts with @ must be quoted`)
	assert.Contains(t, told, `broken/unquoted-directive.yaml:37:15: error a value that starts with @ must be quoted`)
	assert.Contains(t, told, `operation "include" is called "embed" today: write "@{embed: ./plugin/provision.sh}"`)
}
