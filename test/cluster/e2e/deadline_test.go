//go:build e2e

package e2e

import (
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// minTestTime is the minimum time for a test.
const minTestTime = 5 * time.Minute

// skipUnlessTimeLeft skips the test if less than the given time is left until E2E_UNTIL, in seconds since 1970. CI sets it
// to the end of its time limit.
func skipUnlessTimeLeft(t *testing.T, least time.Duration, waitingFor string) {
	t.Helper()
	text := os.Getenv("E2E_UNTIL")
	if text == "" {
		return
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	require.NoError(t, err)
	if left := time.Until(time.Unix(seconds, 0)); left < least {
		t.Skipf("skipped: %s left until E2E_UNTIL, waiting for %s", left.Round(time.Second), waitingFor)
	}
}
