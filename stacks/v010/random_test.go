package v010_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"

	v0 "github.com/resource-plugins/krm-functions/stacks/api/v0"
	"github.com/resource-plugins/krm-functions/stacks/registry"
)

// plain is a scalar that is written as it is.
type plain string

// maker makes random files. Few of the values have another type than is due, so that most packages can be unpacked.
type maker struct {
	*rand.Rand
	faults int // of a thousand values, how many are wrong
	depth  int // how many structs may be nested
}

// randomRequest returns a package that is made up, or one of the seeds with changed lines.
func randomRequest(random *rand.Rand, seeds []registry.Files) request {
	m := maker{Rand: random, depth: 2 + random.IntN(5)}
	if m.one(4) {
		m.faults = 1 + m.IntN(10)
	}
	scope := pick(m, "Cluster", "Namespaced")
	r := request{
		Files: registry.Files{}, Scope: scope,
		Image: pick(m, "", "redis", "redis:v0.1.0", "Redis:v1", "registry.example.org:5000/acme/redis:v9.8.7",
			"a/b@sha256:"+strings.Repeat("0", 64), "a/b:c@sha256:"+strings.Repeat("0", 64)),
		TemplatingImage: pick(m, "", "crossplane/templating-controller:v0.2.1"),
	}
	if m.one(3) {
		r.Files = m.mutated(pick(m, seeds...))
		r.Scope = pick(m, "Cluster", "Namespaced", scopeOf(r.Files), scopeOf(r.Files), scopeOf(r.Files))
		return r
	}
	for _, file := range m.fileNames() {
		if !isBlocked(r.Files, file) {
			r.Files[file] = m.content(file, scope)
		}
	}
	return r
}

func scopeOf(files registry.Files) string {
	if strings.Contains(string(files["app.yaml"]), "Namespaced") {
		return "Namespaced"
	}
	return "Cluster"
}

// mutated returns a package with some changed lines.
func (m maker) mutated(seed registry.Files) registry.Files {
	files := maps.Clone(seed)
	for range 1 + m.IntN(3) {
		name := pick(m, seed.Paths()...)
		if m.one(8) {
			content := files[name]
			delete(files, name)
			if moved := pick(m, dirs...) + path.Base(name); !isBlocked(files, moved) {
				files[moved] = content
			}
			continue
		}
		lines := strings.Split(string(files[name]), "\n")
		files[name] = []byte(strings.Join(m.changed(lines), "\n"))
	}
	return files
}

// changed changes, removes or repeats a line.
func (m maker) changed(lines []string) []string {
	i := m.IntN(len(lines))
	line := lines[i]
	key, value, isEntry := strings.Cut(line, ": ")
	switch m.IntN(6) {
	case 0:
		return slices.Delete(slices.Clone(lines), i, i+1)
	case 1:
		return slices.Insert(slices.Clone(lines), i, line)
	case 2:
		line = pick(m, " ", "  ", "- ", "x: ", "? ", "&a ", "!!str ") + line
	case 3:
		line = strings.TrimPrefix(line, " ")
	case 4:
		if isEntry {
			line = key + "s: " + value
		}
	default:
		if isEntry {
			line = key + ": " + string(pick(m, scalars...))
		}
	}
	lines = slices.Clone(lines)
	lines[i] = line
	return lines
}

var dirs = []string{
	"", "", "", "resources/", "resources/", "resources/cache/", "resources/cache/v1/", "resources/cache-more/", "a/", "a/foo/", "a/foobar/",
	"A/", "icon/", "z.d/",
}

func (m maker) fileNames() []string {
	var names []string
	add := func(most int, candidates ...string) {
		for range m.IntN(most + 1) {
			names = append(names, pick(m, dirs...)+pick(m, candidates...))
		}
	}
	if !m.one(30) {
		names = append(names, "app.yaml")
	}
	if m.one(20) {
		add(2, "app.yaml")
	}
	if m.one(2) {
		add(1, "install.yaml", "install.yaml", "install.yml")
	}
	if m.one(6) {
		add(1, "behavior.yaml")
	}
	add(4, "crd.yaml", "redis.crd.yaml", "redis.v1.crd.yaml", "mycrd.yaml", "x_crd.yaml", "crd.yml", "[a].crd.yaml")
	add(2, "group.yaml", "xgroup.yaml")
	add(3, "resource.yaml", "redis.resource.yaml", "myresource.yaml", "cluster.resource.yaml")
	add(3, "icon.svg", "icon.png", "icon.jpg", "icon.jpeg", "icon.gif", "redis.icon.svg", "cluster.icon.PNG", "a.icon.svg", "icon.unknown",
		"redis.picture.icon.svg", "icon.", "Redis.icon.svg")
	add(3, "ui-schema.yaml", "redis.ui-schema.yaml", "cluster.ui-schema.yaml", "x-ui-schema.yaml")
	add(2, "rbac.yaml", "README.md", "notes.yaml")
	if m.one(60) {
		names = append(names, pick(m, "icon.d/file", "a/crd.yaml/file", "app.yaml/x"))
	}
	return names
}

// isBlocked reports whether a file cannot be there beside the others, since one is the folder of another.
func isBlocked(files registry.Files, file string) bool {
	for other := range files {
		if other == file || strings.HasPrefix(file, other+"/") || strings.HasPrefix(other, file+"/") {
			return true
		}
	}
	return false
}

func (m maker) content(file, scope string) []byte {
	name := file[strings.LastIndexByte(file, '/')+1:]
	if m.one(100) {
		return []byte(pick(m, "", "# a comment\n", "---\n", "null", "[]", "a: b: c\n", "\t", "text", "a: &a [*a]", "{", "a: 1\n---\nb: 2\n", "1", "\xff"))
	}
	var tree any
	switch {
	case name == "app.yaml":
		tree = m.app(scope)
	case name == "install.yaml":
		tree = m.typed(reflect.TypeFor[v0.Deployment](), m.depth+4)
		m.with(tree, "kind", pick(m, "Deployment", "Deployment", "Deployment", "Deployment", "Job", "StatefulSet", "DeploymentList", ""))
	case name == "behavior.yaml":
		tree = m.typed(reflect.TypeFor[v0.Behavior](), 8)
		if !m.one(20) {
			m.with(tree, "source", map[string]any{"path": pick(m, "/x", "x//y/", "./a", "/", "", "."), "image": pick(m, "", "i:1")})
		}
	case strings.HasSuffix(name, "crd.yaml"):
		tree = m.crd(scope)
	case name == "group.yaml":
		tree = m.typed(reflect.TypeFor[v0.StackGroup](), 2)
	case strings.HasSuffix(name, "resource.yaml"):
		tree = m.typed(reflect.TypeFor[v0.StackResource](), 2)
		m.with(tree, "id", pick(m, "Redis", "redis", "Cluster", "REDIS", "other"))
	default:
		return []byte(pick(m, "", "<svg/>", "title: x\n", "\n\ntitle: y\n\n", "a\r\nb", "\x00\x01\xff", "ünïcode 😀\u2028x", "- a\n- 'b'\n"))
	}
	return []byte(m.text(tree))
}

func (m maker) with(tree any, key string, value any) {
	if fields, ok := tree.(map[string]any); ok {
		fields[key] = value
	}
}

func (m maker) app(scope string) any {
	app := m.typed(reflect.TypeFor[v0.PackageMetadataSpec](), 3)
	if !m.one(20) {
		m.with(app, "permissionScope", scope)
	}
	if m.one(3) {
		m.with(app, "dependsOn", []any{
			map[string]any{"crd": pick(m, "*.cache.crossplane.io/v1alpha1", "redis.cache.example.org", "x", ".a", "/v1", "a.b/c/d")},
			map[string]any{"package": "redis:v1"},
		})
	}
	return app
}

func (m maker) crd(scope string) any {
	crd := m.typed(reflect.TypeFor[v0.CustomResourceDefinition](), m.depth+3)
	fields, ok := crd.(map[string]any)
	if !ok || m.one(20) {
		return crd
	}
	spec, ok := fields["spec"].(map[string]any)
	if !ok {
		spec = map[string]any{}
		fields["spec"] = spec
	}
	spec["scope"] = pick(m, "Namespaced", "Namespaced", scope, "")
	spec["group"] = pick(m, "cache.example.org", "db.example.org", "")
	spec["names"] = map[string]any{"kind": pick(m, "Redis", "Cluster", "redis", "Other", ""), "plural": pick(m, "redises", "clusters")}
	return crd
}

func pick[T any](m maker, candidates ...T) T { return candidates[m.IntN(len(candidates))] }

func (m maker) one(of int) bool { return m.IntN(of) == 0 }

// leaves are values of types that read their text themselves.
var leaves = map[reflect.Type][]any{
	reflect.TypeFor[metav1.Time]():               {nil, "2020-01-02T03:04:05Z", plain("2020-01-02T03:04:05Z"), "2020-01-02T03:04:05.678+02:00"},
	reflect.TypeFor[resource.Quantity]():         {"1", "100m", plain("1"), plain("0.5"), "1Gi", "1000M", "0.1", "1e3", plain("1e3"), plain("1.0"), "1024Ki", "-5", "1.5Gi", "+1", "0", "100000000000000000000"},
	reflect.TypeFor[intstr.IntOrString]():        {plain("80"), "http", "25%", plain("0"), plain("080"), plain("0x10")},
	reflect.TypeFor[metav1.FieldsV1]():           {map[string]any{"f:metadata": map[string]any{}}, plain("1")},
	reflect.TypeFor[unstructured.Unstructured](): {map[string]any{"kind": "Kustomization", "a": plain("1.0"), "n": plain("12345678901234567890123")}, map[string]any{"kind": "K", "b": []any{plain("1e3"), nil, true}}},
	reflect.TypeFor[v0.JSON]():                   {"x", plain("1"), plain("1.50"), nil, map[string]any{"b": plain("1e2"), "a": []any{}}, []any{plain("~"), true}, plain("123456789012345678")},
}

// strings that a YAML printer has to quote, or that look like something else.
var words = []string{
	"a", "b c", "", " ", "yes", "no", "on", "null", "~", "true", "1", "0.3", "1e3", "0x1F", "012", "1_000", "-", "- a", "a: b", "a #b", "#", "!x", "*a", "&a",
	"{a", "[a", "%x", "@x", "`x", "'", "\"", "\\", "a\nb", "a\n", "\na", " a", "a ", "a\tb", "\t", "\r", "\x00", "\x7f", "é", "😀", "\u2028", "\ufeff", "\u0085",
	"2020-01-01", "=", "<<", "<b>&", "a,b", "?", ":", "::", "a:", "|", ">", "y", "n", "Y", ".inf", ".nan", "---", "...", "--- a", "1:30", "190:20:30",
	strings.Repeat("word ", 40), strings.Repeat("x", 200), "line one\nline two\n\n  indented\n", "trailing \nspace", "a\n\n\n", "  lead\nx", "multi\r\nline",
}

var scalars = []plain{
	"1", "0", "-1", "0.3", "1.0", "1e3", "0x10", "012", "0o17", "1_000", "~", "null", "true", "yes", "off", "2020-01-01", ".inf", "=", "'q'", "!!str 1", "!!int '1'",
	"18446744073709551615", "18446744073709551616", "9223372036854775808", "123456789.123456789", "!!binary aGk=", "!x y", "1e400", "-0", "0b11", "190:20:30", "-0.0", "1e21", "100000000000000000000000",
}

var kinds = map[reflect.Kind][]any{
	reflect.Bool:    {plain("true"), plain("false"), plain("yes"), plain("off")},
	reflect.Int32:   {plain("1"), plain("0"), plain("-3"), plain("0x10"), plain("1_000"), plain("2147483647")},
	reflect.Int64:   {plain("1"), plain("0"), plain("9007199254740993"), plain("-5")},
	reflect.Float64: {plain("1"), plain("1.5"), plain("1e3"), plain("1e21"), plain("1e-7"), plain("9007199254740993"), plain("0.1"), plain("123456789")},
}

// typed makes a value of a type, with fields to a depth.
func (m maker) typed(t reflect.Type, depth int) any {
	if m.IntN(1000) < m.faults {
		return m.fault()
	}
	if candidates, ok := leaves[t]; ok {
		return pick(m, candidates...)
	}
	switch t.Name() {
	case "JSONSchemaPropsOrBool":
		return pick[any](m, plain("true"), plain("false"), m.typed(reflect.TypeFor[v0.JSONSchemaProps](), depth-1))
	case "JSONSchemaPropsOrArray", "JSONSchemaPropsOrStringArray":
		schema := m.typed(reflect.TypeFor[v0.JSONSchemaProps](), depth-1)
		return pick[any](m, schema, []any{schema}, []any{"a", "b"}, []any{}, nil, plain("7"))
	}
	switch t.Kind() {
	case reflect.Pointer:
		return m.typed(t.Elem(), depth)
	case reflect.Struct:
		fields := map[string]any{}
		m.fields(t, depth, fields)
		return fields
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return pick(m, "aGk=", "", "YWJj")
		}
		list := make([]any, m.IntN(3))
		for i := range list {
			list[i] = m.typed(t.Elem(), depth-1)
		}
		return list
	case reflect.Map:
		fields := map[string]any{}
		for range m.IntN(4) {
			fields[pick(m, "a", "b10", "b9", "B", "é", "x-y", "1", "a.b/c", "yes")] = m.typed(t.Elem(), depth-1)
		}
		return fields
	case reflect.String:
		return pick(m, words...)
	default:
		return pick(m, kinds[t.Kind()]...)
	}
}

// fields makes some of the fields of a struct.
func (m maker) fields(t reflect.Type, depth int, fields map[string]any) {
	if depth <= 0 {
		return
	}
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" {
			m.fields(field.Type, depth, fields)
			continue
		}
		often := 2
		if t.NumField() > 8 {
			often = 5
		}
		if !m.one(often) {
			continue
		}
		if m.IntN(1000) < m.faults {
			name = pick(m, strings.ToUpper(name), name+"s", strings.ToUpper(name[:1])+name[1:])
		}
		fields[name] = m.typed(field.Type, depth-1)
	}
	if m.one(20) {
		fields["unknown"] = m.fault()
	}
}

func (m maker) fault() any {
	return pick[any](m, pick(m, scalars...), pick(m, words...), nil, []any{}, map[string]any{}, []any{pick(m, scalars...)},
		map[string]any{"a": pick(m, scalars...)})
}

// text prints a tree as YAML, in flow or block style.
func (m maker) text(tree any) string {
	var out strings.Builder
	if m.one(4) {
		out.WriteString(pick(m, "---\n", "# comment\n", "%YAML 1.1\n---\n", "\ufeff"))
	}
	m.write(&out, tree, 0, !m.one(3))
	out.WriteString("\n")
	if m.one(10) {
		out.WriteString(pick(m, "---\nkind: Other\n", "# end\n", "...\n", "\n\n"))
	}
	return out.String()
}

func (m maker) write(out *strings.Builder, tree any, indent int, isBlock bool) {
	newline := "\n" + strings.Repeat(" ", indent)
	switch tree := tree.(type) {
	case nil:
		out.WriteString("null")
	case plain:
		out.WriteString(string(tree))
	case string:
		out.WriteString(quote(tree))
	case bool:
		fmt.Fprint(out, tree)
	case []any:
		if !isBlock || len(tree) == 0 {
			out.WriteString("[")
			for _, element := range tree {
				m.write(out, element, indent, false)
				out.WriteString(", ")
			}
			out.WriteString("]")
			return
		}
		for _, element := range tree {
			out.WriteString(newline + "- ")
			m.write(out, element, indent+2, isBlock)
		}
	case map[string]any:
		m.writeMapping(out, tree, indent, isBlock)
	default:
		panic(fmt.Sprintf("%T", tree))
	}
}

func (m maker) writeMapping(out *strings.Builder, tree map[string]any, indent int, isBlock bool) {
	keys := make([]string, 0, len(tree))
	for key := range tree {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	if !isBlock || len(tree) == 0 {
		out.WriteString("{")
		for _, key := range keys {
			out.WriteString(quote(key) + ": ")
			m.write(out, tree[key], indent, false)
			out.WriteString(", ")
		}
		out.WriteString("}")
		return
	}
	for _, key := range keys {
		out.WriteString("\n" + strings.Repeat(" ", indent))
		if strings.ContainsFunc(key, func(r rune) bool { return r < 'A' || r > 'z' }) {
			key = quote(key)
		}
		out.WriteString(key + ": ")
		m.write(out, tree[key], indent+2, isBlock)
	}
}

func quote(text string) string {
	quoted, _ := json.Marshal(text) //nolint:errchkjson // a string
	return string(quoted)
}
