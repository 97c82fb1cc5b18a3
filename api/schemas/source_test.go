// Package schemas holds the JSON Schemas of the project's documents and function configs, for editors: see
// docs/howto/editors.md. The tests of this folder generate them from the Go types that functions decode: the types define
// the keys, their doc comments the descriptions, and limits_test.go the forms of values.
package schemas

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// structure is a struct type in the source.
type structure struct {
	name   string
	doc    string
	fields []field
}

// field is a field with a key.
type field struct {
	key, name string
	doc       string
	required  bool
	quotable  bool     // a number that may be a string of digits
	was       []string // former keys
	oneOf     []string // the values that it, or each of its elements, may have
	of        ast.Expr
}

// source holds the struct types of a package.
type source map[string]*structure

// readSource reads the types of the Go files in folders, except those of tests.
func readSource(t *testing.T, folders ...string) source {
	t.Helper()
	var files []string
	for _, folder := range folders {
		found, err := filepath.Glob(filepath.Join(checkout.Root(), folder, "*.go"))
		require.NoError(t, err)
		require.NotEmpty(t, found, folder)
		files = append(files, found...)
	}
	types := source{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err)
		types.add(file)
	}
	return types
}

func (s source) add(file *ast.File) {
	for _, declaration := range file.Decls {
		general, ok := declaration.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range general.Specs {
			named, ok := spec.(*ast.TypeSpec)
			if !ok {
				continue
			}
			if body, ok := named.Type.(*ast.StructType); ok {
				doc, _, _ := strings.Cut(named.Doc.Text()+general.Doc.Text(), "\n\n") // the rest is for programmers
				s[named.Name.Name] = &structure{name: named.Name.Name, doc: oneLine(doc), fields: fieldsOf(body)}
			}
		}
	}
}

func fieldsOf(body *ast.StructType) []field {
	var fields []field
	for _, f := range body.Fields.List {
		if f.Tag == nil || len(f.Names) != 1 {
			continue
		}
		doc := oneLine(f.Doc.Text())
		tag := reflect.StructTag(strings.Trim(f.Tag.Value, "`"))
		key, _, _ := strings.Cut(tag.Get("json"), ",")
		if key == "" || key == "-" {
			continue
		}
		if help := tag.Get("help"); help != "" {
			doc = help
		}
		fields = append(fields, field{
			key: key, name: f.Names[0].Name, doc: doc, required: tag.Get("required") == "true", was: commaSeparated(tag.Get("aliases")), of: f.Type,
			quotable: tag.Get("quotable") == "true", oneOf: commaSeparated(tag.Get("enum")),
		})
	}
	return fields
}

func commaSeparated(tag string) []string {
	return strings.FieldsFunc(tag, func(r rune) bool { return r == ',' })
}

func oneLine(doc string) string { return strings.Join(strings.Fields(doc), " ") }

// describe turns a doc comment into a description for people who know no Go.
func describe(doc, name, key string) string {
	if rest, ok := strings.CutPrefix(doc, name+" "); ok && key != "" {
		doc = "`" + key + "` " + rest
	}
	return forPeople.Replace(doc)
}

// forPeople rewords doc comments for users. TestDescriptionsAreForPeople checks that all rewordings are used.
var forPeople = strings.NewReplacer(rewordings...)

var rewordings = []string{
	"empty means DefaultNamespace", "the default is `default`",
	"0 means DefaultTestTimeout", fmt.Sprintf("0 means %d", v1alpha1.DefaultTestTimeout),
	" Nil means absent; a list that is present and empty is against the spec.", "",
	" Nil means absent.", "",
	"; nil means no limit", "; without it there is no limit",
	"absent means the variable DefaultEnv", "without it the variable is the name in upper case, with `_` for `-`",
	"With ValueFromSandbox it", "With `valueFromSandbox` it",
	"see DefaultRouteGroup", "see `defaultRouteGroup`",
	"Its OffsetFrom is", "Its `offsetFrom` is",
}
