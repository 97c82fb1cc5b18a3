package tree

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Equal tells whether two trees mean the same to kubectl, which reads YAML into JSON: the order of keys and the way in which
// a number or a word is written do not count.
func Equal(a, b *yaml.Node) bool {
	if a.Kind != b.Kind || len(a.Content) != len(b.Content) {
		return false
	}
	if a.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(a.Content); i += 2 {
			at := Find(b, a.Content[i].Value)
			if at < 0 || !Equal(a.Content[i+1], b.Content[at+1]) {
				return false
			}
		}
		return true
	}
	for i := range a.Content {
		if !Equal(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return a.Kind != yaml.ScalarNode || scalar(a) == scalar(b)
}

// scalar returns a scalar's kind and its value in one form.
func scalar(node *yaml.Node) [2]string {
	tag, value := node.ShortTag(), node.Value
	if tag == "!!str" && node.Style == 0 && isWord(value) {
		tag = "!!bool"
	}
	switch tag {
	case "!!null":
		value = ""
	case "!!bool":
		value = strconv.FormatBool(isTrue(strings.ToLower(value)))
	case "!!int":
		if n, err := strconv.ParseInt(value, 0, 64); err == nil {
			value = strconv.FormatInt(n, 10)
		}
	case "!!float":
		if n, err := strconv.ParseFloat(value, 64); err == nil {
			value = strconv.FormatFloat(n, 'g', -1, 64)
		}
	}
	return [2]string{tag, value}
}

func isTrue(word string) bool { return word == "y" || word == "yes" || word == "on" || word == "true" }
