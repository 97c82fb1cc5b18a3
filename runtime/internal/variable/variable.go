// Package variable reads the environment variables of rendered Pods.
package variable

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Missing is the error for a variable that is not set.
func Missing(name string) error {
	return fmt.Errorf("environment variable %s must be set", name)
}

// Decode decodes the text of a variable, such as the plan. It rejects unknown fields: an input of a newer renderer must not
// be followed in part. message is the format of the error, with the name of the variable and the cause.
func Decode(name, text, message string, into any) error {
	if text == "" {
		return Missing(name)
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf(message, name, err)
	}
	return nil
}
