package main

import (
	"testing"

	"github.com/resource-plugins/krm-functions/test/manual"
)

// What is written about the function is what it does.
func TestManual(t *testing.T) {
	t.Parallel()
	manual.Check(t, RenderSandbox())
}
