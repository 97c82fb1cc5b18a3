package v0

import (
	"bytes"
	"encoding/json"
	"errors"
)

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
