// Package kubebuilder is a feature: external plugins of kubebuilder. Functions that have it check ExternalPlugin documents,
// and in file mode read discovery folders and recorded messages as such documents:
//
//	func main() { cli.Main(validateplugin.New(kubebuilder.Extension())) }
//
// Package command has the subcommands of rplug, which install, run and test plugins.
package kubebuilder

import (
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/load"
)

// Extension returns the feature.
func Extension() extension.Extension {
	return extension.Extension{Rules: validation(), Formats: []load.Format{{Find: find, Complete: complete}}}
}

// find finds discovery folders and exchanges. An older state has no executable bits that could be checked, so its discovery
// folders are not read.
func find(s load.Source, options load.Options) *load.Whole {
	switch {
	case s.Mode.IsRegular():
		return findExchange(s)
	case s.Named && s.Mode.IsDir() && options.OnDisk() && isDiscovery(s.Below):
		return &load.Whole{Read: func() load.Content { return readFolder(s) }, Beside: true}
	}
	return nil
}
