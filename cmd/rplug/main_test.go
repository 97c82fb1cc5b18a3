package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/resource-plugins/krm-functions/test/framework/script"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"rplug": main})
}

// TestScripts runs the command with all features.
func TestScripts(t *testing.T) {
	t.Parallel()
	script.Run(t, testscript.Params{})
}
