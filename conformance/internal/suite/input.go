package suite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Data holds the user's input to the suite: texts of YAML or JSON.
type Data struct {
	Config  []byte   // the functionConfig with which the function does its work
	Items   [][]byte // items that it works on, one document each
	Invalid []byte   // a ResourceList that it must reject
}

// Bytes returns the input of a run, and false if the user has not given the data that it needs.
func (r Run) Bytes(data Data) ([]byte, bool, error) {
	if r.File == "invalid" {
		return data.Invalid, data.Invalid != nil, nil
	}
	text := r.Input
	if text == "" {
		plain, err := files.ReadFile("plain.yaml")
		if err != nil {
			return nil, false, err
		}
		text = string(plain)
	}
	if r.Size > 0 {
		head, _, _ := strings.Cut(text, "items:\n")
		text = head + "items:\n" + manyItems(r.Size) + "${items}\n"
	}
	config, err := r.config(data.Config)
	if err != nil {
		return nil, false, err
	}
	if config == "" {
		text = strings.NewReplacer("functionConfig: ${config}\n", "", "functionConfig: ${config},", "").Replace(text)
	}
	flow, err := flowItems(data.Items)
	if err != nil {
		return nil, false, err
	}
	text = strings.NewReplacer("${config}", config, "    ${items}\n", blockItems("    ", data.Items),
		"${items}\n", blockItems("", data.Items), "${, items}", flow).Replace(text)
	input, err := form(r.Form, []byte(text))
	return input, true, err
}

// config returns the functionConfig in one line, which is JSON and so YAML too; empty without a functionConfig.
func (r Run) config(given []byte) (string, error) {
	switch r.Config {
	case "", "given":
		if given == nil {
			return "", nil
		}
		text, err := toJSON(given)
		return string(text), err
	case "absent":
		return "", nil
	case "null":
		return "null", nil
	case "empty":
		return "{}", nil
	case "function-input":
		return `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "function-input"}, "data": {}}`, nil
	case "unknown-kind":
		return `{"apiVersion": "conformance.example.com/v1", "kind": "Unknown", "metadata": {"name": "unknown"}}`, nil
	}
	return "", fmt.Errorf("unknown config %q", r.Config)
}

// blockItems returns items as elements of a list, with their comments.
func blockItems(indent string, items [][]byte) string {
	var out strings.Builder
	for _, item := range items {
		for i, line := range strings.Split(strings.TrimRight(string(item), "\n"), "\n") {
			switch {
			case i == 0:
				out.WriteString(indent + "- ")
			case line != "":
				out.WriteString(indent + "  ")
			}
			out.WriteString(line + "\n")
		}
	}
	return out.String()
}

// flowItems returns items as the further elements of a list in flow style.
func flowItems(items [][]byte) (string, error) {
	var out strings.Builder
	for _, item := range items {
		text, err := toJSON(item)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&out, ", %s", text)
	}
	return out.String(), nil
}

// form writes an input in another form.
func form(name string, input []byte) ([]byte, error) {
	switch name {
	case "":
		return input, nil
	case "json":
		return toJSON(input)
	case "crlf":
		return bytes.ReplaceAll(input, []byte("\n"), []byte("\r\n")), nil
	case "bom":
		return append([]byte("\xef\xbb\xbf"), input...), nil
	case "no-final-newline":
		return bytes.TrimRight(input, "\n"), nil
	case "not-utf8":
		return bytes.ReplaceAll(input, []byte("NOT-UTF8"), []byte{0xff, 0xfe}), nil
	}
	return nil, fmt.Errorf("unknown form %q", name)
}

// toJSON returns a YAML document as JSON in one line.
func toJSON(text []byte) ([]byte, error) {
	var value any
	if err := yaml.Unmarshal(text, &value); err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

// manyItems returns n items of about 300 bytes.
func manyItems(n int) string {
	var out strings.Builder
	for i := range n {
		out.WriteString("- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: item-" + strconv.Itoa(i) +
			"\n    namespace: conformance\n    annotations:\n      internal.config.kubernetes.io/path: many.yaml\n" +
			"      internal.config.kubernetes.io/index: '" + strconv.Itoa(i) + "'\n" +
			"      config.kubernetes.io/path: many.yaml\n      config.kubernetes.io/index: '" + strconv.Itoa(i) + "'\n" +
			"  data:\n    key: value-" + strconv.Itoa(i) + "\n")
	}
	return out.String()
}
