// Package v0 has the types that crossplane v0.10.0 decoded the files of a package into. They are generated from its code and
// that of Kubernetes 1.18, since its output has the fields of these versions, no older and no newer ones. CheckCRD and
// CheckDeployment report whether it could decode a file.
package v0

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// Mismatch is a value of another type than v0.10.0 decoded it into.
type Mismatch struct {
	Field   string // the keys that lead to it, without list indexes; empty if that is not known
	Message string
}

// CheckCRD returns the reason why v0.10.0 could not decode a CRD, or nil if it could. It reports only the first reason.
func CheckCRD(text []byte) *Mismatch {
	return mismatchOf(yaml.Unmarshal(text, &CustomResourceDefinition{}))
}

// CheckDeployment is CheckCRD for a Deployment, where a number is no string.
func CheckDeployment(text []byte) *Mismatch {
	converted, err := yaml.YAMLToJSON(text)
	if err == nil {
		err = json.Unmarshal(converted, &Deployment{})
	}
	return mismatchOf(err)
}

func mismatchOf(err error) *Mismatch {
	var mismatch *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &mismatch):
		inner := err
		for errors.Unwrap(inner) != nil {
			inner = errors.Unwrap(inner)
		}
		return &Mismatch{Message: "must have values of the right type: " + inner.Error()}
	}
	keys := slices.DeleteFunc(strings.Split(mismatch.Field, "."), func(key string) bool {
		_, isEmbedded := GoNames[key]
		return isEmbedded
	})
	return &Mismatch{
		Field:   strings.Join(keys, "."),
		Message: fmt.Sprintf("must be %s, not %s", kindNames[mismatch.Type.Kind()], valueName(mismatch.Value)),
	}
}

// valueName names a value of JSON: encoding/json has its type, with the text of a number that does not fit.
func valueName(value string) string {
	switch kind, _, _ := strings.Cut(value, " "); kind {
	case "array":
		return "a list"
	case "object":
		return "a mapping"
	case "bool":
		return "a boolean"
	default:
		return "a " + kind
	}
}

// kindNames are the names of the YAML values for kinds of Go types.
var kindNames = map[reflect.Kind]string{
	reflect.Bool: "true or false", reflect.String: "a string", reflect.Float64: "a number",
	reflect.Int32: "a whole number", reflect.Int64: "a whole number",
	reflect.Slice: "a list", reflect.Map: "a mapping", reflect.Struct: "a mapping",
}
