package runtime_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every message in the README's table exists in the code.
func TestReadmeMessagesExist(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, table, found := strings.Cut(string(readme), "| container | message |")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n\n")
	code := source(t)
	quoted := regexp.MustCompile("(?m)^\\| [a-z, -]+ \\| `([^`]+)`").FindAllStringSubmatch(table, -1)
	require.Len(t, quoted, strings.Count(table, "\n")-1, "every row quotes a message")
	for _, message := range quoted {
		assert.True(t, strings.Contains(code, message[1]), message[1]) //nolint:testifylint // Contains would print it all
	}
}

// source returns the code without tests, with string literals joined that are split over several lines.
func source(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	for _, folder := range []string{"internal", "../internal/runner", "../internal/contract"} {
		require.NoError(t, filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			content, err := os.ReadFile(path)
			text.Write(content)
			return err
		}))
	}
	return regexp.MustCompile(`"\s*\+\s*"`).ReplaceAllString(text.String(), "")
}
