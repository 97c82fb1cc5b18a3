package manager

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/runtime/internal/cluster"
)

// variables checks outputs that main reads as environment variables. A container runtime does not start main with a variable
// that Linux does not accept, and may report its value: such an output must fail before.
type variables struct{ size int }

// add checks the variables with outputs of one producer.
func (v *variables) add(producer contract.Producer, secret *cluster.Secret, log func(string)) error {
	for _, input := range producer.Inputs {
		if input.Variable == "" {
			continue
		}
		value := secret.Data[input.Output]
		size := len(input.Variable) + len("=") + len(value) + len("\x00")
		v.size += size
		reason := ""
		switch {
		case bytes.IndexByte(value, 0) >= 0:
			reason = "has a NUL byte"
		case size > contract.MaxVariableBytes:
			reason = fmt.Sprintf("has %d bytes, and a variable has at most %d with its name", len(value), contract.MaxVariableBytes)
		case v.size > contract.MaxVariablesBytes:
			reason = fmt.Sprintf("has %d bytes, and the variables with outputs have at most %d together", len(value),
				contract.MaxVariablesBytes)
		case !utf8.Valid(value):
			log(fmt.Sprintf("input %q: output %q of step %q is not UTF-8, which some programs refuse in a variable: a file, "+
				"as.path, has any bytes", input.Name, input.Output, producer.Step))
		}
		if reason != "" {
			return fmt.Errorf("input %q cannot be the variable %q: output %q of step %q %s; read it as a file, as.path",
				input.Name, input.Variable, input.Output, producer.Step, reason)
		}
	}
	return nil
}
