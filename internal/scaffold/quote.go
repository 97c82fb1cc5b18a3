package scaffold

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/internal/yamlprint"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// quote returns a text as a YAML string in one line, in quotes if a reader could misread it without them.
func quote(text string) (string, error) {
	key := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "k"}
	value := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	var read string
	if isAmbiguous := len(strictyaml.Into(value, "", &read)) > 0; isAmbiguous || strings.ContainsAny(text, "\n\t") {
		value.Style = yaml.DoubleQuotedStyle
	}
	line, err := yamlprint.Encode(&yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{key, value}})
	if err != nil {
		return "", err
	}
	line, isValue := bytes.CutPrefix(bytes.TrimSuffix(line, []byte("\n")), []byte("k: "))
	if !isValue || bytes.ContainsRune(line, '\n') {
		return "", fmt.Errorf("%q must be a text that YAML has in one line", text)
	}
	return string(line), nil
}

// checkText checks a text that becomes a value of a document: characters that YAML readers read differently are not
// allowed.
func checkText(wrong *krm.OptionErrors, option krm.Path, text string) {
	if !utf8.ValidString(text) {
		wrong.Add(option, "must be UTF-8, not %q", text)
		return
	}
	_, refused := yamlprint.Refused([]byte(text))
	for _, r := range text {
		if refused == "" && strings.ContainsRune("\r\u0085\u2028\u2029\ufeff", r) {
			refused = yamlprint.CharacterName(r)
		}
	}
	if refused != "" {
		wrong.Add(option, "must not hold %s as %q does", refused, text)
	}
}
