package validate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// commented is a plugin with places for comments: {image}, {above}, {key}, {in} and {before}.
const commented = `apiVersion: resourceplugins.dev/v1alpha1
kind: ResourcePlugin
metadata:
  name: hello-db@1.0.0
spec:
  runner:
    {above}
    image: Ubuntu {image}
  create:
  - name: hello
    {before}
    script: | {key}
      #!/bin/sh
      echo one
      if true; then {in}
      # done
      echo two
`

const (
	imageError  = "image-reference spec.runner.image"
	scriptError = "script-syntax spec.create[0].script"
)

func TestSuppress(t *testing.T) {
	t.Parallel()
	const unknown = `: there is no rule "image-references": did you mean "image-reference"? validate-plugin --explain lists all`
	for name, c := range map[string]struct {
		comments map[string]string
		kept     []string
		reasons  []string
	}{
		"none": {nil, []string{scriptError, imageError}, nil},
		"beside the line": {
			map[string]string{"image": "# krm-functions: ignore image-reference the registry accepts it"},
			[]string{scriptError},
			[]string{"the registry accepts it"},
		},
		"above the line": {
			map[string]string{"above": "# krm-functions: ignore image-reference why"},
			[]string{scriptError},
			[]string{"why"},
		},
		"above other comments": {
			map[string]string{"above": "# krm-functions: ignore image-reference why\n    # more\n    # and more"},
			[]string{scriptError},
			[]string{"why"},
		},
		"above a blank line": {
			map[string]string{"above": "# krm-functions: ignore image-reference why\n"},
			[]string{scriptError, imageError},
			nil,
		},
		"without blanks":   {map[string]string{"image": "#krm-functions:ignore image-reference why"}, []string{scriptError}, []string{"why"}},
		"of a longer form": {map[string]string{"image": "## krm-functions:  ignore\timage-reference\twhy  "}, []string{scriptError}, []string{"why"}},
		"several rules": {
			map[string]string{"image": "# krm-functions: ignore type,image-reference , required why not"},
			[]string{scriptError},
			[]string{"why not"},
		},
		"another line": {
			map[string]string{"key": "# krm-functions: ignore image-reference why"},
			[]string{scriptError, imageError},
			nil,
		},
		"another rule": {
			map[string]string{"image": "# krm-functions: ignore script-syntax why"},
			[]string{scriptError, imageError},
			nil,
		},
		"where a block scalar begins": {
			map[string]string{"key": "# krm-functions: ignore script-syntax a template"}, []string{imageError}, []string{"a template"},
		},
		"above a block scalar": {
			map[string]string{"before": "# krm-functions: ignore script-syntax a template"}, []string{imageError}, []string{"a template"},
		},
		"in a script": {
			map[string]string{"in": "# krm-functions: ignore script-syntax a template"}, []string{imageError}, []string{"a template"},
		},
		"no comment": {
			map[string]string{"in": "'x'#krm-functions: ignore script-syntax why"}, []string{scriptError, imageError}, nil,
		},
		"no reason": {
			map[string]string{"image": "# krm-functions: ignore image-reference"},
			[]string{`suppression-form : comment must name a rule and a reason: "# krm-functions: ignore RULE reason"`, scriptError, imageError},
			nil,
		},
		"no rule": {
			map[string]string{"image": "# krm-functions: ignore"},
			[]string{`suppression-form : comment must name a rule and a reason: "# krm-functions: ignore RULE reason"`, scriptError, imageError},
			nil,
		},
		"another word": {
			map[string]string{"image": "# krm-functions: ignroe image-reference why"},
			[]string{
				`suppression-form : comment must be "# krm-functions: ignore RULE reason", not "krm-functions: ignroe"`,
				scriptError, imageError,
			},
			nil,
		},
		"an unknown rule": {
			map[string]string{"image": "# krm-functions: ignore image-references why"},
			[]string{"suppression-form " + unknown, scriptError, imageError},
			nil,
		},
		"an unknown rule beside another": {
			map[string]string{"image": "# krm-functions: ignore image-references,image-reference why"},
			[]string{"suppression-form " + unknown, scriptError},
			[]string{"why"},
		},
		"a gate": {
			map[string]string{"image": "# krm-functions: ignore immutable-version,image-reference why"},
			[]string{`suppression-refused : rule "immutable-version" must not be suppressed by a comment: remove the comment`, scriptError},
			[]string{"why"},
		},
		"a rule about comments": {
			map[string]string{"image": "# krm-functions: ignore suppression-unused why"},
			[]string{
				`suppression-refused : rule "suppression-unused" must not be suppressed by a comment: remove the comment`,
				scriptError, imageError,
			},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kept, reasons := suppressed(t, validate.Options{}, c.comments)
			assert.Equal(t, c.reasons, reasons)
			require.Len(t, kept, len(c.kept), "%q", kept)
			for i, line := range kept {
				assert.Contains(t, line, c.kept[i])
			}
		})
	}
}

// An unused comment is reported only if its document has no errors, which may hide the finding that it suppresses.
func TestSuppressionsWithoutUse(t *testing.T) {
	t.Parallel()
	right := map[string]string{
		"image": "# krm-functions: ignore image-reference,script-syntax a",
		"in":    "# krm-functions: ignore script-syntax b",
	}
	unused := `suppression-unused : comment suppresses nothing: there is no finding of rule "script-syntax" here; remove it`
	for _, c := range []struct {
		options validate.Options
		want    []string
	}{
		{validate.Options{}, []string{"warning " + unused}},
		{validate.Options{Strict: true}, []string{"error " + unused}},
		{validate.Options{Rules: map[string]string{"suppression-unused": "off"}}, nil},
		{validate.Options{Rules: map[string]string{"script-syntax": "off"}}, nil},
	} {
		kept, reasons := suppressed(t, c.options, right)
		assert.Equal(t, c.want, kept)
		assert.Contains(t, reasons, "a")
	}
	kept, _ := suppressed(t, validate.Options{}, map[string]string{"image": "# krm-functions: ignore type why"})
	assert.Len(t, kept, 2, "%q", kept)
}

// Lines are counted within an item, regardless of the text above it. A list that is not in block style, which no
// orchestrator sends, is parsed as a whole, and its comments have no effect.
func TestSuppressInLists(t *testing.T) {
	t.Parallel()
	body := fill(map[string]string{
		"above": "# krm-functions: ignore image-reference a", "in": "# krm-functions: ignore script-syntax b",
	})
	element := "- " + strings.ReplaceAll(strings.TrimSuffix(body, "\n"), "\n", "\n  ") + "\n"
	const head = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"
	items := head + "items:\n" + element + strings.ReplaceAll(element, "hello-db", "hi")
	for name, c := range map[string]struct {
		text             string
		kept, suppressed int
	}{
		"items":        {items, 0, 4},
		"with CRLF":    {strings.ReplaceAll(items, "\n", "\r\n"), 0, 4},
		"a whole list": {strings.Replace(items, "items:", "x: &a {}\ny: *a\nitems:", 1), 4, 0},
	} {
		list, err := krm.Parse([]byte(c.text))
		require.NoError(t, err, name)
		report, err := validate.Check(list, validate.Options{})
		require.NoError(t, err, name)
		kept, found := validate.Suppress(list, report.Results, validate.Options{})
		assert.Len(t, kept, c.kept, name)
		assert.Len(t, found, c.suppressed, name)
	}
}

// suppressed returns the remaining findings of the commented plugin, and the reasons of the suppressed ones.
func suppressed(t *testing.T, options validate.Options, comments map[string]string) (kept, reasons []string) {
	t.Helper()
	item, err := krm.NewItem([]byte(fill(comments)))
	require.NoError(t, err)
	list := krm.NewList(item)
	report, err := validate.Check(list, options)
	require.NoError(t, err)
	results, found := validate.Suppress(list, report.Results, options)
	for _, r := range results {
		path := ""
		if r.Field != nil {
			path = r.Field.Path
		}
		kept = append(kept, fmt.Sprintf("%s %s %s: %s", r.Severity, r.Tags[krm.RuleTag], path, r.Message))
	}
	for _, one := range found {
		reasons = append(reasons, one.Reason)
	}
	return kept, reasons
}

func fill(comments map[string]string) string {
	text := commented
	for _, place := range []string{"above", "image", "before", "key", "in"} {
		text = strings.ReplaceAll(text, "{"+place+"}", comments[place])
	}
	return text
}
