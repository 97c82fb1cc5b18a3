package manual

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/test/checkout"
)

// The metadata of every function can be decoded strictly into kyaml's type.
func TestMetadataDecodes(t *testing.T) {
	t.Parallel()
	mains, err := filepath.Glob(filepath.Join(checkout.Root(), "functions", "*", "main.go"))
	require.NoError(t, err)
	require.NotEmpty(t, mains)
	for _, main := range mains {
		folder := filepath.Dir(main)
		text, err := os.ReadFile(filepath.Join(folder, "metadata.yaml"))
		require.NoError(t, err, "the function's tests must call manual.Check")
		var definition framework.KRMFunctionDefinition
		require.NoError(t, yaml.UnmarshalStrict(text, &definition), folder)
		assert.Equal(t, framework.FunctionDefinitionGroupVersion, definition.APIVersion)
		assert.Equal(t, framework.FunctionDefinitionKind, definition.Kind)
		assert.Equal(t, filepath.Base(folder), definition.Name)
		require.Len(t, definition.Spec.Versions, 1)
		version := definition.Spec.Versions[0]
		assert.NotEmpty(t, version.Runtime.Container.Image)
		assert.Equal(t, filepath.Base(folder), version.Runtime.Exec.Path)
		for _, kind := range version.Schema.OpenAPIV3Schema.Properties["kind"].Enum {
			assert.Equal(t, definition.Spec.Names.Kind, kind)
		}
	}
}

type config struct {
	Phases []string          `json:"phases" help:"which"`
	Names  map[string]string `json:"names" help:"a|b"`
	Path   string            `json:"path" flag:"-" help:"where"`
	Many   int               `json:"many" help:"how many"`
}

func (*config) Process(cli.Call) (string, error) { return "", nil }

func fake() cli.Function {
	return cli.Function{Name: "fake", Config: func() cli.Config { return &config{Phases: []string{"a", "b"}, Many: 3} }}
}

// Descriptions in the table are kept, everything else comes from the code, and rows of removed fields are removed.
func TestTable(t *testing.T) {
	t.Parallel()
	rows, rest := leadingRows("| `many` | `--much` | 7 | so many |\n| `gone` | | | x |\n\nmore\n")
	assert.Equal(t, "\nmore\n", rest)
	assert.Equal(t, "| `phases` | `--phases A,B` | `a,b` | which |\n| `names` | `--names KEY=VALUE` | | a\\|b |\n"+
		"| `path` | | | where |\n| `many` | `--many N` | `3` | so many |\n", table(t, fake(), rows))
}

func TestTranslate(t *testing.T) {
	t.Parallel()
	assert.Equal(t, object{
		"type": "object", "properties": object{
			"kind": object{"type": "string", "enum": []any{"X"}},
			"mode": object{"type": "string", "nullable": true, "enum": []any{"a", ""}},
			"map":  object{"type": "object", "additionalProperties": object{"type": "string", "pattern": "a"}},
		},
	}, translate(object{
		"$schema": "s", "title": "t", "type": "object", "additionalProperties": false, "properties": object{
			"kind": object{"const": "X"},
			"mode": object{"type": []any{"string", "null"}, "enum": []any{"a", "", nil}},
			"map": object{
				"type": "object", "propertyNames": object{"pattern": "b"},
				"additionalProperties": object{"type": "string", "pattern": "a", "patternErrorMessage": "m"},
			},
		},
	}))
	assert.Equal(t, 3, typed(t, "integer", "3"))
	assert.Equal(t, []string{"a", "b"}, typed(t, "array", "a,b"))
	assert.Equal(t, true, typed(t, "boolean", "true"))
}
