package schemas

import (
	"cmp"
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
	external "github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// referencePages are the pages of docs/reference about one kind. Their examples are files that other tests use.
var referencePages = []struct{ kind, file, example, more string }{
	{
		contract.ResourcePlugin, "plugin.md", "examples/hello-db/plugin.yaml",
		"The fields and their meaning are those of [Signadot's resource plugins]" +
			"(https://www.signadot.com/docs/reference/resource-plugins/spec). " +
			"[examples/postgres](../../examples/postgres/plugin.yaml) is a larger example, with outputs and an overlay; " +
			"[render-phase](../../functions/render-phase/README.md#what-a-step-becomes) describes the objects of a step, " +
			"and what a script may rely on.",
	},
	{
		contract.Sandbox, "sandbox.md", "examples/shop/sandbox.yaml",
		"The fields and their meaning are those of [Signadot's sandboxes]" +
			"(https://www.signadot.com/docs/reference/sandboxes/spec). " +
			"[render-phase](../../functions/render-phase/README.md) renders `resources`, " +
			"[render-sandbox](../../functions/render-sandbox/README.md) the rest. " +
			"[Annotations](annotations.md) of the document select its teardown, its id and its routing key.",
	},
	{
		contract.RouteGroup, "routegroup.md", "api/schemas/testdata/routegroup.yaml",
		"The fields and their meaning are those of [Signadot's route groups]" +
			"(https://www.signadot.com/docs/reference/route-groups/spec). [Routing](../howto/routing.md) has what is rendered.",
	},
	{
		contract.Catalog, "catalog.md", "pkg/resolve/testdata/full.yaml",
		"`rplug catalog` writes catalogs: see [publishing](../howto/publish.md). How versions are chosen is described with " +
			"[resolve-version](../../functions/resolve-version/README.md#filters).",
	},
	{
		contract.PluginLock, "lock.md", "examples/plugin-lock.yaml",
		"`rplug resolve --write-lock FILE` writes the lock. [resolve-version](../../functions/resolve-version/README.md#lock) " +
			"describes its modes.",
	},
	{
		contract.OutputSecret, "outputsecret.md", "pkg/validate/testdata/outputsecret.yaml",
		"[render-phase](../../functions/render-phase/README.md) renders the Secret and the Job that fills it, and " +
			"[render-sandbox](../../functions/render-sandbox/README.md) makes workloads of the input read its generation. " +
			"[Outputs for ordinary workloads](../howto/outputs.md) shows how to use it.",
	},
	{
		contract.PluginTest, "plugintest.md", "examples/hello-db/test.yaml",
		"`rplug test` runs it: see [tests](../howto/test.md).",
	},
	{
		external.Kind, "externalplugin.md", "kubebuilder/testdata/externalplugin.yaml",
		"[External plugins](kubebuilder.md) has the protocol, and what `rplug validate` makes of folders and files.",
	},
}

// general are rules for all fields, which each page lists once.
var general = []string{
	"type", "unknown-key", "duplicate-key", "required", "ambiguous-yaml", "alias", "depth", "next-line", "placeholder",
	"immutable-field", "immutable-version", "suppression-form", "suppression-unused", "suppression-refused",
}

// The pages of kinds match the types. UPDATE_GOLDEN updates them.
func TestReferencePagesAreThoseOfTheTypes(t *testing.T) {
	found := findings(t)
	for _, page := range referencePages {
		at := slices.IndexFunc(documents, func(d document) bool { return d.kind == page.kind })
		d := documents[at]
		r := &kindPage{t: t, types: readSource(t, d.folder, "kubebuilder/v1alpha1"), limits: d.limits(), rules: map[string][]string{}}
		r.walk(&ast.Ident{Name: d.spec}, "spec", nil)
		r.attribute(page.kind, found)
		var text strings.Builder
		fmt.Fprintf(&text, "# %s\n\n%s\n\n%s\n\n", page.kind, describe(r.types[page.kind].doc, page.kind, ""), page.more)
		r.writeHead(&text, d)
		text.WriteString("## Example\n\n```yaml\n" + example(t, page.example) + "```\n\n## Fields\n\n")
		r.writeMetadata(&text, d, found)
		for _, s := range r.sections {
			r.writeSection(&text, s)
		}
		compareWithPage(t, page.file, text.String())
	}
}

// compareWithPage compares a text with a page of docs/reference.
func compareWithPage(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join(checkout.Root(), "docs", "reference", name)
	text = strings.TrimRight(text, "\n") + "\n"
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	current, err := os.ReadFile(file)
	require.NoError(t, err, "run make golden")
	assert.Equal(t, text, string(current), "%s: run make golden", name)
}

func example(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(checkout.Root(), name))
	require.NoError(t, err)
	return string(text)
}

// finding is a rule, and a path at which the tests of the rules expect a finding. Indexes are omitted.
type finding struct{ rule, path string }

var (
	expectation = regexp.MustCompile("[\"`](?:error|warning|info) ([a-z-]+) ((?:spec|metadata)[^ :\"]*)")
	index       = regexp.MustCompile(`\[\d+\]`)
)

// broken are values that break rules at fields without findings in other tests: TestBrokenFields checks them.
var broken = []struct {
	kind  string
	at    finding
	value string
}{
	{contract.ResourcePlugin, finding{"overlay-account", "spec.runner.podTemplateOverlay"}, "spec: {serviceAccountName: admin}"},
	{contract.ResourcePlugin, finding{"overlay-token", "spec.runner.podTemplateOverlay"},
		"spec: {volumes: [{name: v, projected: {sources: [{serviceAccountToken: {path: t}}]}}]}"},
	{contract.Sandbox, finding{"image-reference", "spec.forks[].customizations.images[].image"}, "Shop"},
	{contract.Sandbox, finding{"variable-name", "spec.forks[].customizations.env[].name"}, "1ST"},
	{contract.PluginTest, finding{"image-reference", "spec.fixtures[].image"}, "Postgres"},
	{contract.PluginTest, finding{"plugin-reference", "spec.plugin"}, "hello_db"},
}

func TestBrokenFields(t *testing.T) {
	t.Parallel()
	for _, b := range broken {
		root, at := with(t, fixtures[b.kind], b.at.path, b.value)
		report, err := validate.Check(krm.NewList(krm.FromNode(root, "")), options())
		require.NoError(t, err)
		assert.True(t, slices.ContainsFunc(report.Results, func(r krm.Result) bool {
			return r.Tags[krm.RuleTag] == b.at.rule && r.Field != nil && krm.Path(r.Field.Path) == at
		}), "%s must be reported at %s: %v", b.at.rule, at, report.Results)
	}
}

// findings returns the findings in tests of pkg/validate, in the rules' examples, and of broken.
func findings(t *testing.T) []finding {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(checkout.Root(), "pkg", "validate", "*_test.go"))
	require.NoError(t, err)
	require.NotEmpty(t, names)
	var all []finding
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, match := range expectation.FindAllSubmatch(text, -1) {
			all = append(all, finding{string(match[1]), index.ReplaceAllString(string(match[2]), "[]")})
		}
	}
	for _, r := range allRules() {
		path, _, _ := strings.Cut(r.Example, ": ")
		all = append(all, finding{r.ID, index.ReplaceAllString(path, "[]")})
	}
	for _, b := range broken {
		all = append(all, b.at)
	}
	all = append(all, finding{"overlay-sidecar", "spec.runner.podTemplateOverlay"}) // its example has two lines
	return slices.DeleteFunc(all, func(f finding) bool { return slices.Contains(general, f.rule) || allRules().Find(f.rule) == nil })
}

// isAbout reports whether a finding is about documents of a kind.
func (f finding) isAbout(kind string) bool {
	return slices.Contains(allRules().Find(f.rule).Kinds, kind)
}

// kindPage is the content of a page about a kind.
type kindPage struct {
	t        *testing.T
	types    source
	limits   map[string]limit
	sections []*section
	rules    map[string][]string // by TYPE.KEY
}

// section is the section about a type, which may be at several paths.
type section struct {
	*structure
	paths []string
}

// walk adds a section for each struct that the type contains. open are the enclosing structs.
func (r *kindPage) walk(of ast.Expr, path string, open []string) {
	switch of := of.(type) {
	case *ast.StarExpr:
		r.walk(of.X, path, open)
	case *ast.ArrayType:
		r.walk(of.Elt, path+"[]", open)
	case *ast.MapType:
		r.walk(of.Value, path+"{}", open)
	default:
		s := r.types[elementType(of)]
		if s == nil || slices.Contains(open, s.name) {
			return
		}
		at := slices.IndexFunc(r.sections, func(known *section) bool { return known.name == s.name })
		if at < 0 {
			at = len(r.sections)
			r.sections = append(r.sections, &section{structure: s})
		}
		r.sections[at].paths = append(r.sections[at].paths, path)
		for _, f := range s.fields {
			r.walk(f.of, path+"."+f.key, append(slices.Clip(open), s.name))
		}
	}
}

// attribute assigns the rules about the kind to the fields that they report.
func (r *kindPage) attribute(kind string, found []finding) {
	for _, f := range found {
		if !f.isAbout(kind) {
			continue
		}
		keys := strings.FieldsFunc(f.path, func(c rune) bool { return strings.ContainsRune(".[]", c) })
		at := r.sections[0].structure
		concerned := ""
		for _, key := range keys[1:] {
			i := slices.IndexFunc(at.fields, func(one field) bool { return one.key == key })
			if i < 0 {
				concerned = "" // about another kind
				break
			}
			concerned = at.name + "." + key
			if at = r.types[elementType(at.fields[i].of)]; at == nil {
				break // keys of a map follow
			}
		}
		if concerned != "" && !slices.Contains(r.rules[concerned], f.rule) {
			r.rules[concerned] = append(r.rules[concerned], f.rule)
		}
	}
	for _, rules := range r.rules {
		slices.SortFunc(rules, func(a, b string) int { return slices.Index(allRules().IDs(), a) - slices.Index(allRules().IDs(), b) })
	}
}

// elementType returns the name of a type, or of the elements of a list or map.
func elementType(of ast.Expr) string {
	switch of := of.(type) {
	case *ast.StarExpr:
		return elementType(of.X)
	case *ast.ArrayType:
		return elementType(of.Elt)
	case *ast.MapType:
		return elementType(of.Value)
	case *ast.SelectorExpr:
		return of.Sel.Name
	case *ast.Ident:
		return of.Name
	}
	return ""
}

func (r *kindPage) writeHead(text *strings.Builder, d document) {
	fmt.Fprintf(text, "A document has `apiVersion: %s`, `kind: %s`, `metadata` and `spec`", contract.APIVersion, d.kind)
	if d.native {
		text.WriteString("; its native form has `name` and `spec` alone, and may have templates (`@{…}`)")
	}
	fmt.Fprintf(text, ". [api/schemas/%s](../../api/schemas/%s) is the JSON Schema", fileOf(d.kind), fileOf(d.kind))
	if d.native {
		fmt.Fprintf(text, ", [api/schemas/native/%s](../../api/schemas/native/%s) that of the native form", fileOf(d.kind), fileOf(d.kind))
	}
	text.WriteString(".\n\n")
	var links []string
	for _, id := range general {
		if slices.Contains(allRules().Find(id).Kinds, d.kind) {
			links = append(links, ruleLink(id))
		}
	}
	if len(links) > 0 {
		text.WriteString("These rules hold for every field: " + strings.Join(links, ", ") + ". The others are named with the fields.\n\n")
	}
	fmt.Fprintf(text, "This page is made from the types in [%[1]s](../../%[1]s) (`make golden`); a test holds the two together.\n\n", d.folder)
}

func ruleLink(id string) string { return fmt.Sprintf("[%s](rules.md#%s)", id, id) }

// writeMetadata writes the rules about the name.
func (r *kindPage) writeMetadata(text *strings.Builder, d document, found []finding) {
	var rules []string
	for _, f := range found {
		if f.isAbout(d.kind) && (f.path == "metadata.name" || strings.HasPrefix(f.path, "metadata.annotations")) && !slices.Contains(rules, f.rule) {
			rules = append(rules, f.rule)
		}
	}
	slices.SortFunc(rules, func(a, b string) int { return slices.Index(allRules().IDs(), a) - slices.Index(allRules().IDs(), b) })
	text.WriteString("### metadata\n\n| field | value | meaning |\n|---|---|---|\n")
	meaning := []string{"The name of the document."}
	if words := r.limits["name"].sentence(false); words != "" {
		meaning = append(meaning, words)
	}
	fmt.Fprintf(text, "| `name` | string, required | %s |\n", strings.Join(append(meaning, ruleLinks(rules)...), " "))
	if namespace, isNamespaced := r.limits["namespace"]; isNamespaced {
		fmt.Fprintf(text, "| `namespace` | string, required | The namespace of the document. %s |\n", namespace.sentence(false))
	}
	text.WriteString("\n")
}

func ruleLinks(rules []string) []string {
	if len(rules) == 0 {
		return nil
	}
	links := make([]string, len(rules))
	for i, id := range rules {
		links[i] = ruleLink(id)
	}
	return []string{"<br>Rules: " + strings.Join(links, ", ")}
}

// writeSection writes the table of a type's fields.
func (r *kindPage) writeSection(text *strings.Builder, s *section) {
	fmt.Fprintf(text, "### %s\n\n%s\n\n", s.name, describe(s.doc, s.name, ""))
	fmt.Fprintf(text, "At `%s`.\n\n", strings.Join(s.paths, "`, `"))
	text.WriteString("| field | value | meaning |\n|---|---|---|\n")
	for _, f := range s.fields {
		require.NotEmpty(r.t, f.doc, "%s.%s must have a doc comment", s.name, f.name)
		meaning := []string{asMeaning(f)}
		if words := r.constraints(s, f); words != "" {
			meaning = append(meaning, words)
		}
		if len(f.was) > 0 {
			meaning = append(meaning, fmt.Sprintf("For the key %s the error proposes this one.", alternatives(f.was)))
		}
		meaning = append(meaning, ruleLinks(r.rules[s.name+"."+f.key])...)
		fmt.Fprintf(text, "| `%s` | %s | %s |\n", f.key, r.valueOf(s, f), cell(strings.Join(meaning, " ")))
	}
	text.WriteString("\n")
}

// asMeaning returns the doc comment of a field, without its name at the start if "is" or "are" follows.
func asMeaning(f field) string {
	text := describe(f.doc, f.name, f.key)
	for _, verb := range []string{" is ", " are "} {
		if rest, ok := strings.CutPrefix(text, "`"+f.key+"`"+verb); ok {
			text = strings.ToUpper(rest[:1]) + rest[1:]
		}
	}
	if rest, ok := strings.CutPrefix(text, "`"+f.key+"` says "); ok {
		text = "Says " + rest
	}
	return strings.TrimSuffix(text, ".") + "."
}

// cell escapes the separator of table cells.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// valueOf returns the type of a field, and whether it is required.
func (r *kindPage) valueOf(s *section, f field) string {
	text := r.typeOf(f.of)
	if f.quotable {
		text += " (digits may be quoted)"
	}
	if f.required || slices.ContainsFunc(s.paths, func(path string) bool { return r.limits[path+"."+f.key].required }) {
		text += ", required"
	}
	return text
}

func (r *kindPage) typeOf(of ast.Expr) string {
	switch of := of.(type) {
	case *ast.StarExpr:
		return r.typeOf(of.X)
	case *ast.ArrayType:
		return "list of " + r.typeOf(of.Elt)
	case *ast.MapType:
		return "map of " + r.typeOf(of.Value)
	}
	name := elementType(of)
	require.NotEmpty(r.t, name, "no words for a type: %T", of)
	if r.types[name] != nil {
		return fmt.Sprintf("[%s](#%s)", name, strings.ToLower(name))
	}
	return cmp.Or(map[string]string{"bool": "boolean", "int": "integer", "any": "values"}[name], name)
}

// constraints returns the limits of a field, of the elements of a list, and of the keys and values of a map. If a type is at
// several paths with different limits, each limit has its path.
func (r *kindPage) constraints(s *section, f field) string {
	_, isList := f.of.(*ast.ArrayType)
	texts := map[string][]string{} // paths by limit
	var order []string
	for _, path := range s.paths {
		var all []string
		for below, who := range map[string]string{"": "", "[]": "Each ", "{}": "Each value "} {
			l := r.limits[path+"."+f.key+below]
			if isList == (below == "[]") && below != "{}" && len(f.oneOf) > 0 {
				l.oneOf = f.oneOf
			}
			if words := l.sentence(isList && below == ""); words != "" {
				if who != "" {
					words = who + strings.ToLower(words[:1]) + words[1:]
				}
				all = append(all, words)
			}
		}
		slices.Sort(all)
		text := strings.Join(all, " ")
		if texts[text] == nil {
			order = append(order, text)
		}
		texts[text] = append(texts[text], path)
	}
	if len(order) == 1 {
		return order[0]
	}
	order = slices.DeleteFunc(order, func(text string) bool { return text == "" })
	for i, text := range order {
		order[i] = fmt.Sprintf("At `%s`: %s", strings.Join(texts[text], "`, `"), strings.ToLower(text[:1])+text[1:])
	}
	return strings.Join(order, " ")
}

// sentence describes the limit of a list or another value, or returns "" without a limit.
func (l limit) sentence(isList bool) string {
	var parts []string
	if l.words != "" {
		parts = append(parts, strings.TrimPrefix(l.words, "must "))
	}
	switch {
	case len(l.oneOf) > 0:
		parts = append(parts, "be "+alternatives(l.oneOf))
	case l.least > 0 && l.most > 0:
		parts = append(parts, fmt.Sprintf("be between %d and %d", l.least, l.most))
	case l.most > 0:
		parts = append(parts, fmt.Sprintf("be at most %d", l.most))
	case l.least > 0 && isList:
		parts = append(parts, "have at least one element")
	case l.least > 0:
		parts = append(parts, fmt.Sprintf("be at least %d", l.least))
	}
	if l.length > 0 {
		parts = append(parts, fmt.Sprintf("have at most %d characters", l.length))
	}
	if l.keyNames != nil {
		parts = append(parts, "have the ids of [rules](rules.md) as keys")
	}
	if len(parts) == 0 {
		return ""
	}
	return "Must " + strings.Join(parts, ", and ") + "."
}

func alternatives(values []string) string {
	last := len(values) - 1
	if last == 0 {
		return "`" + values[0] + "`"
	}
	return "`" + strings.Join(values[:last], "`, `") + "` or `" + values[last] + "`"
}

// Each rule about a document is on the page of its kind, with a field or the name, except for rules for all fields and rules
// about several documents.
func TestReferencePagesNameTheRules(t *testing.T) {
	across := []string{"quoted-number", "api-version", "other-api-version", "kind", "former-kind"}
	for _, page := range referencePages {
		text := example(t, filepath.Join("docs", "reference", page.file))
		for _, r := range allRules() {
			if slices.Contains(r.Kinds, page.kind) && !slices.Contains(across, r.ID) {
				assert.Contains(t, text, ruleLink(r.ID), page.file)
			}
		}
	}
}
