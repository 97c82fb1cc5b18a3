package load

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
)

// canBeDocument reports whether a text may be an object or a native document, by its keys at the top, without parsing it:
// most files of a folder are neither, and some are large.
func canBeDocument(text []byte) bool {
	keys, sure := topKeys(text)
	return !sure || slices.ContainsFunc(keys, isTopKey) || interpreter().Match(text) || isUnmistakable(text)
}

// isTopKey reports whether a key at the top is one of documents, perhaps misspelled, but for `name`, which anything has.
func isTopKey(key string) bool {
	near, _ := strictyaml.Nearest(key, []string{"spec"})
	return key == "apiVersion" || key == "kind" || key == vendorSettings || near != ""
}

// topKeys returns the keys at the top of a text, and false if it is not written in a way that shows them.
func topKeys(text []byte) (keys []string, sure bool) {
	if trimmed := bytes.TrimSpace(text); len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[') {
		return topKeysJSON(trimmed)
	}
	margin := -1
	for line := range bytes.Lines(text) {
		trimmed := bytes.TrimSpace(line)
		indent := len(line) - len(bytes.TrimLeft(line, " "))
		if isBlank(line) || margin >= 0 && indent > margin {
			continue
		}
		match := topKey().FindSubmatch(trimmed)
		switch {
		case margin >= 0 && indent < margin, match == nil && (margin < 0 || bytes.IndexByte([]byte("-]}"), trimmed[0]) < 0):
			return nil, false
		case match != nil:
			keys = append(keys, string(match[1]))
		default: // of a list, or of a value in flow style
		}
		margin = indent
	}
	return keys, true
}

// topKey is a key that is written plainly, or quoted without escapes.
var topKey = lazily(`^["']?([A-Za-z0-9_./$-]+)["']?\s*:(?:\s|$)`)

// topKeysJSON returns the keys of a JSON object; a list has none.
func topKeysJSON(text []byte) (keys []string, sure bool) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	start, err := decoder.Token()
	if err != nil {
		return nil, false
	}
	if start != json.Delim('{') {
		return nil, json.Valid(text)
	}
	for decoder.More() {
		var value json.RawMessage
		token, err := decoder.Token()
		key, isKey := token.(string)
		if err != nil || !isKey || decoder.Decode(&value) != nil {
			return nil, false
		}
		keys = append(keys, key)
	}
	return keys, true
}
