package process

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// printText prints a line a finding.
func printText(out io.Writer, results krm.Results, _ string) error {
	var lines strings.Builder
	for _, result := range results {
		lines.WriteString(line(result) + "\n")
	}
	_, err := io.WriteString(out, lines.String())
	return err
}

// line words a result as `path:line:column: [severity] Kind/name field: message`, without what is not known.
func line(r krm.Result) string {
	var b strings.Builder
	if place := placeText(r); place != "" {
		b.WriteString(place + ": ")
	}
	severity := r.Severity
	if severity == "" {
		severity = krm.Error
	}
	b.WriteString("[" + string(severity) + "] ")
	subject := subjectText(r.ResourceRef)
	if r.Field != nil && r.Field.Path != "" {
		subject = strings.TrimPrefix(subject+" "+string(r.Field.Path), " ")
	}
	if subject != "" {
		b.WriteString(subject + ": ")
	}
	b.WriteString(r.Message)
	return printable(b.String())
}

func placeText(r krm.Result) string {
	switch {
	case r.Place.File == "" && r.File != nil:
		return r.File.Path
	case r.Place.File == "" || r.Place.Line == 0:
		return r.Place.File
	case r.Place.Column == 0:
		return fmt.Sprintf("%s:%d", r.Place.File, r.Place.Line)
	}
	return fmt.Sprintf("%s:%d:%d", r.Place.File, r.Place.Line, r.Place.Column)
}

func subjectText(ref *krm.ResourceRef) string {
	switch {
	case ref == nil:
		return ""
	case ref.Name == "":
		return ref.Kind
	}
	return ref.Kind + "/" + ref.Name
}

// printable keeps a text in one line, and keeps what a document holds from steering the terminal.
func printable(text string) string {
	if strings.IndexFunc(text, unprintable) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if unprintable(r) {
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }
