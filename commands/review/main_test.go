package review

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/resource-plugins/krm-functions/internal/rplug"
)

func main() { rplug.Main(Extension()) }

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"rplug": main})
}

// TestScripts runs whole commands.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: os.Getenv("UPDATE_GOLDEN") != "",
	})
}
