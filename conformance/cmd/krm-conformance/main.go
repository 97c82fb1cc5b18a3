// Command krm-conformance tests a KRM function against the KRM Functions Specification and the conventions of kustomize and
// kpt. Call it with --help for its flags.
package main

import (
	"os"

	"github.com/resource-plugins/krm-functions/conformance/internal/command"
)

func main() { os.Exit(command.Run(os.Args[1:], os.Stdout, os.Stderr)) }
