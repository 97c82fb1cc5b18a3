//go:build e2e

package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/engine/jobs"
)

// params are texts that Kubernetes, YAML or a shell might change. The API server expands $(NAME) for variables defined
// before, so some texts refer to such a variable.
var params = map[string]string{
	"engines":   "{{workflow.name}} {{=1+1}} $(params.x) $(context.taskRun.name) $(tasks.read.results.a) {{inputs.parameters.x}}",
	"expansion": "$(PGPASSWORD) $(SIGNADOT_SANDBOX_ID) $$(SIGNADOT_SANDBOX_ID) $$ $ $() ${HOME} $(",
	"quotes":    `'single' "double" \back\slash` + " `ticks` # not a comment: {braces} [brackets] %s & *",
	"lines":     "\n\nfirst\n  second\ttab\r\nthird\n\n",
	"yaml":      "yes",
	"unicode":   "größer – 数据 \u2028 \u0085 🂡",
	"empty":     "",
	"long":      strings.Repeat("0123456789 $(SIGNADOT_SANDBOX_ID) $$\n", 2703)[:100_000],
}

// Params and outputs are passed unchanged, in variables and files.
func TestStepsValues(t *testing.T) { values(t, jobs.Name) }

func values(t *testing.T, engineName string) {
	t.Helper()
	s := newNamespace(t)
	s.engine = engineName
	var inputs []object
	var outputs, copies []string
	for name := range params {
		inputs = append(inputs, object{
			"name": name, "valueFromSandbox": true, "as": object{"env": strings.ToUpper(name), "path": "/inputs/" + name},
		})
		outputs = append(outputs, name+"-env", name+"-file")
		copies = append(copies, `printf %s "$`+strings.ToUpper(name)+`" > /outputs/`+name+"-env",
			"cat /inputs/"+name+" > /outputs/"+name+"-file")
	}
	read := step{name: "read", script: script("read", strings.Join(copies, "\n")), outputs: outputs}.document()
	read["inputs"] = inputs
	var again []string
	reread := step{name: "again", outputs: outputs}
	for _, name := range outputs {
		reread.reads = append(reread.reads, "read."+name)
		variable := strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		again = append(again, `cmp <(printf %s "$READ_`+variable+`") /inputs/read.`+name, "cat /inputs/read."+name+" > /outputs/"+name)
	}
	reread.script = script("again", strings.Join(again, "\n"))
	next := reread.document()
	for _, input := range next["inputs"].([]object) {
		as := input["as"].(object)
		as["env"] = strings.ReplaceAll(as["env"].(string), "-", "_")
	}
	plugin := s.plugin("values@1.0.0", s.overlay("env: [{name: PGPASSWORD, value: wrong}]"))
	plugin["spec"].(object)["create"] = []object{read, next}
	// 100 kB exceed the annotation of a client-side apply, and a server-side one reads U+0085 as a line break.
	must(t, render(t, []string{"--engine", engineName}, plugin, sandbox("values", "values", params)), "create", "-f", "-")
	s.succeeded(map[bool]int{true: 2, false: 1}[engineName == jobs.Name])
	published := s.outputs()
	for name, want := range params {
		for _, output := range []string{name + "-env", name + "-file"} {
			require.Contains(t, published["values/read"].Data, output)
			requireSame(t, want, published["values/read"].Data[output], "%s must be passed unchanged", output)
			requireSame(t, want, published["values/again"].Data[output], "%s must be passed unchanged again", output)
		}
	}
}

// requireSame compares long texts without printing them.
func requireSame(t *testing.T, want string, got []byte, message string, arguments ...any) {
	t.Helper()
	if want != string(got) {
		require.Failf(t, "the text differs", message, arguments...)
	}
}
