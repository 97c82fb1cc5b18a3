package registry

import (
	"errors"
	"regexp"
	"strings"
	"sync"
)

// The types of Kubernetes with their own JSON form, for package strictyaml. They hold no value: a Deployment is checked and
// kept as a tree. The types of k8s.io/api and apimachinery would make the unpacker more than twice as large.
type (
	quantity    struct{}
	intOrString struct{}
	managed     struct{} // Kubernetes fills it in: a time, or who manages what
)

// amount matches what resource.ParseQuantity accepts; that takes a missing number before an exponent of -9 or more for 0.
var amount = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[+-]?(([0-9]+\.?[0-9]*|\.[0-9]+)([numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]+)?` +
		`|\.?[eE](\+?[0-9]+|-0*[0-9]))$`)
})

// OpenAPISchemaFormat returns the format of a quantity.
func (quantity) OpenAPISchemaFormat() string { return "" }

// UnmarshalJSON checks a quantity.
func (*quantity) UnmarshalJSON(text []byte) error {
	if !amount().MatchString(strings.Trim(string(text), `"`)) {
		return errors.New("must be a quantity")
	}
	return nil
}

// OpenAPISchemaFormat returns the format of an IntOrString.
func (intOrString) OpenAPISchemaFormat() string { return "int-or-string" }

// UnmarshalJSON accepts what strictyaml has checked.
func (*intOrString) UnmarshalJSON([]byte) error { return nil }

// UnmarshalJSON makes strictyaml refuse a value.
func (*managed) UnmarshalJSON([]byte) error { return nil }
