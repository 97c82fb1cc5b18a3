// Command catalog keeps catalogs of resource plugins: it lists what is published, refuses to change it, tells what a
// reference means and why, and carries catalogs with their plugins to registries and back.
package main

import (
	"os"

	"github.com/resource-plugins/krm-functions/internal/cli"
)

func main() {
	cli.HandleSignals(func() {})
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
