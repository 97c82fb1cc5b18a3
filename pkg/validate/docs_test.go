package validate_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

const rulesPage = "../../docs/rules.md"

const pageHead = `# Rules

What ` + "`validate-plugin`" + ` checks, in the order of the fields. Each rule has an id, which stands in a result's tag ` + "`rule`" + ` and by
which its level can be changed: ` + "`--rules ID=off|warning|error`" + `, or ` + "`rules: {ID: LEVEL}`" + ` in the function's config. The examples are
changes to a valid document, ` + "`path: value`" + `, with what is then reported.

This page is made from the code (` + "`make golden`" + `); a test holds the two together.
`

// The page of the rules says what the code does. UPDATE_GOLDEN writes it anew.
func TestRulesPageIsCurrent(t *testing.T) {
	t.Parallel()
	origins := sources(t)
	var page strings.Builder
	page.WriteString(pageHead)
	for _, r := range validate.Rules {
		fmt.Fprintf(&page, "\n## `%s`\n\n%s, %s. %s %s\n", r.ID, capital(string(r.Severity)), strings.Join(r.Kinds(), ", "), r.Demand, r.Why)
		fmt.Fprintf(&page, "\nSource: %s\n\n", origins[r.ID])
		fmt.Fprintf(&page, "```text\n%s\n", r.Example)
		if !r.ComparesStates() {
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

// example is the finding that a rule's example gives, `path: message`.
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
	for _, line := range check(t, documents...) {
		if finding, found := strings.CutPrefix(line, string(r.Severity)+" "+r.ID+" "); found {
			return strings.ReplaceAll(strings.ReplaceAll(finding, long, "xxx…"), strings.Repeat(".any[0]", 40), "…")
		}
	}
	require.Fail(t, "the example breaks nothing", r.ID)
	return ""
}

// sources returns what the doc comment of each rule says, by the rule's id: where it comes from.
func sources(t *testing.T) map[string]string {
	t.Helper()
	ids := map[string]string{
		"RuleType": strictyaml.RuleType, "RuleUnknown": strictyaml.RuleUnknown, "RuleDuplicate": strictyaml.RuleDuplicate,
		"RuleRequired": strictyaml.RuleRequired, "RuleAmbiguous": strictyaml.RuleAmbiguous, "RuleAlias": strictyaml.RuleAlias,
		"RuleDepth": strictyaml.RuleDepth,
	}
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	found := map[string]string{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		require.NoError(t, err)
		for _, declaration := range file.Decls {
			general, isGeneral := declaration.(*ast.GenDecl)
			if !isGeneral || general.Tok != token.VAR || len(general.Specs) != 1 {
				continue
			}
			spec := general.Specs[0].(*ast.ValueSpec)
			if id := ruleID(spec, ids); id != "" {
				found[id] = source(spec.Names[0].Name, general.Doc.Text())
			}
		}
	}
	return found
}

// ruleID returns the id in `var name = Rule{ID: "id", …}`, empty for other variables.
func ruleID(spec *ast.ValueSpec, ids map[string]string) string {
	if len(spec.Values) != 1 {
		return ""
	}
	literal, isLiteral := spec.Values[0].(*ast.CompositeLit)
	if !isLiteral {
		return ""
	}
	if name, isName := literal.Type.(*ast.Ident); !isName || name.Name != "Rule" {
		return ""
	}
	switch value := literal.Elts[0].(*ast.KeyValueExpr).Value.(type) {
	case *ast.BasicLit:
		id, _ := strconv.Unquote(value.Value)
		return id
	case *ast.SelectorExpr:
		return ids[value.Sel.Name]
	}
	return ""
}

func source(name, doc string) string {
	text, named := strings.CutPrefix(strings.Join(strings.Fields(doc), " "), name+": ")
	if !named {
		return ""
	}
	return capital(text)
}

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

func TestEveryRuleNamesItsSource(t *testing.T) {
	t.Parallel()
	origins := sources(t)
	for _, r := range validate.Rules {
		assert.NotEmpty(t, origins[r.ID], "%s: the doc comment must be `name: source`", r.ID)
	}
}
