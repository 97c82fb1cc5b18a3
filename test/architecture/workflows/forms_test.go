package workflows

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// form is an issue form: https://docs.github.com/en/communities/using-templates-to-encourage-useful-issues-and-pull-requests/syntax-for-issue-forms.
type form struct {
	Name        string      `json:"name"`
	Description string      `json:"description"`
	Labels      []string    `json:"labels"`
	Body        []formField `json:"body"`
}

type formField struct {
	Type       string `json:"type"`
	ID         string `json:"id"`
	Attributes struct {
		Label       string `json:"label"`
		Description string `json:"description"`
		Placeholder string `json:"placeholder"`
		Render      string `json:"render"`
		Value       string `json:"value"`
		Options     []any  `json:"options"`
	} `json:"attributes"`
	Validations struct {
		Required bool `json:"required"`
	} `json:"validations"`
}

// GitHub shows a form with a mistake as a blank page without a message.
func TestIssueForms_areForms(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(checkout.Root(), ".github", "ISSUE_TEMPLATE", "*.yml"))
	require.NoError(t, err)
	names := map[string]bool{}
	for _, file := range files {
		if filepath.Base(file) == "config.yml" {
			continue
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var f form
		require.NoError(t, yaml.UnmarshalStrict(text, &f), file)
		assert.False(t, names[f.Name], "%s: names must be unique", file)
		names[f.Name] = true
		assert.NotEmpty(t, f.Description, file)
		questions, ids := 0, map[string]bool{}
		for _, field := range f.Body {
			assert.Contains(t, []string{"markdown", "input", "textarea", "dropdown", "checkboxes"}, field.Type, file)
			if field.Type == "markdown" {
				assert.NotEmpty(t, field.Attributes.Value, file)
				continue
			}
			questions++
			assert.Regexp(t, `^[\w-]+$`, field.ID, file)
			assert.False(t, ids[field.ID], "%s: %s", file, field.ID)
			ids[field.ID] = true
			assert.NotEmpty(t, field.Attributes.Label, file)
			choice := field.Type == "dropdown" || field.Type == "checkboxes"
			assert.Equal(t, choice, len(field.Attributes.Options) > 0, "%s: %s", file, field.ID)
		}
		assert.Positive(t, questions, file)
	}
	assert.GreaterOrEqual(t, len(names), 3)
}
