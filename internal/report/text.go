package report

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// writeText prints one line for each finding, followed by the source if the style requires it.
func (r *Report) writeText(out io.Writer) error {
	var lines strings.Builder
	for _, result := range r.Results {
		lines.WriteString(Line(result, r.Style) + "\n")
		if r.Style.Context {
			lines.WriteString(r.excerpt(result))
		}
	}
	_, err := io.WriteString(out, WithoutCommands(lines.String()))
	return err
}

// Line returns a result as `path:line:column: [severity] Kind/name field: message (rule)`, without unknown parts.
func Line(result krm.Result, style Style) string {
	severity := cmp.Or(result.Severity, krm.Error)
	line := style.paint(colorOf(severity), "["+Printable(string(severity))+"]") + " " + message(result)
	if rule := result.Tags[krm.RuleTag]; rule != "" {
		line += " " + style.paint(blue, "("+Printable(rule)+")")
	}
	if place := PlaceText(result); place != "" {
		line = style.paint(bold, Printable(place)+":") + " " + line
	}
	return line
}

// message returns the object, the field and the message of a result on one line.
func message(result krm.Result) string {
	if subject := objectAndField(result); subject != "" {
		return subject + ": " + Printable(result.Message)
	}
	return Printable(result.Message)
}

// Change describes the change that a result proposes: `"tuh" becomes "the"`.
func Change(result krm.Result) string {
	what, field := "", result.Field
	if result.Tags[krm.TargetTag] == krm.TargetKey {
		what = "key "
	}
	proposed := fmt.Sprint(field.ProposedValue)
	if text, ok := field.ProposedValue.(string); ok {
		proposed = strconv.Quote(text)
	}
	return fmt.Sprintf("%s%q becomes %s", what, fmt.Sprint(field.CurrentValue), proposed)
}

// objectAndField returns the object and the field of a result.
func objectAndField(result krm.Result) string {
	text := ObjectText(result.ResourceRef)
	if result.Field != nil && result.Field.Path != "" {
		text = strings.TrimPrefix(text+" "+result.Field.Path, " ")
	}
	return Printable(text)
}

// PlaceText returns the place of a result as `path:line:column`, without unknown parts.
func PlaceText(result krm.Result) string {
	place := result.Place
	switch {
	case place.File == "" && result.File != nil:
		return result.File.Path
	case place.File == "" || place.Line == 0:
		return place.File
	case place.Column == 0:
		return fmt.Sprintf("%s:%d", place.File, place.Line)
	}
	return fmt.Sprintf("%s:%d:%d", place.File, place.Line, place.Column)
}

// ObjectText returns an object as `Kind/name`, empty for nil.
func ObjectText(ref *krm.ResourceRef) string {
	switch {
	case ref == nil:
		return ""
	case ref.Name == "":
		return ref.Kind
	}
	return ref.Kind + "/" + ref.Name
}
