package unpacking

import (
	"fmt"
	"strings"
)

// most is the maximum number of problems in a message.
const most = 5

// Enumerate returns the problems as a text that fits into a termination message.
func Enumerate(problems []string) string {
	if len(problems) > most {
		problems = append(problems[:most:most], fmt.Sprintf("%d more", len(problems)-most))
	}
	return strings.Join(problems, ", ")
}
