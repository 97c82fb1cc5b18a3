package function

import (
	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/cli"
)

// ImportPlugin is the KRM function import-plugin.
func ImportPlugin() cli.Function {
	return cli.Function{
		Name:    "import-plugin",
		Purpose: "turns native plugin and sandbox files (name, spec) into KRM documents.",
		Kind:    "ImportPlugin",
		Output:  cli.Documents,
		Example: "import-plugin --set cluster=staging plugins/ > plugins.yaml",
		Config:  func() cli.Config { return &importConfig{v1alpha1.ImportPlugin{Path: "."}} },
	}
}
