package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// printText prints a line a finding; for people with the line of the source below it.
func printText(out io.Writer, r *report) error {
	var lines strings.Builder
	for _, result := range r.results {
		lines.WriteString(line(result, r.look) + "\n")
		if r.look.context {
			lines.WriteString(r.excerpt(result))
		}
	}
	_, err := io.WriteString(out, lines.String())
	return err
}

// line words a result as `path:line:column: [severity] Kind/name field: message`, without what is not known.
func line(r krm.Result, l look) string {
	var b strings.Builder
	if place := placeText(r); place != "" {
		b.WriteString(l.paint(bold, printable(place)+":") + " ")
	}
	severity := r.Severity
	if severity == "" {
		severity = krm.Error
	}
	return b.String() + l.paint(colorOf(severity), "["+printable(string(severity))+"]") + " " + told(r)
}

// told is a result's subject and message, in one line.
func told(r krm.Result) string {
	if subject := subjectOf(r); subject != "" {
		return subject + ": " + printable(r.Message)
	}
	return printable(r.Message)
}

// subjectOf names the object and the field of a result.
func subjectOf(r krm.Result) string {
	subject := subjectText(r.ResourceRef)
	if r.Field != nil && r.Field.Path != "" {
		subject = strings.TrimPrefix(subject+" "+r.Field.Path, " ")
	}
	return printable(subject)
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
