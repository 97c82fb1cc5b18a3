package unpacking

import (
	"fmt"
	"strings"
)

// most is the number of problems that a message names.
const most = 5

// Enumerate returns the problems in a text that fits a termination message.
func Enumerate(problems []string) string {
	if len(problems) > most {
		problems = append(problems[:most:most], fmt.Sprintf("%d more", len(problems)-most))
	}
	return strings.Join(problems, ", ")
}
