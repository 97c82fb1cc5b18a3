// Command import-plugin is a KRM function that turns the plugin and sandbox files of the vendor's tool into KRM
// documents.
package main

import "github.com/resource-plugins/krm-functions/pkg/krm/process"

func main() { process.Main(function()) }

func function() process.Function {
	return process.Function{
		Name:    "import-plugin",
		Purpose: "turns native plugin and sandbox files (name, spec) into KRM documents.",
		Kind:    "ImportPlugin",
		Prints:  process.Documents,
		Example: "import-plugin --set cluster=staging plugins/ > plugins.yaml",
		Config:  func() process.Config { return &config{Path: "."} },
	}
}
