package validate_test

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
	"github.com/resource-plugins/krm-functions/stacks"
	"github.com/resource-plugins/krm-functions/stacks/rules"
)

const rulesPage = "../../docs/reference/rules.md"

const pageHead = `# Rules

What ` + "`validate-plugin`" + ` checks, in the order of the fields. Each rule has an id, which is a result's tag ` + "`rule`" + ` and by
which its level can be changed: ` + "`--rules ID=off|warning|error`" + `, or ` + "`rules: {ID: LEVEL}`" + ` in the function's config. The examples are
changes to a valid document, ` + "`path: value`" + `, with what is then reported. The last three rules are about files: their
examples are whole documents, and they have no level.

This page is made from the code (` + "`make golden`" + `); a test holds the two together.
`

// The page of the rules matches the code. UPDATE_GOLDEN updates it.
func TestRulesPageIsCurrent(t *testing.T) {
	t.Parallel()
	var page strings.Builder
	page.WriteString(pageHead)
	for _, r := range slices.Concat(allRules(), validate.FileRules(extensions...)) {
		fmt.Fprintf(&page, "\n## `%s`\n\n%s, %s. %s %s\n", r.ID, capital(string(r.Severity)), strings.Join(r.Kinds, ", "), r.Summary, r.Why)
		if len(r.Sources) > 0 {
			fmt.Fprintf(&page, "\nSource: <%s>\n", strings.Join(r.Sources, ">, <"))
		}
		fmt.Fprintf(&page, "\n```text\n%s\n", r.Example)
		switch {
		case r.ComparesStates():
		case allRules().Find(r.ID) == nil:
			fmt.Fprintf(&page, "→ %s\n", fileExample(t, r))
		default:
			fmt.Fprintf(&page, "→ %s\n", example(t, r))
		}
		page.WriteString("```\n")
	}
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.MkdirAll(filepath.Dir(rulesPage), 0o755))
		require.NoError(t, os.WriteFile(rulesPage, []byte(page.String()), 0o644))
		return
	}
	current, err := os.ReadFile(rulesPage)
	require.NoError(t, err)
	assert.Equal(t, page.String(), string(current), "run make golden")
}

const messagesPage = "../../docs/reference/messages.md"

// The page of messages has the messages of the rules' examples. UPDATE_GOLDEN updates them.
func TestMessagesPageIsCurrent(t *testing.T) {
	t.Parallel()
	const start, end = "<!-- rules: from pkg/validate -->\n", "<!-- end of rules -->\n"
	current, err := os.ReadFile(messagesPage)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(current), start)
	require.True(t, found)
	_, after, found := strings.Cut(rest, end)
	require.True(t, found)
	var table strings.Builder
	table.WriteString("\n| an example of the message | rule, with what to do |\n|---|---|\n")
	for _, r := range allRules() {
		if r.ComparesStates() {
			continue // the message contains both states
		}
		_, message, found := strings.Cut(": "+example(t, r), ": ")
		require.True(t, found, r.ID)
		if path, rest, found := strings.Cut(message, ": "); found && !strings.Contains(path, " ") {
			message = rest
		}
		fmt.Fprintf(&table, "| `%s` | [%s](rules.md#%s) |\n", strings.NewReplacer("|", `\|`, "`", "'").Replace(message), r.ID, r.ID)
	}
	want := before + start + table.String() + "\n" + end + after
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(messagesPage, []byte(want), 0o644))
		return
	}
	assert.Equal(t, want, string(current), "run make golden")
}

// example returns the finding of a rule's example, `path: message`.
func example(t *testing.T, r *validate.Rule) string {
	t.Helper()
	file := fixture(t, r)
	documents := []*yaml.Node{edited(t, aPlugin), edited(t, file, r.Example)}
	if strings.HasPrefix(r.ID, "duplicate-") && r.ID != "duplicate-key" {
		documents[0] = edited(t, file)
	}
	if file == aSandbox {
		documents[1] = edited(t, file, fed, r.Example)
	}
	if file == anOutputSecret {
		documents = append(documents, edited(t, aSandbox, fed))
	}
	if parts[r.Kinds[0]] != "" {
		documents = append(neighbours(t, file), documents[1])
		if strings.HasPrefix(r.ID, "duplicate-") {
			documents = append(documents, edited(t, file))
		}
	}
	for _, line := range lines(t, validate.Options{}, documents...) {
		if finding, found := strings.CutPrefix(line, string(r.Severity)+" "+r.ID+" "); found {
			finding = strings.TrimPrefix(finding, ": ")
			return strings.ReplaceAll(strings.ReplaceAll(finding, long, "xxx…"), strings.Repeat(".any[0]", 40), "…")
		}
	}
	require.Fail(t, "the example breaks nothing", r.ID)
	return ""
}

// fileExample returns the finding about the document of a rule about files.
func fileExample(t *testing.T, r *validate.Rule) string {
	t.Helper()
	options, from := load.Options{Input: strings.NewReader(r.Example), Formats: stacks.Extension().Formats}, load.Stdin
	if r.ID == rules.FileRule {
		from = filepath.Join(t.TempDir(), ".registry")
		require.NoError(t, os.MkdirAll(from, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(from, "app.yaml"), []byte(r.Example), 0o600))
	}
	read, err := load.Read([]string{from}, options)
	require.NoError(t, err)
	results := read.Results()
	require.Len(t, results, 1, r.ID)
	assert.Equal(t, r.ID, results[0].Tags[krm.RuleTag])
	if results[0].Field == nil {
		return results[0].Message
	}
	return results[0].Field.Path + ": " + results[0].Message
}

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// The page of a rule is its section in the page of all rules.
func TestPagesOfRules(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "https://github.com/resource-plugins/krm-functions/blob/main/docs/reference/rules.md#step-name", allRules().Find("step-name").Page)
}

// Sources are links that readers can open.
func TestSourcesAreLinks(t *testing.T) {
	t.Parallel()
	for _, r := range allRules() {
		for _, source := range r.Sources {
			link, err := url.Parse(source)
			require.NoError(t, err, r.ID)
			assert.Equal(t, "https", link.Scheme, "%s: %s", r.ID, source)
			assert.Contains(t, link.Host, ".", "%s: %s", r.ID, source)
		}
	}
}
