package strictyaml

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

func (d *decoder) scalar(node *yaml.Node, at place, target reflect.Value) {
	switch target.Kind() {
	case reflect.String:
		d.text(node, at, target)
	case reflect.Bool:
		d.boolean(node, at, target)
	case reflect.Int, reflect.Int32, reflect.Int64:
		d.number(node, at, target)
	default:
		panic("decode: no rule for " + target.Type().String())
	}
}

func (d *decoder) boolean(node *yaml.Node, at place, target reflect.Value) {
	flag, err := strconv.ParseBool(node.Value)
	if node.Kind != yaml.ScalarNode || node.ShortTag() != "!!bool" || err != nil {
		d.report(RuleType, &at, "must be true or false, not %s", describe(node))
		return
	}
	target.SetBool(flag)
}

// number takes decimal numbers only: readers disagree on the others, such as 010 and 1_000.
func (d *decoder) number(node *yaml.Node, at place, target reflect.Value) {
	number, err := strconv.ParseInt(node.Value, 10, target.Type().Bits())
	switch {
	case node.Kind == yaml.ScalarNode && errors.Is(err, strconv.ErrRange):
		d.report(RuleType, &at, "must be a number of at most %d bits, not %s", target.Type().Bits(), describe(node))
	case node.Kind != yaml.ScalarNode || node.ShortTag() != "!!int" || err != nil:
		d.report(RuleType, &at, "must be a whole number, not %s", describe(node))
	case isOctal(node.Value):
		d.report(RuleAmbiguous, &at, "%s is octal to some YAML readers: write it without the leading zero", node.Value)
	default:
		target.SetInt(number)
	}
}

func isOctal(decimal string) bool {
	digits := strings.TrimLeft(decimal, "+-")
	return len(digits) > 1 && digits[0] == '0'
}

func (d *decoder) text(node *yaml.Node, at place, target reflect.Value) {
	tag := node.ShortTag()
	switch plain := node.Style == 0; {
	case node.Kind != yaml.ScalarNode:
		d.report(RuleType, &at, "must be a string, not %s", describe(node))
		return
	case tag == "!!timestamp":
		d.report(RuleAmbiguous, &at, "%q is a date to some YAML readers: quote it", node.Value).Severity = krm.Warning
	case tag == "!!merge": // a plain << outside of keys
	case tag != "!!str":
		d.report(RuleType, &at, "must be a string, not %s: quote it", describe(node))
		return
	case plain && isOldBoolean(node.Value):
		d.report(RuleAmbiguous, &at, "%q is a boolean to some YAML readers: quote it", node.Value)
	case plain && isSexagesimal(node.Value):
		d.report(RuleAmbiguous, &at, "%q is a number to some YAML readers: quote it", node.Value).Severity = krm.Warning
	}
	target.SetString(node.Value)
}

// isOldBoolean tells whether a plain scalar is a boolean in YAML 1.1, which the vendor's loader reads, and a string in
// YAML 1.2.
func isOldBoolean(plain string) bool {
	switch plain {
	case "y", "Y", "yes", "Yes", "YES", "n", "N", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF":
		return true
	}
	return false
}

// isSexagesimal tells whether a plain scalar is a number of base 60 in YAML 1.1, such as 12:30. The vendor's loader does
// not read it so, others do.
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

// isNull looks through an alias.
func isNull(node *yaml.Node) bool {
	if node.Kind == yaml.AliasNode && node.Alias != nil {
		node = node.Alias
	}
	return node.Kind == yaml.ScalarNode && node.ShortTag() == "!!null"
}

// isEmpty tells whether a value is the empty string. It looks through an alias.
func isEmpty(node *yaml.Node) bool {
	if node.Kind == yaml.AliasNode && node.Alias != nil {
		node = node.Alias
	}
	return node.Kind == yaml.ScalarNode && node.Value == "" && node.ShortTag() == "!!str"
}

// describe names a value as a person would, with the text of a scalar.
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

// oneLine is a value without its line feeds: an explicit tag makes a number of any text.
func oneLine(text string) string { return shortened(strings.Join(strings.Fields(text), " ")) }

// shortened keeps a message readable whatever a document holds.
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

func enumerate(keys []string) string {
	quoted := make([]string, len(keys))
	for i, key := range keys {
		quoted[i] = strconv.Quote(key)
	}
	return strings.Join(quoted, ", ")
}
