package install

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

// file reads a file of testdata.
func file(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return string(text)
}

// listOf makes a list of YAML documents.
func listOf(t *testing.T, texts ...string) *krm.ResourceList {
	t.Helper()
	list := krm.NewList()
	for _, text := range texts {
		for document := range strings.SplitSeq(text, "\n---\n") {
			item, err := krm.NewItem([]byte(strings.TrimRight(document, "\n") + "\n"))
			require.NoError(t, err)
			list.Append(item)
		}
	}
	return list
}

// rendered renders a list with options that change may set.
func rendered(t *testing.T, list *krm.ResourceList, change func(*render.Options)) Summary {
	t.Helper()
	options := render.DefaultOptions()
	options.WithoutPaths = true
	options.Rules = map[string]string{"package-rights/registry.example.org/acme/redis": "warning"} // for unknown.example.org
	if change != nil {
		change(&options)
	}
	summary, err := Render(list, options)
	require.NoError(t, err)
	return summary
}

// printed are the objects of a render as file mode prints them.
func printed(t *testing.T, list *krm.ResourceList, objects []*krm.Item) string {
	t.Helper()
	var documents []string
	for _, item := range list.Items() {
		if slices.Contains(objects, item) {
			text, err := item.Bytes()
			require.NoError(t, err)
			documents = append(documents, string(text))
		}
	}
	return strings.Join(documents, "---\n")
}

// messages are the results of a list, one a line.
func messages(list *krm.ResourceList) string {
	var lines []string
	for _, result := range list.Results() {
		field := ""
		if result.Field != nil {
			field = result.Field.Path + ": "
		}
		lines = append(lines, string(result.Severity)+": "+field+result.Message+"\n")
	}
	return strings.Join(lines, "")
}

// unpacked sets install: objects.
func unpacked(o *render.Options) { o.Install = render.InstallObjects }
