package krm

import (
	"fmt"
	"strings"
)

// TargetTag is the tag of a result whose field values are keys: with TargetKey they are the field's key, which must be
// renamed to the proposed value. Without the tag they are the field's values.
const (
	TargetTag = "target"
	TargetKey = "key"
)

// RuleTag is the tag of a result that has the id of its rule.
const RuleTag = "rule"

// Limits of the text that a result quotes, in bytes. A document with many findings, each of which quotes a long text,
// would become thousands of times as large. Names in Kubernetes have at most 253 bytes.
const (
	longestShown   = 200 // of a value
	longestName    = 253
	longestMessage = 2000
	longestFile    = 1000
)

// abridged returns a text of at most longest bytes, without its middle if needed.
func abridged(text string, longest int) string {
	if len(text) <= longest {
		return text
	}
	const gap = " … "
	end := (longest - len(gap)) / 3
	start := longest - len(gap) - end
	return strings.ToValidUTF8(text[:start], "") + gap + strings.ToValidUTF8(text[len(text)-end:], "")
}

// At returns a result about the field at path of item. An empty path means the whole object. The field's current value
// is filled in, as it was read, if it is a short scalar of one line.
func At(item *Item, path Path, severity Severity, message string) Result {
	result := about(item, path, severity, message)
	result.Place = item.PlaceOf(path)
	if path != "" {
		result.Field.CurrentValue = shown(item.scalar(path))
	}
	return result
}

// AtKey returns a result about the key at path of item: its position is the key's, and the field's values are keys.
func AtKey(item *Item, path Path, severity Severity, message string) Result {
	result := about(item, path, severity, message)
	result.Tags = map[string]string{}
	key, found := path.FindKey(item.YNode())
	if !found {
		result.Place = item.PlaceOf(path)
		return result
	}
	result.Place = item.placeOf(key)
	result.Field.CurrentValue = shown(key.Value)
	result.Tags[TargetTag] = TargetKey
	return result
}

// AtInside returns a result about a position inside the scalar at path of item, such as a line of a script: line and
// column are those of the scalar's value, counted from 1, columns in characters. Column 0 is the start of the line's
// text, and line 0 the whole scalar. If the position in a file is not known, the message begins with the line.
func AtInside(item *Item, path Path, line, column int, severity Severity, message string) Result {
	result := about(item, path, severity, message)
	if line < 1 {
		result.Place = item.PlaceOf(path)
		return result
	}
	result.inside = line
	place, known := item.PlaceInside(path, line, column)
	if result.Place = place; !known {
		result.Message = fmt.Sprintf("line %d: %s", line, message)
	}
	return result
}

func about(item *Item, path Path, severity Severity, message string) Result {
	ref := item.Ref()
	ref.Name, ref.Namespace = abridged(ref.Name, longestName), abridged(ref.Namespace, longestName)
	result := NewResult(severity, abridged(message, longestMessage))
	result.ResourceRef, result.File, result.order, result.item = &ref, item.file(), item.order, item
	if path != "" {
		result.Field = &Field{Path: string(path)}
	}
	return result
}

// shown omits scripts and other long texts from a result: orchestrators print the value in one line.
func shown(value any) any {
	if text, ok := value.(string); ok && (len(text) > longestShown || strings.ContainsAny(text, "\n\r")) {
		return nil
	}
	return value
}
