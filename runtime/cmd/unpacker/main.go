// Command unpacker unpacks packages: unpacker copy-self DIR | unpack FOLDER FILE.
package main

import (
	"os"

	"github.com/resource-plugins/krm-functions/internal/runner"
	"github.com/resource-plugins/krm-functions/runtime/internal/unpacker"
)

func main() {
	os.Exit(unpacker.Program{
		Getenv: os.Getenv, Self: "/proc/self/exe",
		Reporter: runner.Reporter{Stderr: os.Stderr, TerminationLog: runner.TerminationLog},
	}.Run(os.Args[1:]))
}
