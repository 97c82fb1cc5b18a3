package strictyaml

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/krm/field"
)

// IntoObject decodes a tree into a Kubernetes object, as strictly as the API server. It returns the tree as Kubernetes
// reads it: with aliases expanded, words of YAML 1.1 such as `yes` as booleans in boolean fields, and quantities as
// strings. Into's rules apply with these differences: whole numbers may have any form of YAML 1.1, such as 0400; null
// must not be in a list or a map; each element of a list that a strategic merge patch merges must have its merge key;
// and problems have lines.
func IntoObject(node *yaml.Node, base field.Path, target any) (*yaml.Node, []Problem) {
	return into(&decoder{object: true}, node, base, target)
}

// IntoPatch decodes a strategic merge patch of a Kubernetes object as IntoObject does. Nulls, which remove a field, and
// directives such as `$patch` are allowed.
func IntoPatch(node *yaml.Node, target any) []Problem {
	_, problems := into(&decoder{object: true, patch: true}, node, "", target)
	return problems
}

// directives are the keys of a strategic merge patch that are not fields; some are followed by a slash and a field
// (https://github.com/kubernetes/community/blob/master/contributors/devel/sig-api-machinery/strategic-merge-patch.md).
var directives = []string{"$patch", "$retainKeys", "$setElementOrder", "$deleteFromPrimitiveList"}

func isDirective(key string) bool {
	word, _, _ := strings.Cut(key, "/")
	return slices.Contains(directives, word)
}

// kubernetesType is a type of Kubernetes with its own JSON form. Its format is that of OpenAPI: "int-or-string", empty for
// a quantity, and "date-time".
type kubernetesType interface {
	json.Unmarshaler
	OpenAPISchemaFormat() string
}

// special decodes types of Kubernetes with their own JSON form. It returns false for other types.
func (d *decoder) special(node *yaml.Node, at *path, target reflect.Value) bool {
	special, isSpecial := target.Addr().Interface().(json.Unmarshaler)
	if !isSpecial {
		return false
	}
	switch known, _ := special.(kubernetesType); {
	case known != nil && known.OpenAPISchemaFormat() == "":
		d.quantity(node, at, special)
	case known != nil && known.OpenAPISchemaFormat() == "int-or-string":
		d.numberOrText(node, at, special)
	default: // a time, or managed fields
		d.report(RuleType, at, node, "must not be set: Kubernetes itself fills it in")
	}
	return true
}

// numberOrText decodes an IntOrString.
func (d *decoder) numberOrText(node *yaml.Node, at *path, target json.Unmarshaler) {
	value := reflect.New(reflect.TypeFor[string]())
	if node.ShortTag() == "!!int" {
		value = reflect.New(reflect.TypeFor[int32]())
	}
	d.scalar(node, *at, value.Elem())
	if text, err := json.Marshal(value.Interface()); err != nil || target.UnmarshalJSON(text) != nil {
		panic("strictyaml: a number and a string must be values of it")
	}
}

// exactDigits is the number of digits of an unquoted number that survive readers that use float64.
const exactDigits = 15

// maxExponent is the longest exponent of a quantity, with its sign: resource.ParseQuantity takes minutes for 1e-999999999.
const maxExponent = 4

// quantity decodes a quantity such as 100m. One that is written as a number becomes a string in the tree.
func (d *decoder) quantity(node *yaml.Node, at *path, target json.Unmarshaler) {
	tag, text := node.ShortTag(), node.Value
	if tag == "!!int" {
		text = decimal(node)
	}
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	digits := len(mantissa) - strings.Count(mantissa, ".") - strings.Count(mantissa, "-") - strings.Count(mantissa, "+")
	isNumber := tag == "!!int" || tag == "!!float" && digits <= exactDigits
	if node.Kind == yaml.ScalarNode && (isNumber || tag == "!!str") && len(exponent) <= maxExponent &&
		strings.ContainsAny(text, "0123456789") && strings.TrimSpace(text) == text {
		if target.UnmarshalJSON([]byte(`"`+text+`"`)) == nil {
			node.Tag, node.Value = "!!str", text
			return
		}
	}
	d.mistyped(at, node, "must be an amount such as 100m or 2Gi, not %s")
}

// decimal returns a whole number of YAML 1.1 as a decimal one, such as 256 for 0400, and other values unchanged.
func decimal(node *yaml.Node) string {
	var number int64
	hasInnerSign := strings.LastIndexAny(node.Value, "+-") > 0 // 0o-4 is a string to other readers
	if node.ShortTag() != "!!int" || hasInnerSign || node.Decode(&number) != nil {
		return node.Value
	}
	return strconv.FormatInt(number, 10)
}

// mergeKeys checks that the elements of a list that is merged by a key have distinct keys.
func (d *decoder) mergeKeys(list *yaml.Node, at *path, key string) {
	for i, element := range list.Content {
		value := field.Value(element, key)
		isReplaced := d.patch && field.Value(element, "$patch") != nil // such as {$patch: replace}
		if element.Kind == yaml.MappingNode && !isReplaced && (value == nil || isNull(value) || value.Value == "") {
			below := path{parent: at, list: true, index: i}
			d.report(RuleRequired, &path{parent: &below, key: key}, element, "must be set")
		}
	}
}
