package diagram_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/diagram"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// random is a plugin of n create steps and some delete steps, each of which reads from some of those before it.
func random(rng *rand.Rand, n int) *document.Plugin {
	var b strings.Builder
	for i := range n + rng.IntN(4) {
		if i == n {
			b.WriteString("---\n")
		}
		fmt.Fprintf(&b, "step%d:", i)
		if rng.IntN(2) == 0 {
			fmt.Fprint(&b, " $param")
		}
		for at := range rng.IntN(4) {
			if from := rng.IntN(max(1, i)); i > 0 {
				fmt.Fprintf(&b, " step%d.out%d=in%d", from, rng.IntN(2), at)
			}
		}
		b.WriteString(" > out0 out1\n")
	}
	return read("random@1.0.0", b.String())
}

// box is where a rectangle is.
type box struct{ left, top, right, bottom float64 }

func (b box) holds(x, y float64) bool { return x > b.left && x < b.right && y > b.top && y < b.bottom }

func number(t *testing.T, text string) float64 {
	t.Helper()
	n, err := strconv.ParseFloat(text, 64)
	require.NoError(t, err)
	return n
}

func boxes(t *testing.T, all []*element, class string) []box {
	t.Helper()
	var found []box
	for _, e := range all {
		if e.name == "rect" && e.attrs["class"] == class {
			x, y := number(t, e.attrs["x"]), number(t, e.attrs["y"])
			found = append(found, box{x, y, x + number(t, e.attrs["width"]), y + number(t, e.attrs["height"])})
		}
	}
	return found
}

var command = regexp.MustCompile(`([MLC])([-0-9 ]+)`)

// points returns places along a path of straight lines and Bézier curves.
func points(t *testing.T, path string) [][2]float64 {
	t.Helper()
	var along [][2]float64
	var at [2]float64
	for _, match := range command.FindAllStringSubmatch(path, -1) {
		var n []float64
		for _, text := range strings.Fields(match[2]) {
			n = append(n, number(t, text))
		}
		end := [2]float64{n[len(n)-2], n[len(n)-1]}
		a, b := at, end
		if match[1] == "C" {
			a, b = [2]float64{n[0], n[1]}, [2]float64{n[2], n[3]}
		}
		for step := 0; step <= 10 && match[1] != "M"; step++ {
			s := float64(step) / 10
			r := 1 - s
			var p [2]float64
			for i := range p {
				p[i] = r*r*r*at[i] + 3*r*r*s*a[i] + 3*r*s*s*b[i] + s*s*s*end[i]
			}
			along = append(along, p)
		}
		at = end
	}
	return along
}

func TestNothingOverlaps(t *testing.T) {
	t.Parallel()
	rng := checkout.Random(t)
	for n := range 30 {
		p := random(rng, 1+n)
		image := draw(t, diagram.SVG, p)
		require.Equal(t, image, draw(t, diagram.SVG, p), "the same bytes each time")
		all := parse(t, image)
		steps, frames := boxes(t, all, "box"), boxes(t, all, "frame")
		require.Len(t, steps, len(p.Spec.Create)+len(p.Spec.Delete))
		for i, a := range steps {
			for _, b := range steps[:i] {
				apart := a.right < b.left || b.right < a.left || a.bottom < b.top || b.bottom < a.top
				require.True(t, apart, "boxes %v and %v\n%s", a, b, image)
			}
			inside := 0
			for _, f := range frames {
				if f.left < a.left && a.right < f.right && f.top < a.top && a.bottom < f.bottom {
					inside++
				}
			}
			require.Equal(t, 1, inside, "box %v is in one frame", a)
		}
		for _, e := range all {
			if e.name != "path" || e.attrs["class"] != "flow" {
				continue
			}
			for _, point := range points(t, e.attrs["d"]) {
				for _, b := range steps {
					if b.holds(point[0], point[1]) {
						t.Fatalf("line %s runs through box %v\n%s", e.attrs["d"], b, image)
					}
				}
			}
		}
	}
}

// Each phase begins at the left, and outputs of create that delete reads are named in place of a line between them.
func TestPhasesHaveNoLinesBetweenThem(t *testing.T) {
	t.Parallel()
	for name, all := range plugins {
		image := parse(t, draw(t, diagram.SVG, all...))
		frames := boxes(t, image, "frame")
		lefts := map[float64]bool{}
		for _, f := range frames {
			left := f.right
			for _, b := range boxes(t, image, "box") {
				if b.top > f.top && b.bottom < f.bottom {
					left = min(left, b.left)
				}
			}
			lefts[left] = true
		}
		assert.LessOrEqual(t, len(lefts), 1, "%s: the left sides of the leftmost boxes of the phases: %v", name, lefts)
		for _, e := range image {
			if e.name != "path" || e.attrs["class"] != "flow" && e.attrs["class"] != "across" {
				continue
			}
			touched := 0
			for _, f := range frames {
				if slices.ContainsFunc(points(t, e.attrs["d"]), func(p [2]float64) bool { return f.holds(p[0], p[1]) }) {
					touched++
				}
			}
			assert.LessOrEqual(t, touched, 1, "%s: line %s", name, e.attrs["d"])
		}
	}
	said := texts(parse(t, draw(t, diagram.SVG, read("orders-db@1.2.0", orders))), "tspan")
	assert.Equal(t, []string{"← create-database.name", "← create-user.user"}, said)
}

// A label of an edge may be drawn on another edge.
func TestEdgesOfDOTHaveNoLabels(t *testing.T) {
	t.Parallel()
	for name, all := range plugins {
		for line := range strings.Lines(draw(t, diagram.DOT, all...)) {
			if strings.HasPrefix(strings.TrimSpace(line), "p1_") && strings.Contains(line, " -> ") {
				assert.NotContains(t, line, "label", name)
			}
		}
	}
}

// The sheet for a page has no rule that reaches out of its pictures, and each class of a picture that has a rule keeps it.
func TestEmbed(t *testing.T) {
	t.Parallel()
	one, problems := diagram.New(read("orders-db@1.2.0", orders))
	require.Empty(t, problems)
	image, err := diagram.Embed(one, "p1")
	require.NoError(t, err)
	all := parse(t, string(image))
	assert.Equal(t, "p1-title p1-description", all[0].attrs["aria-labelledby"])
	assert.NotContains(t, texts(all, "text"), "orders-db@1.2.0", "the page has the title")
	assert.Empty(t, texts(all, "style"))
	sheet := diagram.Style(".picture")
	for line := range strings.Lines(sheet) {
		line = strings.TrimSpace(line)
		if line == "}" || strings.HasPrefix(line, "@media") {
			continue
		}
		selectors, _, _ := strings.Cut(line, " {")
		for selector := range strings.SplitSeq(selectors, ", ") {
			assert.True(t, strings.HasPrefix(selector, ".picture "), line)
		}
	}
	for _, e := range all {
		if class := e.attrs["class"]; class != "" && class != "in" {
			assert.Contains(t, sheet, ".picture ."+class)
		}
	}
}

func TestTextFitsItsBox(t *testing.T) {
	t.Parallel()
	all := parse(t, draw(t, diagram.SVG, read("p@1.0.0", "a-step-with-a-long-name: $in > out\nb: $an-input > an-output\nc:")))
	const widest = 8
	for _, b := range boxes(t, all, "box") {
		taken := map[string]float64{}
		for _, e := range all {
			if x, y := e.attrs["x"], e.attrs["y"]; e.name == "text" && b.holds(number(t, x), number(t, y)) {
				taken[y] += float64(len(e.text)) * widest
			}
		}
		assert.NotEmpty(t, taken)
		for y, width := range taken {
			assert.Less(t, width, b.right-b.left, y)
		}
	}
}

func TestProblemsComeInPlaceOfAPicture(t *testing.T) {
	t.Parallel()
	one, problems := diagram.New(read("broken@1.0.0", "a: b.x > x\nb: a.x > x\nc: d.x"))
	assert.Nil(t, one)
	var said []string
	for _, problem := range problems {
		said = append(said, string(problem.Path)+": "+problem.Message)
	}
	assert.Equal(t, []string{
		"spec.create[2].inputs[0].valueFromStep: must name an output of a step: unknown step",
		"spec.create[0].inputs[0]: steps must not wait for each other: a → b → a",
	}, said)
}

func TestTooManyLinesForAnImage(t *testing.T) {
	t.Parallel()
	const n = 70
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "s%d:", i)
		for from := range i {
			fmt.Fprintf(&b, " s%d.x=i%d", from, from)
		}
		b.WriteString(" > x\n")
	}
	one, problems := diagram.New(read("all@1.0.0", b.String()))
	require.Empty(t, problems)
	_, err := diagram.Draw(diagram.SVG, []*diagram.Picture{one})
	require.EqualError(t, err, `too many lines of "all@1.0.0" pass too many columns for an image: draw it as dot`)
	text, err := diagram.Draw(diagram.Mermaid, []*diagram.Picture{one})
	require.NoError(t, err)
	assert.True(t, diagram.MermaidTooLarge(text))
	assert.False(t, diagram.MermaidTooLarge([]byte(draw(t, diagram.Mermaid, read("a@1.0.0", "a: > x\nb: a.x")))))
}

func TestUnknownFormat(t *testing.T) {
	t.Parallel()
	_, err := diagram.Draw("png", nil)
	require.EqualError(t, err, `must be one of ["mermaid" "dot" "svg"], not "png"`)
}
