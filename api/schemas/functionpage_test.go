package schemas

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/function/importplugin"
	"github.com/resource-plugins/krm-functions/internal/function/renderphase"
	"github.com/resource-plugins/krm-functions/internal/function/rendersandbox"
	"github.com/resource-plugins/krm-functions/internal/function/resolveversion"
	"github.com/resource-plugins/krm-functions/internal/function/validateplugin"
)

const functionPageHead = `# Function configs

Each KRM function has a config: the ` + "`functionConfig`" + ` of its ResourceList, which kustomize and kpt pass on, or flags on the command
line. A config that is missing or empty means the defaults.

` + "```yaml" + `
# kustomization.yaml names this file under transformers
apiVersion: resourceplugins.dev/v1alpha1
kind: RenderPhase
metadata:
  name: render
  annotations:
    config.kubernetes.io/function: |
      exec: {path: render-phase}
delivery: flux
stepTimeoutSeconds: 600
` + "```" + `

A ` + "`ConfigMap`" + ` with the same fields as strings in ` + "`data`" + ` is accepted, too: lists are separated by commas or lines, maps are
` + "`KEY=VALUE`" + ` pairs in such a list. A wrong value in a functionConfig is an error result; a wrong value of a flag makes
the call wrong ([exit code 2](exit-codes.md)). [rplug](cli.md) has the same flags, and takes some values from its
[project file](project.md); ` + "`rplug COMMAND --print-config`" + ` shows which values are in force.

This page is made from the types in [api/v1alpha1](../../api/v1alpha1) (` + "`make golden`" + `); a test holds the two together.
`

// The page of configs says what the types and the functions' defaults do. UPDATE_GOLDEN writes it anew.
func TestFunctionPageIsThatOfTheTypes(t *testing.T) {
	functions := []cli.Function{
		validateplugin.New(), resolveversion.New(), renderphase.New(), rendersandbox.New(), importplugin.New(),
	}
	require.Len(t, functions, len(configs))
	types := readSource(t, "api/v1alpha1")
	var text strings.Builder
	text.WriteString(functionPageHead)
	for _, f := range functions {
		at := slices.IndexFunc(configs, func(c struct{ kind, folder string }) bool { return c.kind == f.Kind })
		p := &kindPage{t: t, types: types, limits: configLimits(f.Kind)}
		p.walk(&ast.Ident{Name: f.Kind}, "", nil)
		fmt.Fprintf(&text, "\n## %s\n\n", f.Kind)
		fmt.Fprintf(&text, "The config of [%s](../../%s/README.md): %s\n", f.Name, configs[at].folder, f.Purpose)
		fmt.Fprintf(&text, "[api/schemas/%s](../../api/schemas/%s) is its JSON Schema.\n\n", fileOf(f.Kind), fileOf(f.Kind))
		text.WriteString("| field | value | default | flag | meaning |\n|---|---|---|---|---|\n")
		for _, one := range p.sections[0].fields {
			p.writeConfigField(&text, one, f.Fields())
		}
	}
	compareWithPage(t, "functions.md", text.String())
}

// writeConfigField writes the row of a field, with its default and flag.
func (r *kindPage) writeConfigField(text *strings.Builder, one field, known []cli.Field) {
	at := slices.IndexFunc(known, func(f cli.Field) bool { return f.Key == one.key })
	require.GreaterOrEqual(r.t, at, 0, "no field %s", one.key)
	s := r.sections[0]
	named := func(value string) bool { return strings.Contains(one.doc, value) }
	if len(one.oneOf) > 0 && !slices.ContainsFunc(one.oneOf, func(value string) bool { return !named(value) }) {
		one.oneOf = nil // the text has them
	}
	meaning := strings.ToUpper(one.doc[:1]) + one.doc[1:] + "."
	if words := r.constraints(s, one); words != "" {
		meaning += " " + words
	}
	fmt.Fprintf(text, "| `%s` | %s | %s | %s | %s |\n",
		one.key, r.valueOf(s, one), code(known[at].Default()), code(known[at].Usage()), cell(meaning))
}

// code is a text in backticks, nothing if there is none.
func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}
