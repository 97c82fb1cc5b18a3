// Package scaffold creates the first files of plugins, sandboxes and tests from templates, and writes them without
// replacing a user's changes. The documents have no findings of validate-plugin, not even warnings, and they render.
//
// Plugin, Sandbox and Test hold the options of one document each, API those of all three. Project, Policy and Operator
// are other sets of templates: a folder for plugins, a ValidatingAdmissionPolicy, and Go code that renders plugins. The
// method Files of each returns texts; Write writes them to disk:
//
//	files, err := scaffold.Plugin{Name: "postgres-db", Outputs: []string{"host"}}.Files()
//	written, err := scaffold.Write(ctx, ".", files, scaffold.WriteOptions{})
package scaffold

import (
	"bytes"
	"embed"
	"maps"
	"slices"
	"strings"
	"text/template"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// Files are the contents of files by their slash-separated paths below a folder.
type Files map[string]string

// Paths returns the paths, sorted.
func (f Files) Paths() []string { return slices.Sorted(maps.Keys(f)) }

//go:embed templates/*.tmpl templates/project/*.tmpl templates/preview/*.tmpl templates/operator/*.tmpl
var sources embed.FS

// templates have the names of the files in the folder templates and below it.
var templates = template.Must(template.New("").Option("missingkey=error").
	Funcs(template.FuncMap{"yaml": quote, "createStep": func() string { return CreateStep }}).
	ParseFS(sources, "templates/*.tmpl", "templates/*/*.tmpl"))

// expand creates a file with one document from a template. In the template, values go through the function yaml, or
// must have been checked. The document must be valid: a finding at a field is an error of the field's option.
func expand(name, file string, data any, options map[krm.Path]krm.Path) (Files, error) {
	var out bytes.Buffer
	if err := templates.ExecuteTemplate(&out, name, data); err != nil {
		return nil, err
	}
	item, err := krm.NewItem(out.Bytes())
	if err != nil {
		return nil, err
	}
	report, err := validate.Check(krm.NewList(item), validate.Options{Strict: true})
	if err != nil {
		return nil, err
	}
	var wrong krm.OptionErrors
	for _, result := range report.Results {
		if result.Severity == krm.Error {
			wrong.Add(optionOf(result, options), "%s", result.Message)
		}
	}
	if len(wrong) > 0 {
		return nil, wrong
	}
	return Files{file: out.String()}, nil
}

// optionOf returns the option of a finding's field, or the field.
func optionOf(result krm.Result, options map[krm.Path]krm.Path) krm.Path {
	var field string
	if result.Field != nil {
		field = result.Field.Path
	}
	for _, path := range slices.Sorted(maps.Keys(options)) {
		if strings.HasPrefix(field, string(path)) {
			return options[path]
		}
	}
	return krm.Path(field)
}
