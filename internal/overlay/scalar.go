package overlay

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

var wanted = [...]string{
	text: "a string", boolean: "true or false", int32Kind: "a whole number of 32 bits", int64Kind: "a whole number",
	quantity: "an amount such as 100m or 2Gi", intOrString: "a whole number or a string",
}

func (r *reader) scalar(node *yaml.Node, at krm.Path, k kind) (any, bool) {
	v := any(nil)
	if node.Kind == yaml.ScalarNode {
		v = convert(node, k)
	}
	if v == nil {
		hint := ""
		if _, isWord := word(node); (isWord || node.ShortTag() != "!!str") && node.Kind == yaml.ScalarNode && k == text {
			hint = ": quote it"
		}
		r.report(node, at, "must be %s, not %s%s", wanted[k], describe(node), hint)
	}
	return v, v != nil
}

// convert returns the value of a scalar, nil where it does not fit the kind.
func convert(node *yaml.Node, k kind) any {
	isText := node.ShortTag() == "!!str"
	flag, isWord := word(node)
	switch {
	case k == boolean && isWord:
		return flag
	case k == text && isText && !isWord:
		return node.Value
	case k == int32Kind, k == intOrString && !isText:
		return integer(node, 32)
	case k == int64Kind:
		return integer(node, 64)
	case k == intOrString && !isWord:
		return node.Value
	case k == quantity:
		return amount(node)
	}
	return nil
}

// word reads a plain word as kubectl does, which reads YAML 1.1: `yes`, `on` and `y` are booleans.
func word(node *yaml.Node) (flag bool, ok bool) {
	if node.Kind != yaml.ScalarNode || node.ShortTag() != "!!bool" && (node.ShortTag() != "!!str" || node.Style != 0) {
		return false, false
	}
	switch node.Value {
	case "true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON", "y", "Y":
		return true, true
	case "false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF", "n", "N":
		return false, true
	}
	return false, false
}

func integer(node *yaml.Node, bits int) any {
	var n int64
	signWithin := strings.LastIndexAny(node.Value, "+-") > 0 // 0o-4 is a string to other readers
	if node.ShortTag() != "!!int" || signWithin || node.Decode(&n) != nil || bits == 32 && n != int64(int32(n)) {
		return nil
	}
	return n
}

// exactDigits is how many digits of a number without quotes survive the readers that take it for a float64.
const exactDigits = 15

// maxExponent is the longest exponent of an amount, with its sign: ParseQuantity takes minutes for 1e-999999999.
const maxExponent = 4

func digits(text string) int {
	mantissa, _, _ := strings.Cut(strings.ToLower(text), "e")
	return len(mantissa) - strings.Count(mantissa, ".") - strings.Count(mantissa, "-") - strings.Count(mantissa, "+")
}

// amount reads a resource.Quantity: a decimal number with a suffix or an exponent.
func amount(node *yaml.Node) any {
	text := node.Value
	switch node.ShortTag() {
	case "!!int":
		n := integer(node, 64)
		if n == nil {
			return nil
		}
		text = strconv.FormatInt(n.(int64), 10)
	case "!!float":
		if digits(text) > exactDigits {
			return nil
		}
	case "!!str":
	default:
		return nil
	}
	if _, exponent, ok := strings.Cut(strings.ToLower(text), "e"); ok && len(exponent) > maxExponent {
		return nil
	}
	if _, err := resource.ParseQuantity(text); err != nil || !strings.ContainsAny(text, "0123456789") {
		return nil
	}
	return text
}
