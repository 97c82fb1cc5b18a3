package rplug

import (
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/resource-plugins/krm-functions/test/framework/ociimage"
	"github.com/resource-plugins/krm-functions/test/framework/script"
)

func main() { Main() }

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		programName: main, kubectlPlugin: main, kubectlCompletions: main,
	})
}

// TestScripts runs whole commands.
func TestScripts(t *testing.T) {
	t.Parallel()
	script.Run(t, testscript.Params{
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"image": ociimage.Script, "crlf": crlf, "lf": lf, "append": appendLine,
		},
	})
}

// crlf ends the lines of a file with CRLF, lf with LF.
func crlf(ts *testscript.TestScript, _ bool, args []string) { replaceAll(ts, args[0], "\n", "\r\n") }

func lf(ts *testscript.TestScript, _ bool, args []string) { replaceAll(ts, args[0], "\r\n", "\n") }

// appendLine adds a line to a file.
func appendLine(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(ts.ReadFile(args[0])+"# edited\n"), 0o600))
}

// replaceAll replaces a text in a file, which must have it.
func replaceAll(ts *testscript.TestScript, file, old, by string) {
	before := ts.ReadFile(file)
	after := strings.ReplaceAll(before, old, by)
	if after == before || strings.Count(after, "\n") != strings.Count(before, "\n") {
		ts.Fatalf("%s must have other ends of lines", file)
	}
	ts.Check(os.WriteFile(ts.MkAbs(file), []byte(after), 0o600))
}
