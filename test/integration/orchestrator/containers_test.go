//go:build e2e

package orchestrator

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/test/framework/docker"
)

// TestContainers runs each package twice, with the functions as programs and as images, and compares the output.
func TestContainers(t *testing.T) {
	stop, err := docker.Start()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, stop()) })
	require.NoError(t, docker.LoadImages(t.TempDir()))
	t.Run("scripts", func(t *testing.T) {
		p := params("testdata/containers")
		p.Cmds["containers"] = toContainers
		p.Setup = withDocker(p.Setup)
		testscript.Run(t, p)
	})
}

// withDocker lets scripts use the docker daemon of this test.
func withDocker(setup func(*testscript.Env) error) func(*testscript.Env) error {
	return func(env *testscript.Env) error {
		if host, ok := os.LookupEnv("DOCKER_HOST"); ok {
			env.Setenv("DOCKER_HOST", host)
		}
		return setup(env)
	}
}

// An exec function in a kustomize config, in flow style, and in a Kptfile.
var (
	kustomizeExec = regexp.MustCompile(`exec: \{path: (?:\S*/)?([a-z-]+)((?:, [^}]*)?)\}`)
	kptExec       = regexp.MustCompile(`(?m)^(\s*-) exec: (?:\S*/)?([a-z-]+)$`)
)

// toContainers implements the command `containers FOLDER…`: it changes every exec function in the YAML files and Kptfiles to
// a container function. It is an error if there is no such function.
func toContainers(ts *testscript.TestScript, _ bool, folders []string) {
	image := func(group string) string {
		return fmt.Sprintf("%s/%s:%s", contract.ImageRegistry, group, contract.ImageTag)
	}
	changed := 0
	for _, folder := range folders {
		ts.Check(filepath.WalkDir(ts.MkAbs(folder), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			out := kustomizeExec.ReplaceAll(text, []byte("container: {image: "+image("${1}")+"${2}}"))
			out = kptExec.ReplaceAll(out, []byte("${1} image: "+image("${2}")))
			if slices.Equal(text, out) {
				return nil
			}
			changed++
			return os.WriteFile(path, out, 0o600)
		}))
	}
	if changed == 0 {
		ts.Fatalf("no exec function below %q", folders)
	}
}
