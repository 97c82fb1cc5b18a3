package htmlreport_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/resource-plugins/krm-functions/commands/review"
	"github.com/resource-plugins/krm-functions/internal/rplug"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// page returns the page about documents, as rplug report prints it.
func page(t *testing.T, args ...string) string {
	t.Helper()
	var out, problems bytes.Buffer
	asking := rplug.Extension{}
	asking.IsRequest = func(item *krm.Item) bool { return item.Kind() == "Provider" }
	code := rplug.Run(t.Context(), append([]string{"report"}, args...), strings.NewReader(""), &out, &problems, asking, review.Extension())
	require.NotEqual(t, 2, code, problems.String())
	return out.String()
}

// folder writes files to a new folder.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

// nodes returns the elements of a page.
func nodes(t *testing.T, text string) (all []*html.Node) {
	t.Helper()
	document, err := html.Parse(strings.NewReader(text))
	require.NoError(t, err)
	for node := range document.Descendants() {
		if node.Type == html.ElementNode {
			all = append(all, node)
		}
		require.NotEqual(t, html.CommentNode, node.Type, "a page must have no comments: %q", node.Data)
	}
	return all
}

func attribute(node *html.Node, name string) string {
	for _, one := range node.Attr {
		if one.Key == name {
			return one.Val
		}
	}
	return ""
}

// content returns the text in an element.
func content(node *html.Node) string {
	var b strings.Builder
	for one := range node.Descendants() {
		if one.Type == html.TextNode {
			b.WriteString(one.Data)
		}
	}
	return b.String()
}

// ours are the elements of a page with their attributes.
var ours = map[string][]string{
	"html": {"lang"}, "head": nil, "meta": {"charset", "http-equiv", "content", "name"}, "title": {"id"},
	"link": {"rel", "href"}, "style": nil, "script": nil, "body": {"class"}, "a": {"class", "href", "rel"},
	"header": {"class"}, "div": {"class", "tabindex", "role", "aria-label"}, "p": {"class", "id", "hidden"},
	"b": nil, "span": {"class", "hidden"}, "search": {"class", "hidden"}, "label": {"for", "class"},
	"input":  {"id", "type", "placeholder", "autocomplete", "spellcheck", "aria-keyshortcuts"},
	"output": {"id", "for"}, "kbd": {"aria-hidden"}, "nav": {"class", "aria-label"}, "ul": {"class"}, "li": nil,
	"main": {"id", "tabindex"}, "h1": {"class"}, "h2": {"id"}, "h3": nil, "h4": nil, "section": {"aria-labelledby"},
	"button": {"type", "data-all"}, "details": {"class", "id", "data-entry", "data-part", "open"}, "summary": nil,
	"article": {"class", "id", "data-entry", "data-part"}, "code": {"class"}, "mark": nil,
	"pre": {"class", "tabindex", "role", "aria-label"}, "dl": {"class"}, "dt": nil, "dd": nil, "table": {"class"}, "thead": nil,
	"tbody": nil, "tr": {"class"}, "th": {"scope"}, "td": {"data-title", "colspan"}, "footer": nil,
	"svg": {"xmlns", "width", "height", "viewBox", "role", "aria-labelledby"}, "desc": {"id"}, "g": nil,
	"rect": {"class", "x", "y", "width", "height", "rx"}, "text": {"class", "x", "y"}, "tspan": {"class"},
	"path": {"class", "d"}, "circle": {"class", "cx", "cy", "r"},
}

var policy = regexp.MustCompile(`^default-src 'none'; style-src 'sha256-([^']+)'; script-src 'sha256-([^']+)'; ` +
	`img-src data:; base-uri 'none'; form-action 'none'$`)

// assertHarmless requires that all markup of a page is ours, and that nothing in it acts or leads elsewhere.
func assertHarmless(t *testing.T, text string) []*html.Node {
	t.Helper()
	all := nodes(t, text)
	ids, links, elements := map[string]bool{}, []string{}, map[string]int{}
	allowed := ""
	for _, node := range all {
		elements[node.Data]++
		names, known := ours[node.Data]
		require.True(t, known, "element %q", node.Data)
		for _, one := range node.Attr {
			require.True(t, slices.Contains(names, one.Key) || one.Key == "title" && node.Data == "div", "attribute %q of %q", one.Key, node.Data)
			switch one.Key {
			case "id":
				require.False(t, ids[one.Val], "id %q", one.Val)
				require.Regexp(t, `^[a-z0-9._-]+$`, one.Val)
				ids[one.Val] = true
			case "href":
				links = append(links, one.Val)
			case "content":
				if attribute(node, "http-equiv") != "" {
					allowed = one.Val
				}
			}
		}
	}
	pages := map[string]bool{"data:,": true}
	for _, rule := range slices.Concat(validate.Rules(), validate.FileRules()) {
		pages[rule.Page] = true
	}
	for _, href := range links {
		id, isInner := strings.CutPrefix(href, "#")
		require.True(t, isInner && ids[id] || pages[href], "link %q", href)
	}
	require.Equal(t, 1, elements["style"])
	require.Equal(t, 1, elements["script"])
	hashes := policy.FindStringSubmatch(allowed)
	require.NotNil(t, hashes, allowed)
	for _, node := range all {
		if at := slices.Index([]string{"", "style", "script"}, node.Data); at > 0 {
			sum := sha256.Sum256([]byte(content(node)))
			require.Equal(t, hashes[at], base64.StdEncoding.EncodeToString(sum[:]), node.Data)
		}
	}
	for _, r := range text {
		require.True(t, unicode.IsPrint(r) || r == '\n' || r == '\t', "character %q", r)
	}
	return all
}

// outline returns the elements of a page and the names of their attributes, which do not come from documents.
func outline(all []*html.Node) string {
	var b strings.Builder
	for _, node := range all {
		b.WriteString(node.Data)
		for _, one := range node.Attr {
			b.WriteString(" " + one.Key)
		}
		b.WriteString("\n")
	}
	return b.String()
}

const documents = `apiVersion: resourceplugins.dev/v1alpha1
kind: ResourcePlugin
metadata: {name: "NAME-p@1.0.0"}
spec:
  description: "TEXT description"
  runner: {image: "NAME", namespace: default}
  create:
  - name: "NAME-a"
    inputs: [{name: dbname, valueFromSandbox: true, as: {env: DB, path: "/TEXT"}}]
    script: |
      #!/bin/sh
      echo "TEXT script"
    outputs: [{name: out, valueFromPath: "/TEXT/out", description: "TEXT output"}]
  - name: "NAME-b"
    inputs: [{name: in, valueFromStep: {name: "NAME-a", output: out}}]
    script: "#!/bin/sh"
---
apiVersion: resourceplugins.dev/v1alpha1
kind: Sandbox
metadata: {name: "NAME-s", annotations: {"TEXT": "TEXT"}}
spec:
  cluster: "TEXT cluster"
  description: "TEXT description"
  labels: {"TEXT label": "TEXT"}
  ttl: {duration: "TEXT"}
  resources:
  - name: "NAME-r"
    plugin: "NAME-p@1.0.0"
    params: {dbname: "TEXT param"}
  forks:
  - name: "NAME-f"
    forkOf: {kind: Deployment, namespace: "TEXT", name: "TEXT"}
    customizations:
      images: [{image: "TEXT", container: "TEXT"}]
      env:
      - {name: "TEXT", value: "TEXT"}
      - {name: OUT, valueFrom: {resource: {name: "TEXT", outputKey: "TEXT.TEXT"}}}
      patch: {type: "TEXT", value: "TEXT"}
  defaultRouteGroup: {endpoints: [{name: "TEXT", target: "TEXT"}]}
  virtual: [{name: "TEXT", workload: {kind: "TEXT", namespace: "TEXT", name: "TEXT"}}]
  middleware: [{name: "TEXT"}]
---
apiVersion: resourceplugins.dev/v1alpha1
kind: RouteGroup
metadata: {name: "NAME-g"}
spec:
  description: "TEXT"
  match: {label: {key: "TEXT", value: "TEXT"}}
  endpoints: [{name: "TEXT", target: "TEXT"}]
---
apiVersion: pkg.crossplane.io/v1
kind: Provider
metadata: {name: "NAME-q"}
spec: {package: "TEXT"}
`

// of replaces the names and texts of the documents.
func of(name, text string) string {
	quoted := func(s string) string {
		inner := strings.TrimSuffix(strings.TrimPrefix(jsonText(s), `"`), `"`)
		return strings.ReplaceAll(inner, "\x7f", `\x7f`)
	}
	script := "      echo \"TEXT script\"\n"
	all := strings.Replace(documents, script, "", 1)
	return strings.NewReplacer("NAME", quoted(name), "TEXT", quoted(text)).Replace(all)
}

// Whatever the texts of documents are, the page has the same markup.
func TestTextsStayTexts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `'-alert(1)-'`, `javascript:alert(1)`, `</title><svg onload=alert(1)>`,
		`--></style></script><script>alert(1)</script>`, `]]><!--`, "{{.Style}}", "&lt;b&gt;&#60;", "a\u202eb\u0007\u2028\u0000c",
		`</pre></textarea><iframe srcdoc="<script>">`, `${alert(1)}`, "`", `\u003cscript\u003e`, "#main", "data-entry",
	} {
		hostile := page(t, folder(t, map[string]string{"all.yaml": of(text, text)}))
		got := assertHarmless(t, hostile)
		plain := strings.Repeat("x", 3) + "!"
		want := assertHarmless(t, page(t, folder(t, map[string]string{"all.yaml": of(plain, plain)})))
		for _, name := range []string{"script", "style", "img", "iframe", "h3", "article", "svg", "input", "form"} {
			assert.Equal(t, strings.Count(outline(want), "\n"+name+"\n"), strings.Count(outline(got), "\n"+name+"\n"), "%q: %s", text, name)
		}
	}
}

// Documents that can be rendered have hostile texts as well, in objects.
func TestHostileObjects(t *testing.T) {
	t.Parallel()
	const hostile = `</pre><script>alert(1)</script>`
	text := strings.NewReplacer(`"TEXT description"`, jsonText(hostile), "NAME", "n", `"TEXT param"`, jsonText(hostile), "TEXT", "text").
		Replace(documents[:strings.Index(documents, "  forks:")])
	text = strings.Replace(text, `{"text": "text"}`, "{}", 1)
	text = strings.NewReplacer(`labels: {"text label": "text"}`, "", `ttl: {duration: "text"}`, "", "text cluster", "c",
		`echo "text script"`, "echo '"+hostile+"'").Replace(text)
	dir := folder(t, map[string]string{"all.yaml": text})
	got := page(t, "--show-values", dir)
	all := assertHarmless(t, got)
	shown := 0
	for _, node := range all {
		if node.Data == "pre" && strings.Contains(content(node), hostile) {
			shown++
		}
	}
	assert.GreaterOrEqual(t, shown, 3, "the script of the step, the ConfigMap and the Job")
	assert.Equal(t, got, page(t, "--show-values", dir), "the same documents make the same bytes")
}

func FuzzPage(f *testing.F) {
	f.Add("name", "text")
	f.Add(`"]`, "<script>")
	f.Add("a\nb", "\xff\u2028")
	f.Fuzz(func(t *testing.T, name, text string) {
		assertHarmless(t, page(t, folder(t, map[string]string{"all.yaml": of(name, text)})))
	})
}

var sheetAndScript = regexp.MustCompile(`(?s)<(style|script)>.*?</(?:style|script)>`)

func TestGolden(t *testing.T) {
	t.Parallel()
	const file = "testdata/hello-db.html"
	root := filepath.Join("..", "..", "..")
	got := page(t, filepath.Join(root, "examples", "hello-db"))
	assertHarmless(t, got)
	got = sheetAndScript.ReplaceAllString(got, "<$1></$1>")
	got = regexp.MustCompile(`sha256-[A-Za-z0-9/&#;]{43,}=&`).ReplaceAllString(got, "sha256-…&")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

// The page about 1,000 sandboxes has the shared text of their objects only once: it has 4 MB at most, and hides values.
func TestPageAboutManySandboxes(t *testing.T) {
	t.Parallel()
	checkout.Slow(t, "renders 1,000 sandboxes")
	text, err := os.ReadFile(filepath.Join(checkout.Root(), "examples", "postgres", "plugin.yaml"))
	require.NoError(t, err)
	for n := range 1000 {
		text = fmt.Appendf(text, "\n---\napiVersion: resourceplugins.dev/v1alpha1\nkind: Sandbox\nmetadata: {name: box-%d}\nspec:\n"+
			"  cluster: c\n  resources:\n  - {name: db, plugin: postgres@1.2.0, params: {seed: canary%[1]d}}\n", n)
	}
	got := page(t, folder(t, map[string]string{"all.yaml": string(text)}))
	assert.LessOrEqual(t, len(got), 4_000_000)
	assert.NotContains(t, got, "canary")
	assert.Equal(t, 1000, strings.Count(got, "data-values="))
}
