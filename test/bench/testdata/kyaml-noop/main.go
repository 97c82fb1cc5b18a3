// Command kyaml-noop is a KRM function on kyaml's framework that does nothing.
package main

import (
	"os"

	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	"sigs.k8s.io/kustomize/kyaml/kio"
)

func main() {
	nothing := framework.ResourceListProcessorFunc(func(*framework.ResourceList) error { return nil })
	if err := framework.Execute(nothing, &kio.ByteReadWriter{KeepReaderAnnotations: true}); err != nil {
		os.Exit(1)
	}
}
