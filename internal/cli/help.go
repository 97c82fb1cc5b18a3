package cli

import (
	"cmp"
	"fmt"
	"strings"
)

// help is the text of --help, which fits a screen, or of --help-all.
func (r *run) help() string {
	var b strings.Builder
	b.WriteString(wrap(r.Command+" ", r.Purpose) + "\nusage:\n")
	defaults := newRun(r.Function)
	r.writeUsage(&b, defaults)
	switch {
	case r.Groups == nil:
		b.WriteString("\nflags:\n")
		writeFields(&b, defaults.commonFlags())
	case r.HelpAll:
		for _, group := range r.Groups {
			if fields := group.fields(defaults.allFlags()); len(fields) > 0 {
				b.WriteString("\n" + group.Title + ":\n")
				writeFields(&b, fields)
			}
		}
	default:
		b.WriteString("\n" + r.Groups[0].Title + ":\n")
		writeFields(&b, r.Groups[0].fields(defaults.allFlags()))
	}
	if r.Example != "" {
		b.WriteString("\nexample:\n")
		for line := range strings.SplitSeq(strings.TrimSpace(r.Example), "\n") {
			b.WriteString("  " + r.Command + strings.TrimPrefix(line, r.Name) + "\n")
		}
	}
	b.WriteString("\nexit code: 0 without an error finding, 1 with one, 2 if the call is wrong\n")
	return b.String()
}

// writeUsage writes how the function is called, and the fields of its config.
func (r *run) writeUsage(b *strings.Builder, defaults *run) {
	if r.WithoutStdin {
		fmt.Fprintf(b, "  %-34s files, folders or - for stdin; default: the working folder\n", r.Command+" [flags] [PATH...]")
		return
	}
	fmt.Fprintf(b, "  %-34s a ResourceList from stdin to stdout, for kustomize and kpt\n", r.Command)
	fmt.Fprintf(b, "  %-34s files, folders or - for stdin; prints %s\n",
		r.Command+" [flags] PATH...", printedBy(defaults.modes[0]))
	if fields := fieldsOf(defaults.config); len(fields) > 0 {
		fmt.Fprintf(b, "\nfields of the functionConfig (%s, keys in camelCase), and their flags:\n", r.Kind)
		writeFields(b, fields)
	}
}

// printedBy returns a noun for the output of a mode.
func printedBy(mode Mode) string {
	switch mode := mode.(type) {
	case *Findings:
		return "findings"
	case *Printing:
		if !mode.Rendered {
			return "documents"
		}
	}
	return "objects"
}

// writeFields writes the usage, the description and the default of each field.
func writeFields(b *strings.Builder, fields []Field) {
	column := 0
	usages := make([]string, len(fields))
	for i, f := range fields {
		usages[i] = cmp.Or(f.Usage(), f.Key+" (no flag)")
		column = max(column, len(usages[i]))
	}
	for i, f := range fields {
		text := f.Help
		if value := f.Default(); value != "" && !f.value.IsZero() {
			text += " (default " + value + ")"
		}
		b.WriteString(wrap(fmt.Sprintf("  %-*s  ", column, usages[i]), text))
	}
}

// screen is the width of the help in characters.
const screen = 100

// wrap writes words after a margin, and indents further lines by its width.
func wrap(margin, text string) string {
	var b strings.Builder
	line := margin
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ' ' || r == '\n' }) {
		if len(line)+len(word) > screen && len(line) > len(margin) {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			line = strings.Repeat(" ", len(margin))
		}
		line += word + " "
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
	return b.String()
}
