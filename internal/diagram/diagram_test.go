package diagram_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/diagram"
	"github.com/resource-plugins/krm-functions/internal/document"
)

// read builds a plugin from lines such as `c: a.x b.y $p > q r`: step c reads output x of a and y of b, takes the param p, and
// leaves q and r. A line `---` starts the delete phase.
func read(name, lines string) *document.Plugin {
	p := &document.Plugin{Name: name}
	phase := &p.Spec.Create
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		line = strings.TrimSpace(line)
		if line == "---" {
			phase = &p.Spec.Delete
			continue
		}
		name, rest, _ := strings.Cut(line, ":")
		inputs, outputs, _ := strings.Cut(rest, ">")
		step := v1alpha1.Step{Name: name}
		for _, input := range strings.Fields(inputs) {
			if param, ok := strings.CutPrefix(input, "$"); ok {
				step.Inputs = append(step.Inputs, v1alpha1.Input{Name: param, ValueFromSandbox: true})
				continue
			}
			producer, output, _ := strings.Cut(input, ".")
			output, as, renamed := strings.Cut(output, "=")
			if !renamed {
				as = output
			}
			step.Inputs = append(step.Inputs, v1alpha1.Input{
				Name: as, ValueFromStep: &v1alpha1.StepOutput{Name: producer, Output: output},
			})
		}
		for _, output := range strings.Fields(outputs) {
			step.Outputs = append(step.Outputs, v1alpha1.Output{Name: output})
		}
		*phase = append(*phase, step)
	}
	return p
}

func draw(t *testing.T, format diagram.Format, plugins ...*document.Plugin) string {
	t.Helper()
	var pictures []*diagram.Picture
	for _, p := range plugins {
		one, problems := diagram.New(p)
		require.Empty(t, problems)
		pictures = append(pictures, one)
	}
	text, err := diagram.Draw(format, pictures)
	require.NoError(t, err)
	return string(text)
}

const orders = `create-database: $charset > name
create-user: > user password
grant: create-database.name=database create-user.user create-user.password > url
---
drop: create-database.name=database create-user.user`

// hostile is a plugin whose names try to be more than names.
func hostile() *document.Plugin {
	markup, escapes, long := "<b>&amp;</b><!--", `\N\l"quoted"]]>`, strings.Repeat("long", 30)
	turned := "end\u202e\u0007\n---"
	return &document.Plugin{Name: `"]-->x<script>alert(1)</script>@1.0.0`, Spec: v1alpha1.ResourcePluginSpec{
		Create: []v1alpha1.Step{{
			Name:    markup,
			Inputs:  []v1alpha1.Input{{Name: "`%%{init: {}}%%`", ValueFromSandbox: true}},
			Outputs: []v1alpha1.Output{{Name: escapes}, {Name: "click a href"}},
		}, {
			Name:    turned,
			Inputs:  []v1alpha1.Input{{Name: "#35;]", ValueFromStep: &v1alpha1.StepOutput{Name: markup, Output: escapes}}},
			Outputs: []v1alpha1.Output{{Name: "1."}},
		}},
		Delete: []v1alpha1.Step{{
			Name:    long,
			Inputs:  []v1alpha1.Input{{Name: "名前", ValueFromStep: &v1alpha1.StepOutput{Name: turned, Output: "1."}}},
			Outputs: []v1alpha1.Output{{Name: "www.example.com"}, {Name: "a@b.co"}, {Name: "```"}},
		}},
	}}
}

// plugins are the plugins in the golden files.
var plugins = map[string][]*document.Plugin{
	"small":   {read("hello-db@1.0.0", "say-hello: $dbname")},
	"orders":  {read("orders-db@1.2.0", orders)},
	"two":     {read("hello-db@1.0.0", "say-hello: $dbname"), read("orders-db@1.2.0", orders)},
	"nothing": {read("empty@1.0.0", "")},
	"wide": {read("wide@2.0.0", `plan: $size $region > network zone token
dns: plan.zone plan.token > record
database: plan.network $size > host port
queue: plan.network plan.token > url
bucket: plan.token > name
cache: plan.network > host
search: plan.network plan.zone > endpoint
report: database.host=db cache.host=cache bucket.name=bucket dns.record queue.url search.endpoint > summary
---
drop-database: database.host plan.token
drop-bucket: bucket.name plan.token
drop-all: $force plan.network=network plan.token`)},
	"deep": {read("deep@0.1.0", `one: $seed > x
two: one.x > x y
three: two.x > x
four: three.x one.x=first > x
five: four.x two.y > x
six: five.x > x
---
undo-six: six.x > done
undo-rest: undo-six.done one.x $force`)},
	"hostile": {hostile()},
}

var endings = map[diagram.Format]string{diagram.Mermaid: "mmd", diagram.DOT: "dot", diagram.SVG: "svg"}

func TestGolden(t *testing.T) {
	t.Parallel()
	for name, all := range plugins {
		for _, format := range diagram.Formats {
			got := draw(t, format, all...)
			file := filepath.Join("testdata", fmt.Sprintf("%s.%s", name, endings[format]))
			if os.Getenv("UPDATE_GOLDEN") != "" {
				require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.Equal(t, string(want), got, file)
		}
	}
}
