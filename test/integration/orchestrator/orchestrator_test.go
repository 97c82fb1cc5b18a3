// Package orchestrator runs the functions with the real kustomize and the real kpt.
package orchestrator

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
	"github.com/resource-plugins/krm-functions/test/framework/ociimage"
)

// programs is the folder with the functions and kustomize.
var programs string

func TestMain(m *testing.M) {
	flag.Parse()
	folder, err := os.MkdirTemp("", "krm-functions-")
	if err == nil {
		programs = folder
		err = build(folder)
	}
	code := 1
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	} else {
		code = m.Run()
	}
	_ = os.RemoveAll(folder)
	os.Exit(code)
}

func build(folder string) error {
	if err := checkout.BuildFunctions(filepath.Join(folder, "bin")); err != nil {
		return err
	}
	return checkout.BuildTool(filepath.Join(folder, "bin", "kustomize"), "kustomize")
}

func TestKustomize(t *testing.T) {
	t.Parallel()
	testscript.Run(t, params("testdata/kustomize"))
}

func TestKpt(t *testing.T) {
	t.Parallel()
	checkout.Kpt(t)
	testscript.Run(t, params("testdata/kpt"))
}

func params(folder string) testscript.Params {
	return testscript.Params{
		Dir:           folder,
		UpdateScripts: os.Getenv("UPDATE_GOLDEN") != "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", filepath.Join(programs, "bin")+string(os.PathListSeparator)+env.Getenv("PATH"))
			env.Setenv("HOME", env.WorkDir)
			return os.Symlink(filepath.Join(programs, "bin"), filepath.Join(env.WorkDir, "bin"))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"checkout":   copyCheckout,
			"references": checkReferences,
			"image":      ociimage.Script,
		},
	}
}

// checkReferences implements the command `references FILE PREFIX [KIND/NAME…]`. Every object in the file must decode
// strictly and have a name with the prefix. The targets of all references must be in the file, except those listed.
func checkReferences(ts *testscript.TestScript, _ bool, args []string) {
	found, err := readManifests([]byte(ts.ReadFile(args[0])))
	ts.Check(err)
	for id := range found.names {
		if !strings.HasPrefix(id.name, args[1]) {
			ts.Fatalf("%v must start with %q", id, args[1])
		}
	}
	if dangling := found.dangling(); !slices.Equal(dangling, args[2:]) {
		ts.Fatalf("references to unknown objects: %q, want %q", dangling, args[2:])
	}
}

// copyCheckout implements the command `checkout [FOLDER…]`: it copies folders of the checkout to the work folder.
func copyCheckout(ts *testscript.TestScript, _ bool, below []string) {
	ts.Check(checkout.Copy(ts.Getenv("WORK"), below...))
}
