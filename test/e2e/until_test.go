//go:build e2e

package e2e

import (
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// needed is the time that a test is worth starting with.
const needed = 5 * time.Minute

// skipWithout leaves the test out, and says so, if less time is left until E2E_UNTIL, in seconds since 1970: CI ends what
// takes longer, and on a starved machine that would tell nothing. Without the variable there is no end.
func skipWithout(t *testing.T, least time.Duration, waitingFor string) {
	t.Helper()
	text := os.Getenv("E2E_UNTIL")
	if text == "" {
		return
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	require.NoError(t, err)
	if left := time.Until(time.Unix(seconds, 0)); left < least {
		t.Skipf("left out: %s are left until E2E_UNTIL, while waiting for %s", left.Round(time.Second), waitingFor)
	}
}
