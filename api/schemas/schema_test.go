package schemas

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// object is a JSON object whose members keep their order.
type object []member

type member struct {
	key   string
	value any
}

// MarshalJSON implements json.Marshaler.
func (o object) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			out.WriteByte(',')
		}
		for j, part := range []any{m.key, m.value} {
			encoder := json.NewEncoder(&out)
			encoder.SetEscapeHTML(false)
			if err := encoder.Encode(part); err != nil {
				return nil, err
			}
			out.Truncate(out.Len() - 1)
			if j == 0 {
				out.WriteByte(':')
			}
		}
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// form is a form of a document.
type form int

const (
	krmForm    form = iota // apiVersion, kind, metadata, spec
	nativeForm             // name, spec, with templates
)

// directive matches the start of a template's directive. A native value with a directive is only known after expansion, and
// a directive may stand for a value that is not a string.
const directive = `@\{`

// digits matches a number that may be quoted.
const digits = "^[1-9][0-9]*$"

// builder builds the schema of a document.
type builder struct {
	t           *testing.T
	types       source
	form        form
	limits      map[string]limit // by path, with [] for the elements of a list and {} for the values of a map
	used        map[string]bool
	open        []string // enclosing structs, to detect recursion
	definitions object
}

// value returns the schema of a value of a Go type.
func (b *builder) value(of ast.Expr, path, description string, required bool) object {
	switch of := of.(type) {
	case *ast.StarExpr:
		return b.value(of.X, path, description, required)
	case *ast.ArrayType:
		items := b.value(of.Elt, path+"[]", "", true)
		return b.assemble(path, "array", description, required, object{{"items", items}})
	case *ast.MapType:
		values := b.value(of.Value, path+"{}", "", b.limits[path+"{}"].required)
		return b.assemble(path, "object", description, required, object{{"additionalProperties", values}})
	case *ast.Ident:
		if types := map[string]string{"string": "string", "bool": "boolean", "int": "integer"}; types[of.Name] != "" {
			return b.assemble(path, types[of.Name], description, required, nil)
		}
		if of.Name == "any" {
			return object{}
		}
		return b.structure(of.Name, path, description, required)
	case *ast.SelectorExpr: // a type in another package
		return b.structure(of.Sel.Name, path, description, required)
	default:
		require.Failf(b.t, "no rule for a type", "%s: %T", path, of)
		return nil
	}
}

// structure returns the schema of a struct. A recursive struct becomes a definition.
func (b *builder) structure(name, path, description string, required bool) object {
	s := b.types[name]
	require.NotNil(b.t, s, "%s: no struct %s", path, name)
	if description == "" {
		first, _, _ := strings.Cut(s.doc, ". ")
		description = strings.TrimSuffix(describe(first, s.name, ""), ".") + "."
	}
	if slices.Contains(b.open, name) {
		return object{{"$ref", "#/definitions/" + name}}
	}
	b.open = append(b.open, name)
	defer func() { b.open = b.open[:len(b.open)-1] }()
	body := b.fields(s, path)
	if b.recursive(name, s) {
		b.definitions = append(b.definitions, member{name, b.assemble("", "object", description, true, body)})
	}
	return b.assemble(path, "object", description, required, body)
}

// recursive reports whether a struct contains lists of itself.
func (b *builder) recursive(name string, s *structure) bool {
	return slices.ContainsFunc(s.fields, func(f field) bool {
		list, ok := f.of.(*ast.ArrayType)
		if !ok {
			return false
		}
		element, ok := list.Elt.(*ast.Ident)
		return ok && element.Name == name
	})
}

// fields returns the schema of a mapping with the fields of a struct. A former key is rejected, with the current name in the
// message.
func (b *builder) fields(s *structure, path string) object {
	var properties, former object
	var required []string
	for _, f := range s.fields {
		below := path + "." + f.key
		if f.quotable {
			l := b.limits[below]
			l.quotable = true
			b.limits[below] = l
		}
		if len(f.oneOf) > 0 {
			at := below
			if _, isList := f.of.(*ast.ArrayType); isList {
				at += "[]"
			}
			b.limits[at] = limit{oneOf: f.oneOf}
		}
		must := f.required || b.limits[below].required
		if must {
			required = append(required, f.key)
		}
		properties = append(properties, member{f.key, b.value(f.of, below, describe(f.doc, f.name, f.key), must)})
		for _, old := range f.was {
			former = append(former, member{old, object{
				{"not", object{}}, {"doNotSuggest", true}, {"deprecationMessage", fmt.Sprintf("%q is called %q today", old, f.key)},
			}})
		}
	}
	body := object{{"properties", append(properties, former...)}}
	if len(required) > 0 {
		body = append(body, member{"required", required})
	}
	return append(body, member{"additionalProperties", false})
}

// assemble puts a schema together. Optional values may be null: a key without a value counts as not set.
func (b *builder) assemble(path, kind, description string, required bool, body object) object {
	l := b.limits[path]
	b.used[path] = true
	var schema object
	if description != "" {
		schema = append(schema, member{"description", description})
	}
	schema = append(schema, member{"type", b.kinds(kind, required, l.quotable)})
	schema = append(schema, body...)
	switch mayBeDirective := b.form == nativeForm && kind != "string"; {
	case l.quotable && mayBeDirective:
		schema = append(schema, member{"pattern", digits + "|" + directive})
	case l.quotable:
		schema = append(schema, member{"pattern", digits})
	case mayBeDirective:
		schema = append(schema, member{"pattern", directive})
	}
	rules := l.keywords(kind, required)
	if b.form == nativeForm && kind == "string" && len(rules) > 0 {
		rules = object{{"if", object{{"pattern", directive}}}, {"else", rules}}
	}
	return append(schema, rules...)
}

func (b *builder) kinds(kind string, required, quotable bool) any {
	kinds := []string{kind}
	if quotable || b.form == nativeForm && kind != "string" {
		kinds = append(kinds, "string")
	}
	if !required {
		kinds = append(kinds, "null")
	}
	if len(kinds) == 1 {
		return kind
	}
	return kinds
}
