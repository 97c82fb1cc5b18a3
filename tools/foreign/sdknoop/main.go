// Command sdknoop is a KRM function with the Go SDK of kpt that changes nothing.
package main

import (
	"os"

	"github.com/kptdev/krm-functions-sdk/go/fn"
)

func main() {
	noop := fn.ResourceListProcessorFunc(func(*fn.ResourceList) (bool, error) { return true, nil })
	if fn.AsMain(noop) != nil {
		os.Exit(1)
	}
}
