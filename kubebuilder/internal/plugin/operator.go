package plugin

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"regexp"
	"strings"
	"text/template"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"github.com/resource-plugins/krm-functions/internal/scaffold"
)

// operatorAPI is an API of an operator with a controller that renders a plugin.
type operatorAPI struct {
	kind, group, version string
	plugin               string // reference of the plugin
	params               []string
}

// Minimum versions for the code of the operator, whose client needs server-side apply.
const (
	runtimeModule  = "sigs.k8s.io/controller-runtime"
	runtimeRelease = "v0.24.1"
	goRelease      = "1.26.0"
)

// addOperator adds code that renders plugins to a project of go/v4. It does nothing in other projects.
func (p *workspace) addOperator(api operatorAPI) error {
	module := modfile.ModulePath([]byte(p.text("go.mod")))
	if _, isOperator := p.read("cmd/main.go"); module == "" || !isOperator {
		return nil
	}
	files, err := scaffold.Operator{}.Files()
	if err != nil {
		return err
	}
	if err := p.add(files); err != nil {
		return err
	}
	p.edits("go.mod", "require "+scaffold.Module+" "+scaffold.Release, require)
	p.edits(".dockerignore", "let plugins/*/*.yaml be copied", copiesDocuments)
	p.edits("Dockerfile", "copy the folder plugins", copiesPlugins)
	controller := "internal/controller/" + strings.ToLower(api.kind) + "_controller.go"
	if _, exists := p.read(controller); !exists && api.group != "" {
		// Projects with several groups have a folder for each.
		controller = "internal/controller/" + api.group + "/" + strings.ToLower(api.kind) + "_controller.go"
	}
	p.edits(controller, "call plugins.Reconcile", func(before string) (string, error) {
		return reconciles(before, module, api)
	})
	return nil
}

// text returns the content of a file, or "" if it does not exist.
func (p *workspace) text(path string) string {
	content, _ := p.read(path)
	return content
}

// require adds the modules that the code imports to a go.mod. `go mod tidy` adds their dependencies.
func require(before string) (string, error) {
	file, err := modfile.Parse("go.mod", []byte(before), nil)
	if err != nil {
		return "", err
	}
	has := map[string]string{}
	for _, required := range file.Require {
		has[required.Mod.Path] = required.Mod.Version
	}
	isChanged := false
	for path, least := range map[string]string{scaffold.Module: scaffold.Release, runtimeModule: runtimeRelease} {
		if semver.Compare(has[path], least) < 0 {
			isChanged = true
			if err := file.AddRequire(path, least); err != nil {
				return "", err
			}
		}
	}
	if file.Go != nil && semver.Compare("v"+file.Go.Version, "v"+goRelease) < 0 {
		isChanged = true
		if err := file.AddGoStmt(goRelease); err != nil {
			return "", err
		}
		file.DropToolchainStmt()
	}
	if !isChanged {
		return before, nil
	}
	file.SortBlocks()
	after, err := file.Format()
	return string(after), err
}

// copiesDocuments adds documents of plugins to a .dockerignore that lists the copied files: the documents are embedded.
func copiesDocuments(before string) (string, error) {
	const sources, documents = "!**/*.go\n", "!plugins/*/*.yaml\n"
	if strings.Contains(before, documents) || !strings.Contains(before, sources) {
		return before, nil
	}
	return strings.Replace(before, sources, sources+documents, 1), nil
}

// copiesPlugins adds the folder of plugins to a Dockerfile that copies folders.
func copiesPlugins(before string) (string, error) {
	sources, plugins := copies("internal/"), copies(scaffold.PluginFolder+"/")
	if strings.Contains(before, plugins) || strings.Contains(before, "COPY . .") {
		return before, nil
	}
	if !strings.Contains(before, sources) {
		return "", fmt.Errorf("it has no line %q", strings.TrimSpace(sources))
	}
	return strings.Replace(before, sources, sources+plugins, 1), nil
}

// copies returns the instruction of a Dockerfile that copies a folder.
func copies(folder string) string { return "COPY " + folder + " " + folder + "\n" }

// toDo is the placeholder for code in a controller of go/v4.
const toDo = "\t// TODO(user): your logic here\n\n\treturn ctrl.Result{}, nil\n"

var (
	unusedLogger = regexp.MustCompile(`\t_ = (log|logf)\.FromContext\(ctx\)\n\n`)
	loggerImport = regexp.MustCompile(`\t(?:logf )?"sigs\.k8s\.io/controller-runtime/pkg/log"\n`)
)

// reconciliation replaces toDo.
var reconciliation = template.Must(template.New("").Parse(`	owner := &{{ .API }}.{{ .Kind }}{}
	if err := r.Get(ctx, req.NamespacedName, owner); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	return plugins.Reconcile(ctx, r.Client, owner, plugins.Resource{
		Plugin: "{{ .Plugin }}",
{{- if .Params }}
		Params: map[string]string{
{{- range .Params }}
			"{{ . }}": "{{ $.Example }}", // TODO(user): take the value from owner.Spec
{{- end }}
		},
{{- end }}
	})
`))

// reconciles changes the controller of an API to render its plugin. An edited controller is not changed.
func reconciles(before, module string, api operatorAPI) (string, error) {
	imported := regexp.MustCompile(
		`\t(\w+) "` + regexp.QuoteMeta(module) + `/api/(?:[\w.-]+/)?` + regexp.QuoteMeta(api.version) + `"\n`)
	match := imported.FindStringSubmatch(before)
	switch {
	case strings.Contains(before, "plugins.Reconcile("):
		return before, nil
	case match == nil || !strings.Contains(before, toDo):
		return "", errors.New("it has been edited")
	}
	var logic bytes.Buffer
	err := reconciliation.Execute(&logic, map[string]any{
		"API": match[1], "Kind": api.kind, "Plugin": api.plugin, "Params": api.params, "Example": scaffold.Example,
	})
	if err != nil {
		return "", err
	}
	after := strings.Replace(before, match[0], match[0]+"\t\""+module+"/"+scaffold.PluginFolder+"\"\n", 1)
	after = strings.Replace(after, toDo, logic.String(), 1)
	if unusedLogger.MatchString(after) {
		after = loggerImport.ReplaceAllString(unusedLogger.ReplaceAllString(after, ""), "")
	}
	formatted, err := format.Source([]byte(after))
	return string(formatted), err
}
