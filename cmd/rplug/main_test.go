package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"

	"github.com/resource-plugins/krm-functions/test/checkout"
	"github.com/resource-plugins/krm-functions/test/ociimage"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){programName: main, kubectlPlugin: main, kubectlCompletions: main})
}

// TestScripts runs whole commands. Programs that they need are those on the PATH, else those of bin/tools.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: os.Getenv("UPDATE_GOLDEN") != "",
		Cmds:          map[string]func(*testscript.TestScript, bool, []string){"image": ociimage.Script},
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", env.Getenv("PATH")+string(os.PathListSeparator)+filepath.Join(checkout.Root(), "bin", "tools"))
			return nil
		},
	})
}

// condition is what scripts can ask in addition: whether the process engine can isolate steps here.
func condition(name string) (bool, error) {
	if name != "namespaces" {
		return false, fmt.Errorf("unknown condition %q", name)
	}
	engine, err := process.New(process.Options{})
	if err != nil {
		return false, err
	}
	isolated, _ := engine.IsIsolated()
	return isolated, nil
}

// The help of every command fits a screen of 60 lines and 100 columns.
func TestHelpFits(t *testing.T) {
	t.Parallel()
	var check func(c *cobra.Command, path []string)
	check = func(c *cobra.Command, path []string) {
		var out, notes bytes.Buffer
		assert.Equal(t, exitClean, run(append(path, "--help"), strings.NewReader(""), &out, &notes), path)
		assert.LessOrEqual(t, strings.Count(out.String(), "\n"), 60, path)
		for line := range strings.Lines(out.String()) {
			assert.LessOrEqual(t, len(strings.TrimSuffix(line, "\n")), 100, "%s: %s", path, line)
		}
		for _, sub := range c.Commands() {
			check(sub, append(append([]string{}, path...), sub.Name()))
		}
	}
	check(rootCommand(&bytes.Buffer{}), nil)
}
