// Command kubebuilder-resource-plugin is the external plugin resourceplugins.dev/v1-alpha of kubebuilder, which `rplug
// kubebuilder install` installs. It reads a request on stdin and writes the response to stdout. With --version it prints its
// version.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/kubebuilder/internal/plugin"
)

func main() {
	switch args := os.Args[1:]; {
	case len(args) == 1 && args[0] == "--version":
		fmt.Println(filepath.Base(os.Args[0]), cli.BuildVersion())
	case len(args) > 0:
		fmt.Fprintf(os.Stderr, "arguments must not be given, such as %q: kubebuilder writes a request to stdin; "+
			"rplug kubebuilder install installs the plugin\n", args[0])
		os.Exit(2)
	default:
		os.Exit(plugin.Serve(os.Stdin, os.Stdout, os.Stderr))
	}
}
