package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/internal/yamlprint"
)

// sourceDefault is the source of what neither a flag nor a file has set.
const sourceDefault = "default"

// Setting is a value that is in force, and where it is from: a flag, FILE:LINE, or "default".
type Setting struct{ Value, Source string }

// Settings are what is in force for a command, as YAML with the sources in comments. Keys are printed in the order of the
// calls.
type Settings struct{ text strings.Builder }

// Text returns the YAML below a line that names the command and the project file, empty if there is none.
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

func (s *Settings) line(text, source string) {
	fmt.Fprintf(&s.text, "%s # %s\n", text, report.Printable(source))
}
