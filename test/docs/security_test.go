package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// securityPage returns the page about security.
func securityPage(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(checkout.Root(), "docs/explanation/security.md"))
	require.NoError(t, err)
	return string(page)
}

var testName = regexp.MustCompile("`(Test[A-Za-z_0-9]+)`")

// assertTests checks that the tests that a text names exist.
func assertTests(t *testing.T, text string) {
	t.Helper()
	for _, test := range testName.FindAllStringSubmatch(text, -1) {
		find := exec.Command("git", "grep", "-qE", "^func "+test[1]+`\(`, "--", "*_test.go")
		find.Dir = checkout.Root()
		assert.NoError(t, find.Run(), "there is no %s", test[1])
	}
}

// Each row of the table of threats refers to existing tests, and describes the remaining risk.
func TestThreatsNameTests(t *testing.T) {
	t.Parallel()
	_, rest, found := strings.Cut(securityPage(t), "## Threats\n")
	require.True(t, found)
	section, _, _ := strings.Cut(rest, "\n## ")
	rows := 0
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| who") {
			continue
		}
		rows++
		require.Len(t, cells, 4, line)
		assert.Regexp(t, testName, cells[2], line)
		assert.NotEmpty(t, strings.TrimSpace(cells[3]), line)
		assertTests(t, cells[2])
	}
	assert.Greater(t, rows, 12)
}

// Each sentence and each row of the page names a test, a file or a target of make as its evidence. Those that promise
// nothing, such as advice and gaps in the protection, are listed in testdata/security.txt.
func TestSecurityPage_namesTests(t *testing.T) {
	t.Parallel()
	list, err := os.ReadFile(filepath.Join("testdata", "security.txt"))
	require.NoError(t, err)
	plain := map[string]bool{}
	for line := range strings.Lines(string(list)) {
		plain[strings.TrimSpace(line)] = true
	}
	checked := 0
	for _, sentence := range sentences(securityPage(t)) {
		assertTests(t, sentence)
		if hasEvidence(t, sentence) {
			checked++
			continue
		}
		assert.True(t, plain[sentence], "name a test, or list it in testdata/security.txt: %s", sentence)
		delete(plain, sentence)
	}
	assert.Greater(t, checked, 50)
	assert.Empty(t, plain, "no sentence of the page")
}

var item = regexp.MustCompile(`^\d+\. `)

// sentences returns the sentences of paragraphs and lists, and the rows of tables without their headings.
func sentences(page string) (all []string) {
	for paragraph := range strings.SplitSeq(strings.TrimSpace(page), "\n\n") {
		lines := strings.Split(paragraph, "\n")
		switch {
		case strings.HasPrefix(paragraph, "#"):
		case len(lines) > 1 && strings.HasPrefix(lines[1], "|---"):
			all = append(all, lines[2:]...)
		case item.MatchString(paragraph):
			for _, line := range lines {
				all = append(all, item.ReplaceAllString(line, ""))
			}
		default:
			for sentence := range strings.SplitAfterSeq(strings.Join(lines, " "), ". ") {
				all = append(all, strings.TrimSpace(sentence))
			}
		}
	}
	return all
}

var code = regexp.MustCompile("`([^`]+)`")

// hasEvidence reports whether a sentence names a test, a target of make or, in a table, a file of the repository.
func hasEvidence(t *testing.T, sentence string) bool {
	t.Helper()
	makefile, err := os.ReadFile(filepath.Join(checkout.Root(), "Makefile"))
	require.NoError(t, err)
	for _, name := range code.FindAllStringSubmatch(sentence, -1) {
		if target, isTarget := strings.CutPrefix(name[1], "make "); isTarget {
			assert.Contains(t, string(makefile), "\n"+target+":", sentence)
			return true
		}
		_, err := os.Stat(filepath.Join(checkout.Root(), name[1]))
		if strings.HasPrefix(name[1], "Test") || err == nil && strings.HasPrefix(sentence, "|") {
			return true
		}
	}
	return false
}
