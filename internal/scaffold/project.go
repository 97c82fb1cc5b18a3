package scaffold

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
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
	// PreviewPage is the page about environments for pull requests.
	PreviewPage = "https://" + Module + "/blob/" + Release + "/docs/howto/pull-requests.md"

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
	// PreviewScript opens and closes the environments of pull requests.
	PreviewScript = "preview"
)

// Project are the options of a project: a folder for plugins and sandboxes. An option that is empty has its default.
type Project struct {
	// Cluster is the cluster of sandboxes.
	Cluster string
	// Preview adds an environment for each pull request, in the CI of one of Forges, if it is not empty.
	Preview string
}

// Forges are the values of Project.Preview.
var Forges = []string{"github", "gitlab"}

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

// previewFiles are the files of environments for pull requests, with their templates; forgeFiles are those of each forge.
var (
	previewFiles = map[string]string{
		"deploy/kustomization.yaml":    "shop-kustomization.yaml.tmpl",
		"deploy/output-secret.yaml":    "shop-output-secret.yaml.tmpl",
		"deploy/sandbox.yaml":          "shop-sandbox.yaml.tmpl",
		"deploy/shop.yaml":             "shop-deployment.yaml.tmpl",
		"plugins/postgres/plugin.yaml": "shop-postgres.yaml.tmpl",
		PreviewScript:                  "preview.sh.tmpl",
	}
	forgeFiles = map[string]map[string]string{
		"github": {".github/workflows/preview.yaml": "preview-github.yaml.tmpl"},
		"gitlab": {".gitlab-ci.yml": "gitlab-ci.yaml.tmpl", ".gitlab/preview.yml": "preview-gitlab.yaml.tmpl"},
	}
)

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
	paths := maps.Clone(projectFiles)
	if p.Preview != "" {
		if !slices.Contains(Forges, p.Preview) {
			wrong.Add("preview", "must be %s, not %q", strings.Join(Forges, " or "), p.Preview)
		}
		maps.Copy(paths, previewFiles)
		maps.Copy(paths, forgeFiles[p.Preview])
	}
	if len(wrong) > 0 {
		return nil, wrong
	}
	data := struct {
		Project
		Module, Repository, Version, Schemas, Go, Plugins, Page string
		Functions                                               []function
	}{
		p, Module, "https://" + Module, Release, schemas, goVersion, PluginFolder, PreviewPage,
		[]function{
			{"ValidatePlugin", "validate", "validate-plugin"}, {"ResolveVersion", "resolve", "resolve-version"},
			{"RenderPhase", "render", "render-phase"},
		},
	}
	files := Files{}
	for path, name := range paths {
		var out bytes.Buffer
		if err := templates.ExecuteTemplate(&out, name, data); err != nil {
			return nil, err
		}
		files[path] = out.String()
	}
	return files, nil
}
