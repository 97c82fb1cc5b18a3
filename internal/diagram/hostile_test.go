package diagram_test

import (
	"encoding/xml"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/diagram"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// element is one of an image, with the text right inside it.
type element struct {
	name, text string
	attrs      map[string]string
}

// parse reads an image as XML, which must be well-formed.
func parse(t *testing.T, image string) []*element {
	t.Helper()
	var all, open []*element
	decoder := xml.NewDecoder(strings.NewReader(image))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			require.Empty(t, open)
			return all
		}
		require.NoError(t, err, image)
		switch token := token.(type) {
		case xml.StartElement:
			e := &element{name: token.Name.Local, attrs: map[string]string{}}
			for _, attr := range token.Attr {
				e.attrs[attr.Name.Local] = attr.Value
			}
			all, open = append(all, e), append(open, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 {
				open[len(open)-1].text += string(token)
			}
		default:
			t.Fatalf("an image must hold elements and text alone, not %T", token)
		}
	}
}

// texts returns the texts of elements of a kind.
func texts(all []*element, name string) []string {
	var said []string
	for _, e := range all {
		if e.name == name {
			said = append(said, e.text)
		}
	}
	return said
}

var harmless = map[string][]string{
	"svg":    {"xmlns", "width", "height", "viewBox", "role", "aria-labelledby"},
	"title":  {"id"},
	"desc":   {"id"},
	"style":  {},
	"g":      {},
	"rect":   {"class", "x", "y", "width", "height", "rx"},
	"text":   {"class", "x", "y"},
	"tspan":  {"class"},
	"path":   {"class", "d"},
	"circle": {"class", "cx", "cy", "r"},
}

func assertHarmlessSVG(t *testing.T, image string) {
	t.Helper()
	all := parse(t, image)
	for _, e := range all {
		allowed, known := harmless[e.name]
		require.True(t, known, "element %q", e.name)
		for attr := range e.attrs {
			require.Contains(t, allowed, attr, e.name)
		}
	}
	require.Len(t, texts(all, "style"), 1)
	require.NotContains(t, texts(all, "style")[0], "url", "an image loads nothing")
}

// The complete grammar of our Mermaid. Quoted text contains no characters with a meaning in Mermaid.
var (
	mermaidLabel = `"(?:[A-Za-z0-9 ._→…-]|#[0-9]+;|<br/>)*"`
	mermaidLine  = regexp.MustCompile(`^(?:flowchart LR|  end| {4}end` +
		`| {2,4}subgraph p\d+(?:_create|_delete)?\[` + mermaidLabel + `\]` +
		`| {6}p\d+_s\d+\[` + mermaidLabel + `\]` +
		`| {4}p\d+_in\d+\(\[` + mermaidLabel + `\]\)` +
		`| {4}p\d+_in\d+ --> p\d+_s\d+` +
		`| {4}p\d+_s\d+ (?:-- ` + mermaidLabel + ` -->|-\. ` + mermaidLabel + ` \.->) p\d+_s\d+` +
		`| {4}p\d+_s\d+ --> p\d+_out\d+>` + mermaidLabel + `\])$`)
	dotLine = regexp.MustCompile(`^(?:[a-z0-9_]+|digraph plugins \{|\}|[^"]*)(?:"(?:[^"\\]|\\["\\n{}|<> ])*"[^"]*)*$`)
)

func assertLines(t *testing.T, language *regexp.Regexp, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		require.Regexp(t, language, strings.TrimSuffix(line, "\n"))
	}
}

func TestHostileNamesStayNames(t *testing.T) {
	t.Parallel()
	assertHarmlessSVG(t, draw(t, diagram.SVG, hostile()))
	assertLines(t, mermaidLine, draw(t, diagram.Mermaid, hostile()))
	assertLines(t, dotLine, draw(t, diagram.DOT, hostile()))
	said := texts(parse(t, draw(t, diagram.SVG, hostile())), "text")
	for _, name := range []string{`"]-->x<script>alert(1)</script>@1.0.0`, "<b>&amp;</b><!--", `\N\l"quoted"]]>`, "#35;]", "end\ufffd\ufffd\ufffd---"} {
		assert.Contains(t, said, name)
	}
}

// Graphviz itself reads every label back as it was given.
func TestGraphvizShowsWhatWasMeant(t *testing.T) {
	t.Parallel()
	dot := checkout.Program(t, "dot", "graphviz")
	for name, all := range plugins {
		run := exec.Command(dot, "-Tsvg")
		run.Stdin = strings.NewReader(draw(t, diagram.DOT, all...))
		out, err := run.Output()
		require.NoError(t, err, name)
		out = out[strings.Index(string(out), "<svg"):]
		out = regexp.MustCompile(`<!--.*?-->`).ReplaceAll(out, nil)
		said := texts(parse(t, string(out)), "text")
		for _, p := range all {
			one, problems := diagram.New(p)
			require.Empty(t, problems)
			for _, step := range one.Steps {
				names := []string{step.Name}
				for _, input := range step.Inputs {
					names = append(names, input.Name)
				}
				for _, output := range step.Outputs {
					names = append(names, output.Name)
				}
				for _, meant := range names {
					assert.True(t, slices.ContainsFunc(said, func(text string) bool {
						return strings.ReplaceAll(text, "\u00a0", " ") == meant
					}), "%s: %q in %q", name, meant, said)
				}
			}
		}
	}
}

// librsvg can draw the golden files.
func TestLibrsvgDraws(t *testing.T) {
	t.Parallel()
	convert := checkout.Program(t, "rsvg-convert", "librsvg2-bin")
	for name := range plugins {
		out, err := exec.Command(convert, filepath.Join("testdata", name+".svg")).CombinedOutput()
		require.NoError(t, err, name)
		assert.True(t, strings.HasPrefix(string(out), "\x89PNG"), name)
	}
}

func FuzzDraw(f *testing.F) {
	f.Add("orders-db@1.2.0", "grant", "charset", "name")
	f.Add(`"]`, "end", "%%{init}%%", `\N`)
	f.Add("]]>", "<!--", "&#x1;", "a\nb\u2028c")
	f.Add("\xff\xfe", "javascript:alert(1)", "a@{ shape: rounded }", ":::class")
	f.Fuzz(func(t *testing.T, title, step, input, output string) {
		p := &document.Plugin{Name: title, Spec: v1alpha1.ResourcePluginSpec{
			Create: []v1alpha1.Step{
				{Name: step, Inputs: []v1alpha1.Input{{Name: input, ValueFromSandbox: true}}, Outputs: []v1alpha1.Output{{Name: output}, {Name: input + "2"}}},
				{Name: step + "2", Inputs: []v1alpha1.Input{{Name: input, ValueFromStep: &v1alpha1.StepOutput{Name: step, Output: output}}}},
			},
			Delete: []v1alpha1.Step{
				{Name: step + "3", Inputs: []v1alpha1.Input{{Name: output, ValueFromStep: &v1alpha1.StepOutput{Name: step, Output: output}}}},
			},
		}}
		one, problems := diagram.New(p)
		if len(problems) > 0 {
			return
		}
		for _, format := range diagram.Formats {
			text, err := diagram.Draw(format, []*diagram.Picture{one})
			require.NoError(t, err)
			switch format {
			case diagram.SVG:
				assertHarmlessSVG(t, string(text))
			case diagram.Mermaid:
				assertLines(t, mermaidLine, string(text))
			case diagram.DOT:
				assertLines(t, dotLine, string(text))
			}
		}
	})
}
