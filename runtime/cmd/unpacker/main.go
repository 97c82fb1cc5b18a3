// Command unpacker installs and removes packages: unpacker copy-self DIR | copy SRC DST | apply | delete.
package main

import (
	"context"
	"os"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/runner"
	"github.com/resource-plugins/krm-functions/runtime/internal/termination"
	"github.com/resource-plugins/krm-functions/runtime/internal/unpacker"
	"github.com/resource-plugins/krm-functions/stacks/unpacking"
)

func main() {
	program := unpacker.Program{
		Getenv: os.Getenv, Self: "/proc/self/exe", PackageFolder: unpacking.FolderCopy, TokenFolder: contract.TokenMountPath,
		Unpack:   unpacker.Objects,
		Reporter: runner.Reporter{Stderr: os.Stderr, TerminationLog: runner.TerminationLog},
	}
	os.Exit(program.Run(termination.Context(context.Background()), os.Args[1:]))
}
