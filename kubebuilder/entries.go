package kubebuilder

import (
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// Rules for the entries of a discovery folder. A single folder that kubebuilder rejects disables all plugins.

const discovery = "https://github.com/kubernetes-sigs/kubebuilder/blob/v4.15.0/pkg/cli/options.go"

func entryPath(i int) krm.Path { return krm.Path("spec.entries").Index(i) }

// The parts of an entry's path.
const (
	depthName = 1 + iota
	depthVersion
	depthFile
)

// eachEntry calls do for the entries at a depth of the discovery folder, with the parts of their paths.
func (p *externalPlugin) eachEntry(depth int, do func(i int, entry v1alpha1.PluginEntry, parts []string)) {
	for i, entry := range p.Spec.Entries {
		if parts := strings.Split(entry.Path, "/"); entry.Path != "" && len(parts) == depth {
			do(i, entry, parts)
		}
	}
}

var folderType = rule{
	Rule: validate.Rule{
		ID: "plugin-folder-type", Severity: krm.Error,
		Summary: "An entry of a discovery folder is a folder, a file or a link.",
		Why:     "The other rules about discovery folders would not know what it is.",
		Sources: []string{},
		Example: "spec.entries[3].type: directory",
	},
	plugin: func(r *validate.Rule, p *externalPlugin) {
		for i, entry := range p.Spec.Entries {
			p.OneOf(r, entryPath(i).Key("type"), entry.Type, v1alpha1.EntryTypes()...)
		}
	},
}

var folderName = rule{
	Rule: validate.Rule{
		ID: "plugin-folder-name", Severity: krm.Error,
		Summary: "A folder in a discovery folder has the name of a plugin, a DNS subdomain.",
		Why:     "Kubebuilder refuses the plugin, and with it all others.",
		Example: "spec.entries[0].path: Sample",
	},
	plugin: func(r *validate.Rule, p *externalPlugin) {
		p.eachEntry(depthName, func(i int, entry v1alpha1.PluginEntry, parts []string) {
			if entry.Type == v1alpha1.EntryFolder {
				p.Must(r, entryPath(i).Key("path"), "the name of a plugin", document.CheckSubdomain(parts[0]))
			}
		})
	},
}

var folderVersion = rule{
	Rule: validate.Rule{
		ID: "plugin-folder-version", Severity: krm.Error,
		Summary: "A folder in a plugin's folder has the name of a version, such as v1, v2-alpha or v1-beta.",
		Why:     "Kubebuilder finds no plugin at all if one has another version.",
		Sources: []string{discovery, "https://github.com/kubernetes-sigs/kubebuilder/blob/v4.15.0/pkg/plugin/version.go"},
		Example: "spec.entries[1].path: sample/1.0",
	},
	plugin: func(r *validate.Rule, p *externalPlugin) {
		p.eachEntry(depthVersion, func(i int, entry v1alpha1.PluginEntry, parts []string) {
			if entry.Type == v1alpha1.EntryFolder {
				p.Must(r, entryPath(i).Key("path"), "the version of a plugin", v1alpha1.CheckPluginVersion(parts[1]))
			}
		})
	},
}

var folderProgram = rule{
	Rule: validate.Rule{
		ID: "plugin-folder-program", Severity: krm.Error,
		Summary: "The folder of a version holds one program: an executable file with the name of the plugin, and any extension.",
		Why:     "Kubebuilder finds no plugin at all if a program is not executable, and does not start if there are two.",
		Sources: []string{discovery},
		Example: "spec.entries[2].executable: false",
	},
	plugin: checkPrograms,
}

func checkPrograms(r *validate.Rule, p *externalPlugin) {
	programs := map[string]string{} // by the folders of versions
	p.eachEntry(depthFile, func(i int, entry v1alpha1.PluginEntry, parts []string) {
		name, file := parts[0], parts[2]
		folder := strings.Join(parts[:2], "/")
		if !v1alpha1.IsProgram(file, name) {
			return
		}
		switch other, found := programs[folder]; {
		case found:
			p.Report(r, entryPath(i).Key("path"), "must be the only program of its folder: %q is taken for one, too", other)
		case entry.Type == v1alpha1.EntryFolder || entry.Type == v1alpha1.EntryLink:
			p.Report(r, entryPath(i).Key("type"), "the program %q must be a file", entry.Path)
		case !entry.Executable:
			p.Report(r, entryPath(i).Key("executable"), "the program %q must be executable: use chmod +x", entry.Path)
		}
		programs[folder] = file
	})
	if slices.ContainsFunc(p.Spec.Entries, func(entry v1alpha1.PluginEntry) bool { return entry.Path == "" }) {
		return // whose folder is unknown
	}
	p.eachEntry(depthVersion, func(i int, entry v1alpha1.PluginEntry, parts []string) {
		hasVersion := entry.Type == v1alpha1.EntryFolder && v1alpha1.CheckPluginVersion(parts[1]) == ""
		if hasVersion && programs[entry.Path] == "" {
			p.Report(r, entryPath(i), "must hold the program %q, with any extension", parts[0])
		}
	})
}

var folderHidden = rule{
	Rule: validate.Rule{
		ID: "plugin-folder-hidden", Severity: krm.Error,
		Summary: "The folder of a version holds no file whose name starts with a dot, such as .DS_Store.",
		Why:     "Kubebuilder finds no plugin at all if one does.",
		Sources: []string{discovery},
		Example: "spec.entries[3].path: sample/v1/.notes",
	},
	plugin: func(r *validate.Rule, p *externalPlugin) {
		p.eachEntry(depthFile, func(i int, entry v1alpha1.PluginEntry, parts []string) {
			if strings.HasPrefix(parts[2], ".") {
				p.Report(r, entryPath(i).Key("path"), "%q must be removed: no plugin is found otherwise", entry.Path)
			}
		})
	},
}

var folderEntry = rule{
	Rule: validate.Rule{
		ID: "plugin-folder-entry", Severity: krm.Warning,
		Summary: "A discovery folder holds folders of plugins, and these folders of versions, but no files and no links.",
		Why:     "Kubebuilder does not look at files there, and does not follow links to folders.",
		Sources: []string{discovery},
		Example: "spec.entries[1].type: link",
	},
	plugin: func(r *validate.Rule, p *externalPlugin) {
		report := func(what string) func(int, v1alpha1.PluginEntry, []string) {
			return func(i int, entry v1alpha1.PluginEntry, _ []string) {
				if entry.Type == v1alpha1.EntryFile || entry.Type == v1alpha1.EntryLink {
					p.Report(r, entryPath(i).Key("type"), "%q must be the folder of a %s, not a %s: it is not looked at",
						entry.Path, what, entry.Type)
				}
			}
		}
		p.eachEntry(depthName, report("plugin"))
		p.eachEntry(depthVersion, report("version"))
	},
}
