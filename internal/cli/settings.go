package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/internal/yamlprint"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// sourceDefault is the source of values that neither a flag nor a file has set.
const sourceDefault = "default"

// Setting is a value that is in effect, and its source: a flag, FILE:LINE, or "default".
type Setting struct{ Value, Source string }

// Settings holds the values in effect for a command, as YAML with the sources in comments. Keys are printed in the order
// of the method calls.
type Settings struct{ text strings.Builder }

// Text returns the YAML below a line that names the command and the project file. The path of the project file may be
// empty.
func (s *Settings) Text(command, projectFile string) string {
	with := " without a project file"
	if projectFile != "" {
		with = " with " + report.Printable(projectFile)
	}
	return "# " + command + with + "\n" + s.text.String()
}

// String adds a string.
func (s *Settings) String(key string, of Setting) {
	s.line(key+": "+yamlprint.Quote(of.Value, 0), of.Source)
}

// List adds a list, which may be empty.
func (s *Settings) List(key string, elements []Setting) {
	if len(elements) == 0 {
		s.line(key+": []", sourceDefault)
		return
	}
	s.text.WriteString(key + ":\n")
	for _, one := range elements {
		s.line("- "+yamlprint.Quote(one.Value, 0), one.Source)
	}
}

// Map adds a mapping, which may be empty.
func (s *Settings) Map(key string, entries map[string]Setting) {
	if len(entries) == 0 {
		s.line(key+": {}", sourceDefault)
		return
	}
	s.text.WriteString(key + ":\n")
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		s.line("  "+yamlprint.Quote(name, 0)+": "+yamlprint.Quote(entries[name].Value, 0), entries[name].Source)
	}
}

// Variables adds the values of template variables.
func (s *Settings) Variables(values map[string]VariableValue) {
	all := map[string]Setting{}
	for name, value := range values {
		all[name] = Setting{value.Text, value.Source}
	}
	s.Map("values", all)
}

// Exclusions adds the patterns of the project file, and those of --exclude.
func (s *Settings) Exclusions(file *Project, flags ...string) {
	var all []Setting
	for _, e := range file.Exclusions() {
		for i, pattern := range e.Patterns {
			all = append(all, Setting{pattern, file.Place(krm.Path("exclude").Index(i))})
		}
	}
	for _, pattern := range flags {
		all = append(all, Setting{pattern, "--exclude"})
	}
	s.List("exclude", all)
}

// Catalogs adds the paths of the project file's catalogs.
func (s *Settings) Catalogs(file *Project, paths []string) {
	all := make([]Setting, len(paths))
	for i, path := range paths {
		all[i] = Setting{path, file.Place(krm.Path(keyCatalogs).Index(i))}
	}
	s.List(keyCatalogs, all)
}

func (s *Settings) line(text, source string) {
	fmt.Fprintf(&s.text, "%s # %s\n", text, report.Printable(source))
}
