package contract_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

const annotationsPage = "../../docs/reference/annotations.md"

// The page of annotations has the comments of the constants, between its markers. UPDATE_GOLDEN updates the tables. The
// test is not parallel: others read the page after it.
func TestAnnotationsPageIsThatOfTheConstants(t *testing.T) {
	documented := documentedKeys(t)
	text, err := os.ReadFile(annotationsPage)
	require.NoError(t, err)
	want := string(text)
	seen := map[string]bool{}
	for name, first := range map[string][2]string{
		"documents": {"StateKey", "PackagePartKey"}, "rendered": {"SandboxKey", "AppliedByKey"}, "stamps": {"PublishedKey", "FailuresKey"},
	} {
		start, end := "<!-- "+name+": from internal/contract -->\n", "<!-- end of "+name+" -->\n"
		before, rest, found := strings.Cut(want, start)
		require.True(t, found, name)
		_, after, found := strings.Cut(rest, end)
		require.True(t, found, name)
		var table strings.Builder
		table.WriteString("\n| key | on | what it holds |\n|---|---|---|\n")
		inside := false
		for _, one := range documented {
			inside = inside || one.name == first[0]
			if inside {
				fmt.Fprintf(&table, "| `%s` | %s | %s |\n", one.key, one.on, one.holds)
				seen[one.name] = true
			}
			inside = inside && one.name != first[1]
		}
		want = before + start + table.String() + "\n" + end + after
	}
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(annotationsPage, []byte(want), 0o644))
		text = []byte(want)
	}
	assert.Equal(t, want, string(text), "run make golden")
	for _, one := range documented {
		assert.True(t, seen[one.name], "%s must be in a table of the page", one.name)
	}
	for _, key := range []string{contract.OutputSecretKey, contract.InputSecretKey(0), contract.InputJobKey(0), contract.ManagedByKey} {
		assert.Contains(t, want, "`"+strings.TrimSuffix(key, "0"), "the page must have it")
	}
}

// Annotations of other projects on the page are in the code.
func TestAnnotationsOfOthersAreInTheCode(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(annotationsPage)
	require.NoError(t, err)
	_, others, found := strings.Cut(string(text), "## Of other projects\n")
	require.True(t, found)
	keys := regexp.MustCompile("`([a-z.0-9-]+/[A-Za-z-]+)`").FindAllStringSubmatch(others, -1)
	require.Greater(t, len(keys), 8)
	for _, key := range keys {
		err := exec.Command("grep", "-rqF", "--include=*.go", "--exclude=*_test.go", `"`+key[1]+`"`, "..", "../../pkg").Run()
		assert.NoError(t, err, "no code names %s", key[1])
	}
}

// documentedKey is a constant with a key, and the description in its comment.
type documentedKey struct{ name, key, on, holds string }

// documentedKeys returns the constants whose value is the group and a path, in the order of the source.
func documentedKeys(t *testing.T) (all []documentedKey) {
	t.Helper()
	for _, name := range []string{"contract.go", "plan.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		require.NoError(t, err)
		ast.Inspect(file, func(node ast.Node) bool {
			spec, ok := node.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 || !strings.HasSuffix(spec.Names[0].Name, "Key") || spec.Doc == nil {
				return true
			}
			sum, ok := spec.Values[0].(*ast.BinaryExpr)
			if !ok {
				return true
			}
			path := strings.Trim(sum.Y.(*ast.BasicLit).Value, `"`)
			on, holds, found := strings.Cut(strings.Join(strings.Fields(spec.Doc.Text()), " "), ": ")
			assert.True(t, found, "%s: what it is on and what it holds must be separated by a colon", spec.Names[0].Name)
			all = append(all, documentedKey{spec.Names[0].Name, contract.Group + path, on, holds})
			return true
		})
	}
	require.Greater(t, len(all), 25)
	return all
}
