package documents

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Findings is an error that tells everything that is wrong with documents, a line each; what is only worth knowing is
// left out.
type Findings krm.Results

func (f Findings) Error() string {
	var lines []string
	for _, result := range f {
		if result.Severity != krm.Info {
			lines = append(lines, Line(result))
		}
	}
	return strings.Join(lines, "\n")
}

// refused returns the results as an error if one of them is.
func refused(results krm.Results) error {
	if results.Failed() {
		return Findings(results.Sort())
	}
	return nil
}

// Line words a result as `path:line:column: [severity] Kind/name field: message`, as file mode of the functions does.
func Line(r krm.Result) string {
	place := r.Place.File
	if place != "" && r.Place.Line > 0 {
		place = fmt.Sprintf("%s:%d:%d", place, r.Place.Line, max(r.Place.Column, 1))
	}
	if place != "" {
		place += ": "
	}
	subject := ""
	if r.ResourceRef != nil {
		subject = r.ResourceRef.Kind + "/" + r.ResourceRef.Name
	}
	if r.Field != nil && r.Field.Path != "" {
		subject += " " + r.Field.Path
	}
	if subject != "" {
		subject += ": "
	}
	return Printable(fmt.Sprintf("%s[%s] %s%s", place, cmp.Or(r.Severity, krm.Error), subject, r.Message))
}

// Printable keeps a text in one line, and keeps what a document holds from steering the terminal.
func Printable(text string) string {
	var b strings.Builder
	for _, r := range text {
		if !unicode.IsPrint(r) {
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
