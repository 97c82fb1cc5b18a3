package manual

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resource-plugins/krm-functions/internal/cli"
)

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
