package cli

import (
	"fmt"
	"strings"
)

// help is the text of --help. It is made to fit a screen.
func (r *run) help() string {
	var b strings.Builder
	b.WriteString(wrap(r.Name+" ", r.Purpose) + "\nusage:\n")
	fmt.Fprintf(&b, "  %-34s a ResourceList from stdin to stdout, for kustomize and kpt\n", r.Name)
	fmt.Fprintf(&b, "  %-34s files, folders or - for stdin; prints %s\n", r.Name+" [flags] PATH...", r.printed())
	if fields := fieldsOf(r.Config()); len(fields) > 0 {
		fmt.Fprintf(&b, "\nfields of the functionConfig (%s, keys in camelCase), and their flags:\n", r.Kind)
		writeFields(&b, fields)
	}
	b.WriteString("\nflags:\n")
	defaults := run{Function: r.Function, options: options{Output: outputText}}
	writeFields(&b, defaults.commonFlags())
	if r.Example != "" {
		b.WriteString("\nexample:\n")
		for line := range strings.SplitSeq(strings.TrimSpace(r.Example), "\n") {
			b.WriteString("  " + line + "\n")
		}
	}
	b.WriteString("\nexit code: 0 without an error finding, 1 with one, 2 if the call is wrong\n")
	return b.String()
}

func (r *run) printed() string {
	if r.Prints == Findings {
		return "findings"
	}
	return "documents"
}

// writeFields writes each field: how it is given, what it means, and the default.
func writeFields(b *strings.Builder, fields []field) {
	column := 0
	for _, f := range fields {
		column = max(column, len(f.usage()))
	}
	for _, f := range fields {
		margin := fmt.Sprintf("  %-*s  ", column, f.usage())
		b.WriteString(wrap(margin, f.help+f.defaultRemark()))
	}
}

// screen is how wide the help is, in characters.
const screen = 100

// wrap writes words behind a margin, with blanks of its width in front of further lines.
func wrap(margin, text string) string {
	var b strings.Builder
	line := margin
	for word := range strings.FieldsSeq(text) {
		if len(line)+len(word) > screen && len(line) > len(margin) {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			line = strings.Repeat(" ", len(margin))
		}
		line += word + " "
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
	return b.String()
}

// usage is how the field is given.
func (f field) usage() string {
	if f.flag == "" {
		return f.key + " (no flag)"
	}
	return "--" + f.flag + f.placeholder()
}

func (f field) defaultRemark() string {
	if text := f.defaultText(); text != "" {
		return " (default " + text + ")"
	}
	return ""
}
