package strictyaml

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

func (d *decoder) scalar(node *yaml.Node, at path, target reflect.Value) {
	switch target.Kind() {
	case reflect.String:
		d.text(node, at, target)
	case reflect.Bool:
		d.boolean(node, at, target)
	case reflect.Int, reflect.Int32, reflect.Int64:
		d.number(node, at, target)
	default:
		panic("strictyaml: cannot decode " + target.Type().String())
	}
}

func (d *decoder) boolean(node *yaml.Node, at path, target reflect.Value) {
	if d.object && isOldBoolean(node) {
		isTrue := slices.Contains([]string{"y", "yes", "on"}, strings.ToLower(node.Value))
		node.Tag, node.Value = "!!bool", strconv.FormatBool(isTrue)
	}
	flag, err := strconv.ParseBool(node.Value)
	if node.Kind != yaml.ScalarNode || node.ShortTag() != "!!bool" || err != nil {
		d.mistyped(&at, node, "must be true or false, not %s")
		return
	}
	target.SetBool(flag)
}

// number decodes decimal numbers only: YAML readers disagree on others, such as 010 and 1_000. Those of Kubernetes agree.
func (d *decoder) number(node *yaml.Node, at path, target reflect.Value) {
	text := node.Value
	if d.object {
		text = decimal(node)
	}
	number, err := strconv.ParseInt(text, 10, target.Type().Bits())
	switch {
	case node.Kind == yaml.ScalarNode && errors.Is(err, strconv.ErrRange):
		d.mistyped(&at, node, "must be a number of at most %d bits, not %s", target.Type().Bits())
	case node.Kind != yaml.ScalarNode || node.ShortTag() != "!!int" || err != nil:
		d.mistyped(&at, node, "must be a whole number, not %s")
	case isOctal(text):
		d.report(RuleAmbiguous, &at, node, "%s is octal to some YAML readers: write it without the leading zero", node.Value)
	default:
		target.SetInt(number)
	}
}

// unquoted returns the number that a string of digits represents, and reports that it is quoted. Other values are
// returned unchanged.
func (d *decoder) unquoted(node *yaml.Node, at *path) *yaml.Node {
	isDigits := node.Value != "" && strings.Trim(node.Value, "0123456789") == "" && !isOctal(node.Value)
	number, err := strconv.ParseInt(node.Value, 10, 32)
	if node.Kind != yaml.ScalarNode || node.ShortTag() != "!!str" || !isDigits || err != nil {
		return node
	}
	problem := d.report(RuleQuoted, at, node, "the string %q is taken for a number", node.Value)
	problem.Severity, problem.Proposed = SeverityWarning, number
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: node.Value, Line: node.Line, Column: node.Column}
}

// quoted returns the string that a number is written as, and reports that it should be quoted: YAML readers that keep
// the number print 0.30 as 0.3. Other values are returned unchanged.
func (d *decoder) quoted(node *yaml.Node, at *path) *yaml.Node {
	if tag := node.ShortTag(); node.Kind != yaml.ScalarNode || node.Style != 0 || tag != "!!int" && tag != "!!float" {
		return node
	}
	problem := d.report(RuleUnquoted, at, node, "the number %s is taken for a string: quote it", oneLine(node.Value))
	problem.Severity, problem.Proposed = SeverityWarning, node.Value
	return &yaml.Node{
		Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle, Value: node.Value,
		Line: node.Line, Column: node.Column,
	}
}

func isOctal(decimal string) bool {
	digits := strings.TrimLeft(decimal, "+-")
	return len(digits) > 1 && digits[0] == '0'
}

func (d *decoder) text(node *yaml.Node, at path, target reflect.Value) {
	tag := node.ShortTag()
	switch {
	case node.Kind != yaml.ScalarNode:
		d.mistyped(&at, node, "must be a string, not %s")
		return
	case tag == "!!merge": // a plain << outside of keys
	case tag != "!!str" && tag != "!!timestamp":
		d.mistyped(&at, node, "must be a string, not %s: quote it")
		return
	case isOldBoolean(node):
		d.report(RuleAmbiguous, &at, node, "%q is a boolean to some YAML readers: quote it", node.Value)
	case d.object: // Kubernetes takes dates and times for strings
	case tag == "!!timestamp":
		d.report(RuleAmbiguous, &at, node, "%q is a date to some YAML readers: quote it", node.Value).Severity = SeverityWarning
	case node.Style == 0 && isSexagesimal(node.Value):
		d.report(RuleAmbiguous, &at, node, "%q is a number to some YAML readers: quote it", node.Value).Severity = SeverityWarning
	}
	target.SetString(node.Value)
}

// isOldBoolean reports whether a scalar is a boolean in YAML 1.1, which Signadot's loader and kubectl read, and a string in
// YAML 1.2.
func isOldBoolean(node *yaml.Node) bool {
	if node.Kind != yaml.ScalarNode || node.Style != 0 || node.ShortTag() != "!!str" {
		return false
	}
	switch node.Value {
	case "y", "Y", "yes", "Yes", "YES", "n", "N", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF":
		return true
	}
	return false
}

// isSexagesimal reports whether a plain scalar is a number of base 60 in YAML 1.1, such as 12:30. Signadot's loader
// reads it as a string, others do not.
func isSexagesimal(plain string) bool {
	parts := strings.Split(strings.TrimLeft(plain, "+-"), ":")
	for i, part := range parts {
		whole, fraction, _ := strings.Cut(part, ".")
		if i < len(parts)-1 && whole != part || strings.Trim(whole+fraction, "0123456789_") != "" || whole == "" {
			return false
		}
		if i > 0 && (len(whole) > 2 || len(whole) == 2 && whole[0] > '5') {
			return false
		}
	}
	return len(parts) > 1 && parts[0][0] != '_'
}

func isNull(node *yaml.Node) bool { return node.Kind == yaml.ScalarNode && node.ShortTag() == "!!null" }

// isEmpty reports whether a value is the empty string.
func isEmpty(node *yaml.Node) bool {
	return node.Kind == yaml.ScalarNode && node.Value == "" && node.ShortTag() == "!!str"
}

// describe describes a value in a message, with the text of a scalar.
func describe(node *yaml.Node) string {
	switch node.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	default:
		return describeScalar(node)
	}
}

func describeScalar(node *yaml.Node) string {
	switch tag := node.ShortTag(); tag {
	case "!!int", "!!float":
		return "the number " + oneLine(node.Value)
	case "!!bool":
		return "the boolean " + oneLine(node.Value)
	case "!!null":
		return "null"
	case "!!str":
		return fmt.Sprintf("the string %q", shortened(node.Value))
	case "!!timestamp":
		return fmt.Sprintf("the date %q", node.Value)
	default:
		return fmt.Sprintf("%q with the tag %q", shortened(node.Value), shortened(tag))
	}
}

// oneLine returns a value without line feeds: with an explicit tag any text can be a number.
func oneLine(text string) string { return shortened(strings.Join(strings.Fields(text), " ")) }

// shortened keeps a message readable for any document.
func shortened(text string) string {
	const longest = 60
	if len(text) <= longest {
		return text
	}
	cut := longest
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}
