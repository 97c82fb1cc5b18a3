// Command kubebuilder-resource-plugin is the external plugin resourceplugins.dev/v1-alpha of kubebuilder, as
// `rplug kubebuilder install` installs it: it reads a request on stdin and writes the response to stdout.
package main

import (
	"os"

	"github.com/resource-plugins/krm-functions/internal/kubebuilderplugin"
)

func main() { os.Exit(kubebuilderplugin.Serve(os.Stdin, os.Stdout, os.Stderr)) }
