package validate

import (
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

var pluginName = Rule{
	ID: "plugin-name", Severity: krm.Error,
	Summary: "A plugin's name is bareName[@semver]: letters, digits and inner dashes, starting with a letter, " +
		"2 to 253 bytes; the version is not latest.",
	Why:     "The name is the plugin's identity; latest is an alias for reading only.",
	Sources: []string{pluginSpec, "https://semver.org/"},
	Example: "metadata.name: hello-db@latest",
	checks: []check{pluginCheck(func(r *Rule, p *plugin) {
		if p.nameErr != nil {
			p.Report(r, namePath, "%v", p.nameErr)
		}
	})},
}

var pluginVersionMissing = Rule{
	ID: "plugin-version", Severity: krm.Info,
	Summary: "A plugin's name has a version.",
	Why: "Without one it counts as 0.0.0, and a published version is immutable: every change needs a new one. Many plugins " +
		"have none, so it is not a warning.",
	Sources: []string{pluginSpec, "https://semver.org/"},
	Example: "metadata.name: hello-db",
	checks: []check{pluginCheck(func(r *Rule, p *plugin) {
		if p.nameErr == nil && p.Name == p.name.Bare {
			p.Report(r, namePath, "%q has no version and counts as 0.0.0: name it %q", p.Name, p.Name+"@1.0.0")
		}
	})},
}

var pluginVersion = Rule{
	ID: "plugin-version-form", Severity: krm.Info,
	Summary: "A version is written as it is stored: three numbers, without a leading v.",
	Why:     "It is found under its canonical form only: @v1.0 is stored as @1.0.0.",
	Sources: []string{pluginSpec, "https://semver.org/"},
	Example: "metadata.name: hello-db@v1.0",
	checks: []check{pluginCheck(func(r *Rule, p *plugin) {
		if p.nameErr != nil || p.Name == p.name.String() || p.Name == p.name.Bare {
			return
		}
		// With a kustomize prefix, the name in the document is not the name to change.
		var proposed any
		if p.Name == p.Item.Name() {
			proposed = p.name.String()
		}
		p.Propose(r, namePath, proposed, "version of %q is stored as %q", p.Name, p.name.Version)
	})},
}

// duplicatePlugin considers versions equal if they differ only in build metadata: they have equal precedence, so references
// cannot distinguish them.
var duplicatePlugin = Rule{
	ID: "duplicate-plugin", Severity: krm.Error,
	Summary: "A plugin's name and version are given by one document only, also when they are spelled differently or " +
		"differ only in case.",
	Why: "A published version is immutable, and a reference must resolve to one document. 1.0.0-RC.1 comes before " +
		"1.0.0-rc.1, but people and some file systems do not keep them apart.",
	Sources: []string{pluginSpec, "https://semver.org/#spec-item-10"},
	Example: "metadata.name: hello-db@v1.0.0",
	checks: []check{listCheck{contract.ResourcePlugin, func(r *Rule, d *documents) {
		for p, other := range repeated(d.plugins, (*plugin).foldedIdentity) {
			what := "is the same name and version"
			if p.identity() != other.identity() {
				what = "differs only in case"
			}
			p.Report(r, namePath, "%q is given twice: %q%s %s; bump the version", p.Name, other.Name, Origin(other.Item), what)
		}
	}}},
}

// foldedIdentity returns the identity with the version in lower case.
func (p *plugin) foldedIdentity() identity {
	id := p.identity()
	return identity{id.name, strings.ToLower(id.within)}
}

func (p *plugin) identity() identity {
	if p.nameErr != nil {
		return identity{}
	}
	plain, _ := p.name.Version.SetMetadata("")
	return identity{p.name.Bare, plain.String()}
}
