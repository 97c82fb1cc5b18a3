package v010

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// separator is in front of each object and at the end.
const separator = "\n---\n"

func write(out io.Writer, object any, what string) error {
	text, err := yaml.Marshal(object)
	if err != nil {
		return fmt.Errorf("could not marshal %s: %w", what, err)
	}
	_, err = out.Write(append(text, separator...))
	return err
}

// decode decodes YAML with the library that v0.10.0's is an older name of.
func decode(text []byte, target any) error {
	if err := yaml.Unmarshal(text, target); err != nil {
		return asInV010(err)
	}
	return nil
}

// Mismatch is a value of another type than v0.10.0 decoded it into.
type Mismatch struct {
	Field   string // the keys that lead to it, without list indexes; empty if that is not known
	Message string
}

// CheckCRD returns why v0.10.0 could not decode a CRD, nil if it could. It reports the first reason alone.
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
		_, isEmbedded := goNames[key]
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

// kindNames name what YAML has for a Go type.
var kindNames = map[reflect.Kind]string{
	reflect.Bool: "true or false", reflect.String: "a string", reflect.Float64: "a number",
	reflect.Int32: "a whole number", reflect.Int64: "a whole number",
	reflect.Slice: "a list", reflect.Map: "a mapping", reflect.Struct: "a mapping",
}

// typeName matches the name of a type of this package in the name of a type.
var typeName = regexp.MustCompile(`\bv010\.\w+`)

// asInV010 returns an error of decoding with the text that it had.
func asInV010(err error) error {
	var mismatch *json.UnmarshalTypeError
	text := err.Error()
	if errors.As(err, &mismatch) {
		before, after, _ := strings.Cut(text, mismatch.Error())
		now := mismatch.Type.String()
		then := typeName.ReplaceAllStringFunc(now, func(name string) string {
			return goNames[strings.TrimPrefix(name, "v010.")]
		})
		text = before + strings.TrimSuffix(mismatch.Error(), now) + then + after
	}
	text = strings.Replace(text, "error unmarshaling JSON: while decoding JSON: ", "error unmarshaling JSON: ", 1)
	return errors.New(strings.Replace(text, "unsupported map key of type", "Unsupported map key of type", 1))
}

// The types of a schema that read and write their JSON themselves.

// MarshalJSON implements json.Marshaler.
func (s JSONSchemaPropsOrBool) MarshalJSON() ([]byte, error) {
	if s.Schema != nil {
		return json.Marshal(s.Schema)
	}
	return json.Marshal(s.Allows)
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *JSONSchemaPropsOrBool) UnmarshalJSON(text []byte) error {
	*s = JSONSchemaPropsOrBool{}
	switch string(text) {
	case "true":
		s.Allows = true
		return nil
	case "false":
		return nil
	}
	if !bytes.HasPrefix(text, []byte("{")) {
		return errors.New("boolean or JSON schema expected")
	}
	s.Allows = true
	return json.Unmarshal(text, &s.Schema)
}

// MarshalJSON implements json.Marshaler.
func (s JSONSchemaPropsOrStringArray) MarshalJSON() ([]byte, error) {
	if len(s.Property) > 0 {
		return json.Marshal(s.Property)
	}
	return json.Marshal(s.Schema)
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *JSONSchemaPropsOrStringArray) UnmarshalJSON(text []byte) error {
	*s = JSONSchemaPropsOrStringArray{}
	return eitherOf(text, &s.Schema, &s.Property)
}

// MarshalJSON implements json.Marshaler.
func (s JSONSchemaPropsOrArray) MarshalJSON() ([]byte, error) {
	if len(s.JSONSchemas) > 0 {
		return json.Marshal(s.JSONSchemas)
	}
	return json.Marshal(s.Schema)
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *JSONSchemaPropsOrArray) UnmarshalJSON(text []byte) error {
	*s = JSONSchemaPropsOrArray{}
	return eitherOf(text, &s.Schema, &s.JSONSchemas)
}

// eitherOf decodes a mapping or a list, and ignores anything else.
func eitherOf(text []byte, mapping, list any) error {
	switch text[0] {
	case '{':
		return json.Unmarshal(text, mapping)
	case '[':
		return json.Unmarshal(text, list)
	default:
		return nil
	}
}

// MarshalJSON implements json.Marshaler.
func (s JSON) MarshalJSON() ([]byte, error) {
	if len(s.Raw) == 0 {
		return []byte("null"), nil
	}
	return s.Raw, nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *JSON) UnmarshalJSON(text []byte) error {
	if string(text) != "null" {
		s.Raw = bytes.Clone(text)
	}
	return nil
}
