// Package extension is how a feature, a folder of its own at the top of the repository, joins the core: functions take
// extensions, and their mains name those that they have.
//
//	func main() { cli.Main(validateplugin.New(kubebuilder.Extension())) }
package extension

import (
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// Extension is a feature. A zero field adds nothing.
type Extension struct {
	// Rules are its documents and rules.
	Rules validate.Extension
	// Formats are what file mode reads beside files of documents.
	Formats []load.Format
}

// Rules returns the documents and rules of extensions.
func Rules(extensions []Extension) []validate.Extension {
	all := make([]validate.Extension, len(extensions))
	for i, e := range extensions {
		all[i] = e.Rules
	}
	return all
}

// Formats returns the formats of extensions.
func Formats(extensions []Extension) []load.Format {
	var all []load.Format
	for _, e := range extensions {
		all = append(all, e.Formats...)
	}
	return all
}
