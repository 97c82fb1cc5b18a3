// Command import-plugin is a KRM function that turns the plugin and sandbox files of the vendor's tool into KRM
// documents.
package main

import "github.com/resource-plugins/krm-functions/internal/cli"

func main() { cli.Main(ImportPlugin()) }

func ImportPlugin() cli.Function {
	return cli.Function{
		Name:    "import-plugin",
		Purpose: "turns native plugin and sandbox files (name, spec) into KRM documents.",
		Kind:    "ImportPlugin",
		Prints:  cli.Documents,
		Example: "import-plugin --set cluster=staging plugins/ > plugins.yaml",
		Config:  func() cli.Config { return &config{Path: "."} },
	}
}
