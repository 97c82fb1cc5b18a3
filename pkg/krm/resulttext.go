package krm

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// json writes the results as JSON, in the order of the specification's fields.
func (r Results) json() (string, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode([]Result(r)); err != nil {
		return "", err
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

// yaml writes the field `results` as block YAML.
func (r Results) yaml() string {
	var out strings.Builder
	out.WriteString("results:\n")
	for _, one := range r {
		lines := one.lines()
		out.WriteString("- " + strings.Join(lines, "\n  ") + "\n")
	}
	return out.String()
}

func (r Result) lines() []string {
	lines := []string{pair("message", r.Message)}
	if r.Severity != "" {
		lines = append(lines, pair("severity", string(r.Severity)))
	}
	if ref := r.ResourceRef; ref != nil {
		lines = append(lines, "resourceRef:",
			"  "+pair("apiVersion", ref.APIVersion), "  "+pair("kind", ref.Kind), "  "+pair("name", ref.Name))
		if ref.Namespace != "" {
			lines = append(lines, "  "+pair("namespace", ref.Namespace))
		}
	}
	if field := r.Field; field != nil {
		lines = append(lines, "field:", "  "+pair("path", string(field.Path)))
		lines = append(lines, values("currentValue", field.CurrentValue)...)
		lines = append(lines, values("proposedValue", field.ProposedValue)...)
	}
	if file := r.File; file != nil {
		lines = append(lines, "file:", "  "+pair("path", file.Path))
		if file.Index != 0 {
			lines = append(lines, "  index: "+strconv.Itoa(file.Index))
		}
	}
	if len(r.Tags) > 0 {
		lines = append(lines, "tags:")
	}
	for _, key := range slices.Sorted(maps.Keys(r.Tags)) {
		lines = append(lines, "  "+pair(quote(key, 0), r.Tags[key]))
	}
	return lines
}

func pair(key, value string) string { return key + ": " + quote(value, 0) }

// values writes a field's value in one line, none where there is no value.
func values(key string, value any) []string {
	switch value := value.(type) {
	case nil:
		return nil
	case string:
		return []string{"  " + pair(key, value)}
	}
	text, err := json.Marshal(value)
	if err != nil {
		text = []byte(`"(not printable)"`)
	}
	return []string{"  " + key + ": " + string(text)}
}
