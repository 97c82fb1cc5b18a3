package architecture

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// listed matches the generated table of CONTRIBUTING.md.
var listed = regexp.MustCompile(`(?s)(<!-- generated from package comments: make golden -->\n).*?(<!-- end -->)`)

// CONTRIBUTING.md lists the packages of the core with the first sentences of their comments. UPDATE_GOLDEN updates the
// table.
func TestContributingListsPackages(t *testing.T) {
	t.Parallel()
	purposes := map[string]string{}
	for _, p := range list(t, "./api/...", "./internal/...", "./pkg/...") {
		purposes[strings.TrimPrefix(p.ImportPath, module)] = purpose(p)
	}
	var table strings.Builder
	table.WriteString("| package | what it does |\n|---|---|\n")
	for _, layer := range layers {
		fmt.Fprintf(&table, "| `%s` | %s |\n", layer.path, purposes[layer.path])
	}
	path := filepath.Join(checkout.Root(), "CONTRIBUTING.md")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Len(t, listed.FindAll(text, -1), 1)
	want := listed.ReplaceAllString(string(text), "${1}"+strings.ReplaceAll(table.String(), "$", "$$")+"${2}")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
		return
	}
	assert.Equal(t, want, string(text), "run make golden")
}

// widest limits the purpose of a package in the table, in bytes.
const widest = 100

// purpose returns the first sentence of a package's comment without the name. A sentence that is too long is cut, if
// possible at a colon.
func purpose(p goPackage) string {
	text := strings.TrimSuffix(strings.TrimPrefix(p.Doc, "Package "+p.Name+" "), ".")
	if len(text) > widest {
		text, _, _ = strings.Cut(text, ": ")
	}
	if len(text) > widest {
		text = text[:strings.LastIndex(text[:widest], " ")] + " …"
	}
	return text
}

// At most 16 visible folders are at the top, and at most 8 groups of tests; CONTRIBUTING.md describes each of them.
func TestContributingListsFolders(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(checkout.Root(), "CONTRIBUTING.md"))
	require.NoError(t, err)
	files, err := checkout.Files()
	require.NoError(t, err)
	top, tests := map[string]bool{}, map[string]bool{}
	for _, name := range files {
		switch parts := strings.SplitN(name, "/", 3); {
		case len(parts) == 1 || strings.HasPrefix(name, "."):
		case parts[0] == "test":
			tests["test/"+parts[1]] = true
			fallthrough
		default:
			top[parts[0]] = true
		}
	}
	assert.LessOrEqual(t, len(top), 16, slices.Sorted(maps.Keys(top)))
	assert.LessOrEqual(t, len(tests), 8, slices.Sorted(maps.Keys(tests)))
	delete(top, "test")
	maps.Copy(top, tests)
	for folder := range top {
		if !strings.Contains(string(text), "`"+folder) {
			t.Errorf("CONTRIBUTING.md must describe %s", folder)
		}
	}
}
