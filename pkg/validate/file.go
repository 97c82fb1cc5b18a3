package validate

import (
	"slices"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// FileRules returns the rules about texts that cannot be read as documents: callers that read files check them, not Check.
// They have no level that options could change. Each Example is a whole document.
func FileRules(extensions ...Extension) Ruleset {
	all := slices.Clone(fileRules)
	for _, e := range extensions {
		all = append(all, e.FileRules...)
	}
	return all
}

var fileRules = described(
	&Rule{
		ID: "file", Severity: krm.Error,
		Summary: "A file is text of UTF-8 that holds YAML or JSON documents, paths lead to documents, and the files that " +
			"the kustomization of documents names exist.",
		Why:     "What cannot be read can be neither checked nor rendered. In folders, files of other tools are skipped.",
		Example: "{name: feature-x, spec: [}", Sources: []string{},
	},
	&Rule{
		ID: "template", Severity: krm.Error,
		Summary: "Directives of a template, `@{…}`, can be filled in: the file to embed exists, and a variable that is needed " +
			"has a value.",
		Why:     "The document is not complete.",
		Example: `{name: feature-x, spec: {cluster: "@{embed: cluster.txt}"}}`, Sources: []string{pluginSpec},
	},
)
