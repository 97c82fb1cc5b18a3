package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

const messagesPage = "docs/reference/messages.md"

// Each message in the first column of the page is a text in the code, with … for variable parts.
func TestMessagesAreInTheCode(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(checkout.Root(), messagesPage))
	require.NoError(t, err)
	ours, others, found := strings.Cut(string(text), "## Of other programs\n")
	require.True(t, found)
	assert.Contains(t, others, "## From the rules\n", "what follows is made from the rules")
	texts := literals(t)
	rows := regexp.MustCompile("(?m)^\\| `(.*?)` \\| ").FindAllStringSubmatch(ours, -1)
	require.Greater(t, len(rows), 70)
	for _, row := range rows {
		assert.True(t, isIn(texts, strings.ReplaceAll(row[1], `\|`, "|")), "no code has the message %q", row[1])
	}
	assert.False(t, isIn(texts, "… has a message that does not exist"))
	assert.False(t, isIn(texts, "…"))
}

// isIn reports whether the parts of a message are in one text, in their order.
func isIn(texts []string, message string) bool {
	parts := strings.FieldsFunc(message, func(r rune) bool { return r == '…' })
	if len(parts) == 0 {
		return false
	}
next:
	for _, text := range texts {
		rest := text
		for _, part := range parts {
			_, after, found := strings.Cut(rest, part)
			if !found {
				continue next
			}
			rest = after
		}
		return true
	}
	return false
}

// verb matches the verbs of fmt.
var verb = regexp.MustCompile(`%[-+# 0-9.*\[\]]*[a-zA-Z]`)

// literals returns the string literals of the programs, with concatenated literals joined.
func literals(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, folder := range []string{"cmd", "functions", "internal", "kubebuilder", "commands", "pkg", "runtime", "stacks"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(checkout.Root(), folder), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(node ast.Node) bool {
				expression, ok := node.(ast.Expr)
				if !ok {
					return true
				}
				text, isText := folded(expression)
				if isText {
					all = append(all, verb.ReplaceAllString(text, "…"))
				}
				return !isText
			})
			return nil
		}))
	}
	require.Greater(t, len(all), 1000)
	return all
}

// folded returns the text of a literal, or of a concatenation that contains one. Other operands become an ellipsis.
func folded(of ast.Expr) (text string, isText bool) {
	switch of := of.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(of.Value)
		return text, of.Kind == token.STRING && err == nil
	case *ast.ParenExpr:
		return folded(of.X)
	case *ast.BinaryExpr:
		if of.Op == token.ADD {
			left, first := folded(of.X)
			right, second := folded(of.Y)
			return left + right, first || second
		}
	}
	return "…", false
}
