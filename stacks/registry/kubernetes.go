package registry

import (
	"errors"
	"regexp"
	"strings"
	"sync"
)

// The types of Kubernetes with a custom JSON form, for package strictyaml. They hold no value: a Deployment is checked and
// kept as a tree. The types of k8s.io/api and apimachinery would more than double the size of the unpacker.
type (
	quantity    struct{}
	intOrString struct{}
	managed     struct{} // set by Kubernetes: a time or managed fields
)

// amount matches the texts that resource.ParseQuantity accepts, which treats a missing number before an exponent of -9 or
// more as 0.
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

// UnmarshalJSON accepts any value, as strictyaml has checked it.
func (*intOrString) UnmarshalJSON([]byte) error { return nil }

// UnmarshalJSON makes strictyaml refuse a value.
func (*managed) UnmarshalJSON([]byte) error { return nil }
