package incremental_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/resource-plugins/krm-functions/internal/incremental"
	"github.com/resource-plugins/krm-functions/internal/rplug"
)

// asProgram is the environment variable by which this program is rplug, so that a test can kill it.
const asProgram = "INCREMENTAL_TEST_RPLUG"

// TestMain gives the tests their own cache.
func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		rplug.Main()
	}
	home, err := os.MkdirTemp("", "incremental-")
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"} {
		_ = os.Setenv(name, filepath.Join(home, name))
	}
	incremental.CheckFew()
	code := m.Run()
	_ = os.RemoveAll(home)
	os.Exit(code)
}
