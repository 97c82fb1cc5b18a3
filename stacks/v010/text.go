package v010

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"sigs.k8s.io/yaml"

	v0 "github.com/resource-plugins/krm-functions/stacks/api/v0"
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

// typeName matches the name of a type of package v0 in the name of a type.
var typeName = regexp.MustCompile(`\bv0\.\w+`)

// asInV010 returns an error of decoding with the text that it had.
func asInV010(err error) error {
	var mismatch *json.UnmarshalTypeError
	text := err.Error()
	if errors.As(err, &mismatch) {
		before, after, _ := strings.Cut(text, mismatch.Error())
		now := mismatch.Type.String()
		then := typeName.ReplaceAllStringFunc(now, func(name string) string {
			return v0.GoNames[strings.TrimPrefix(name, "v0.")]
		})
		text = before + strings.TrimSuffix(mismatch.Error(), now) + then + after
	}
	text = strings.Replace(text, "error unmarshaling JSON: while decoding JSON: ", "error unmarshaling JSON: ", 1)
	return errors.New(strings.Replace(text, "unsupported map key of type", "Unsupported map key of type", 1))
}
