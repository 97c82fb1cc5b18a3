// Command kyamlnoop is a KRM function with the framework of kyaml that changes nothing.
package main

import (
	"os"

	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	"sigs.k8s.io/kustomize/kyaml/fn/framework/command"
)

func main() {
	noop := framework.ResourceListProcessorFunc(func(*framework.ResourceList) error { return nil })
	if command.Build(noop, command.StandaloneDisabled, false).Execute() != nil {
		os.Exit(1)
	}
}
