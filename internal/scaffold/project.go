package scaffold

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// References of a project's files to this repository.
const (
	// Module is the path of the Go module.
	Module = "github.com/resource-plugins/krm-functions"
	// Release is the version of this release, of its module and its images.
	Release = contract.ImageTag

	schemas   = "https://raw.githubusercontent.com/resource-plugins/krm-functions/" + Release + "/api/schemas"
	goVersion = "1.26"
)

// Folders and files of a project.
const (
	PluginFolder      = "plugins"
	SandboxFolder     = "sandboxes"
	KustomizationFile = "kustomization.yaml"
	MakeFile          = "Makefile"
	// TargetsFile has the targets for plugins. The Makefile includes it.
	TargetsFile = "rplug.mk"
)

// Project are the options of a project: a folder for plugins and sandboxes. An option that is empty has its default.
type Project struct {
	// Cluster is the cluster of sandboxes.
	Cluster string
}

// projectFiles are the files of a project, with their templates.
var projectFiles = map[string]string{
	".github/workflows/plugins.yaml": "workflow.yaml.tmpl",
	".krmignore":                     "krmignore.tmpl",
	".pre-commit-config.yaml":        "pre-commit-config.yaml.tmpl",
	".vscode/settings.json":          "settings.json.tmpl",
	"Kptfile":                        "Kptfile.tmpl",
	MakeFile:                         "Makefile.tmpl",
	"catalog.yaml":                   "catalog.yaml.tmpl",
	KustomizationFile:                "kustomization.yaml.tmpl",
	"kustomize/names.yaml":           "names.yaml.tmpl",
	"plugin-lock.yaml":               "plugin-lock.yaml.tmpl",
	TargetsFile:                      "rplug.mk.tmpl",
	"rplug.yaml":                     "rplug.yaml.tmpl",
}

// function is a KRM function of a kustomization.
type function struct{ Kind, Name, Program string }

// Files returns the project. The error is krm.OptionErrors if options are invalid.
func (p Project) Files() (Files, error) {
	var wrong krm.OptionErrors
	p.Cluster = cmp.Or(p.Cluster, DefaultCluster)
	checkText(&wrong, "cluster", p.Cluster)
	if strings.TrimSpace(p.Cluster) == "" {
		wrong.Add("cluster", "must not be blank")
	}
	if len(wrong) > 0 {
		return nil, wrong
	}
	data := struct {
		Project
		Module, Repository, Version, Schemas, Go string
		Functions                                []function
	}{
		p, Module, "https://" + Module, Release, schemas, goVersion,
		[]function{
			{"ValidatePlugin", "validate", "validate-plugin"}, {"ResolveVersion", "resolve", "resolve-version"},
			{"RenderPhase", "render", "render-phase"},
		},
	}
	files := Files{}
	for path, name := range projectFiles {
		var out bytes.Buffer
		if err := templates.ExecuteTemplate(&out, name, data); err != nil {
			return nil, err
		}
		files[path] = out.String()
	}
	return files, nil
}
