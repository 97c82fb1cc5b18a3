// Package images tests the images of `make images`: each function must have the same output in docker, without permissions,
// as its program, and two clean builds must give the same images.
package images

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// All names of images in pages, hooks and examples are built by `make images`, and have the current tag.
func TestImageNames(t *testing.T) {
	t.Parallel()
	list := exec.Command("git", "grep", "-zlI", "--untracked", "-e", contract.ImageRegistry+"/")
	list.Dir = checkout.Root()
	out, err := list.Output()
	require.NoError(t, err)
	files := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	require.NotEmpty(t, files)

	known := append(functions(t), "runtime", "unpacker",
		"examples", // the catalog that .ci/release pushes
		"FUNCTION") // a placeholder
	name := regexp.MustCompile(regexp.QuoteMeta(contract.ImageRegistry) + `/([A-Za-z0-9._-]+):(v[0-9][A-Za-z0-9._-]*)`)
	found := 0
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(checkout.Root(), file))
		require.NoError(t, err)
		for _, match := range name.FindAllStringSubmatch(string(text), -1) {
			assert.Contains(t, known, match[1], "%s names %s", file, match[0])
			assert.Equal(t, contract.ImageTag, match[2], "%s names %s", file, match[0])
			found++
		}
	}
	assert.Positive(t, found)
}

// functions returns the names of the functions.
func functions(t *testing.T) []string {
	t.Helper()
	mains, err := filepath.Glob(filepath.Join(checkout.Root(), "functions", "*", "main.go"))
	require.NoError(t, err)
	require.NotEmpty(t, mains)
	var names []string
	for _, main := range mains {
		names = append(names, filepath.Base(filepath.Dir(main)))
	}
	return names
}
