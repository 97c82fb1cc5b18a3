package docs

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestQuestions checks that the answer to each question of a new user is at most two clicks away from the README.
func TestQuestions(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/questions.txt")
	require.NoError(t, err)
	clicks := distances(t, "README.md")
	asked := 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		question, answer, ok := strings.Cut(line, "? ")
		require.True(t, ok, "%q must be QUESTION? PAGE#SECTION", line)
		file, section, ok := strings.Cut(strings.TrimSpace(answer), "#")
		require.True(t, ok, "%q must name a section", line)
		pageLink{file: file, section: section}.check(t, question)
		away, linked := clicks[file]
		assert.True(t, linked && away <= 2, "%s? The README does not lead to %s in two clicks", question, file)
		asked++
	}
	assert.GreaterOrEqual(t, asked, 25)
}

// TestReachable checks that every page of docs/ can be reached from the README.
func TestReachable(t *testing.T) {
	t.Parallel()
	clicks := distances(t, "README.md")
	for _, page := range pages(t) {
		if strings.HasPrefix(page, "docs/") {
			assert.Contains(t, clicks, page)
		}
	}
}

// distances returns the number of clicks from a page to each other page.
func distances(t *testing.T, from string) map[string]int {
	t.Helper()
	found := map[string]int{from: 0}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		page := queue[0]
		for _, to := range links(t, page) {
			if _, known := found[to.file]; !known && strings.HasSuffix(to.file, ".md") {
				found[to.file] = found[page] + 1
				queue = append(queue, to.file)
			}
		}
	}
	return found
}
