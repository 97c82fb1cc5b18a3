//go:build e2e

package e2e

import (
	"crypto/sha256"
	"fmt"
)

// sumLine is what sha256sum prints of a text on stdin.
func sumLine(text string) string { return fmt.Sprintf("%x  -\n", sha256.Sum256([]byte(text))) }
