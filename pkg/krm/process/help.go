package process

import (
	"fmt"
	"strings"
)

// help is the text of --help. It is made to fit a screen.
func (r *run) help() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n\nusage:\n", r.Name, r.Purpose)
	fmt.Fprintf(&b, "  %-34s a ResourceList from stdin to stdout, for kustomize and kpt\n", r.Name)
	fmt.Fprintf(&b, "  %-34s files, folders or - for stdin; prints %s\n", r.Name+" [flags] PATH...", r.printed())
	if fields := fieldsOf(r.Config()); len(fields) > 0 {
		fmt.Fprintf(&b, "\nfields of the functionConfig (%s), and their flags:\n", r.Kind)
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

// writeFields writes a line a field: the flag, what it means, the key of the functionConfig where that is spelt another
// way, and the default.
func writeFields(b *strings.Builder, fields []field) {
	width := 0
	for _, f := range fields {
		width = max(width, len(f.usage()))
	}
	for _, f := range fields {
		fmt.Fprintf(b, "  %-*s  %s%s\n", width, f.usage(), f.help, f.remark())
	}
}

// usage is how the field is given.
func (f field) usage() string {
	if f.flag == "" {
		return f.key + " (no flag)"
	}
	return "--" + f.flag + f.placeholder()
}

func (f field) remark() string {
	var remarks []string
	if f.flag != "" && f.flag != f.key && !f.common {
		remarks = append(remarks, "field "+f.key)
	}
	if text := f.defaultText(); text != "" {
		remarks = append(remarks, "default "+text)
	}
	if len(remarks) == 0 {
		return ""
	}
	return " (" + strings.Join(remarks, "; ") + ")"
}
