// Package rulefile checks that rules are declared in the file of their field: the rule about spec.forks[].customizations.env
// of a sandbox is in sandbox_env.go.
package rulefile

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// Check checks that each rule is in the file of its field in the working directory. A rule about a field of one kind is in
// <kind>_<field>.go with the prefix of the kind, or, like a rule of several kinds, in <field>.go. It is in the file of the
// deepest field of its example that has a file, otherwise in that of its kind. The fields create and delete are called
// steps.
func Check(t *testing.T, rules []*validate.Rule, prefixes map[string]string) {
	t.Helper()
	files := rulesByFile(t)
	for _, r := range rules {
		assert.Equal(t, fileOf(r, files, prefixes), foundIn(t, r, files), "%s, with the example %s", r.ID, r.Example)
	}
}

// generalKinds is the number of kinds of a rule about all documents: plugins, sandboxes, and route groups.
const generalKinds = 3

// fileOf returns the file where a rule must be declared.
func fileOf(r *validate.Rule, files map[string][]string, prefixes map[string]string) string {
	field, _, _ := strings.Cut(r.Example, ": ")
	byID := strings.ReplaceAll(r.ID, "-", "") + ".go"
	switch {
	case r.ConcernsComments():
		return "comment.go"
	case r.ComparesStates():
		return "update_" + prefixes[r.Kinds[0]] + ".go"
	case strings.HasPrefix(r.ID, "overlay"): // whose examples contain outer fields
		return "plugin_podtemplateoverlay.go"
	case len(r.Kinds) == generalKinds && r.Kinds[2] == contract.RouteGroup: // about any field, or about documents in general
		switch {
		case field == "apiVersion", field == "kind":
			return "document.go"
		case files[byID] != nil:
			return byID
		}
		return "yaml.go"
	}
	fields := strings.Split(regexp.MustCompile(`\[\d+\]`).ReplaceAllString(field, ""), ".")
	for _, name := range slices.Backward(fields) {
		name = strings.ToLower(name)
		if name == "create" || name == "delete" {
			name = "steps"
		}
		for _, kind := range r.Kinds {
			if file := prefixes[kind] + "_" + name + ".go"; files[file] != nil {
				return file
			}
		}
		if file := name + ".go"; files[file] != nil && !slices.Contains(slices.Collect(maps.Values(prefixes)), name) {
			return file
		}
	}
	return prefixes[r.Kinds[0]] + ".go"
}

// rulesByFile returns the start of the summary of each rule that a file declares.
func rulesByFile(t *testing.T) map[string][]string {
	t.Helper()
	names, err := filepath.Glob("*.go")
	require.NoError(t, err)
	summaries := map[string][]string{}
	for _, name := range names {
		source, err := os.ReadFile(name)
		require.NoError(t, err)
		file, err := parser.ParseFile(token.NewFileSet(), name, source, 0)
		require.NoError(t, err)
		ast.Inspect(file, func(node ast.Node) bool {
			pair, ok := node.(*ast.KeyValueExpr)
			if key, isName := pairKey(pair, ok); !isName || key != "Summary" {
				return true
			}
			text := pair.Value
			for {
				sum, ok := text.(*ast.BinaryExpr)
				if !ok {
					break
				}
				text = sum.X
			}
			if literal, ok := text.(*ast.BasicLit); ok {
				summary, err := strconv.Unquote(literal.Value)
				require.NoError(t, err)
				summaries[name] = append(summaries[name], summary)
			}
			return true
		})
	}
	return summaries
}

func pairKey(pair *ast.KeyValueExpr, ok bool) (string, bool) {
	if !ok {
		return "", false
	}
	name, ok := pair.Key.(*ast.Ident)
	if !ok {
		return "", false
	}
	return name.Name, true
}

// foundIn returns the file where a rule is declared.
func foundIn(t *testing.T, r *validate.Rule, files map[string][]string) string {
	t.Helper()
	var found []string
	for file, summaries := range files {
		if slices.ContainsFunc(summaries, func(start string) bool { return strings.HasPrefix(r.Summary, start) }) {
			found = append(found, file)
		}
	}
	require.Len(t, found, 1, r.ID)
	return found[0]
}
