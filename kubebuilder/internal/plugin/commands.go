package plugin

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/scaffold"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// include is the line of a Makefile that includes the targets for plugins.
const include = "include " + scaffold.TargetsFile

// init creates a project, or adds files to a project that other plugins have created.
func (p *workspace) init(args arguments) error {
	files, err := scaffold.Project{Cluster: args[flagCluster]}.Files()
	if err != nil {
		return flagErrors(err, nil)
	}
	if makefile, exists := p.read(scaffold.MakeFile); exists {
		delete(files, scaffold.MakeFile)
		if !slices.Contains(strings.Split(makefile, "\n"), include) {
			p.set(scaffold.MakeFile, strings.TrimRight(makefile, "\n")+"\n\n"+include+"\n")
		}
	}
	return p.add(files)
}

// apiVersion matches versions of APIs: https://book.kubebuilder.io/reference/
var apiVersion = regexp.MustCompile(`^v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?$`)

// pluginVersion returns the version of a plugin for the version of its API: 1.0.0 for v1, 2.0.0-beta.1 for v2beta1.
func pluginVersion(api string) (string, error) {
	parts := apiVersion.FindStringSubmatch(api)
	switch {
	case api == "":
		return scaffold.DefaultVersion, nil
	case parts == nil:
		return "", fmt.Errorf("--%s: must be such as v1, v1alpha1 or v2beta1, not %q", flagVersion, api)
	case parts[2] == "":
		return parts[1] + ".0.0", nil
	}
	return parts[1] + ".0.0-" + parts[2] + "." + parts[3], nil
}

// createAPI creates a plugin with a test and an example of a sandbox.
func (p *workspace) createAPI(args arguments) error {
	if err := args.required(flagKind); err != nil {
		return err
	}
	release, err := pluginVersion(args[flagVersion])
	if err != nil {
		return err
	}
	files, err := scaffold.API{
		Plugin: scaffold.Plugin{
			Name: args[flagKind], Version: release, Params: args.list(flagParams), Outputs: args.list(flagOutputs),
			Image: args[flagImage], Description: args[flagDescription],
		},
		Cluster: p.cluster(),
	}.Files()
	if err != nil {
		return flagErrors(err, map[krm.Path]string{"name": flagKind, "image": flagImage})
	}
	if err := p.add(files); err != nil {
		return err
	}
	bare := scaffold.BareName(args[flagKind])
	p.addResources(scaffold.PluginPath(scaffold.PluginFile(bare)), scaffold.SandboxFile(scaffold.ExampleSandbox(bare)))
	return p.addOperator(operatorAPI{
		kind: args[flagKind], group: args[flagGroup], version: args[flagVersion],
		plugin: bare + "@" + release, params: args.list(flagParams),
	})
}

// cluster returns the cluster in the project file, or "" if the file cannot be read.
func (p *workspace) cluster() string {
	text, _ := p.read(cli.ProjectFile)
	var file struct {
		Cluster string `json:"cluster"`
	}
	if yaml.Unmarshal([]byte(text), &file) != nil {
		return ""
	}
	return file.Cluster
}

// plugin reads the plugin with a bare name.
func (p *workspace) plugin(bare string) (path string, plugin *document.Plugin, err error) {
	if err := document.CheckBareName(bare); err != nil {
		return "", nil, errors.New(strings.TrimPrefix(err.Error(), "name "))
	}
	path = scaffold.PluginPath(scaffold.PluginFile(bare))
	text, exists := p.read(path)
	if !exists {
		return "", nil, fmt.Errorf("there is no plugin %q: %s is missing; create api makes it", bare, path)
	}
	item, err := krm.NewItem([]byte(text))
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", path, err)
	}
	plugin, problems := document.ReadPlugin(item)
	if len(problems) > 0 || item.Kind() != contract.ResourcePlugin {
		return "", nil, fmt.Errorf("%s: must be a valid %s: see rplug validate", path, contract.ResourcePlugin)
	}
	return path, plugin, nil
}

// createWebhook creates ValidatingAdmissionPolicies for a plugin.
func (p *workspace) createWebhook(args arguments) error {
	if err := args.required(flagKind); err != nil {
		return err
	}
	bare := scaffold.BareName(args[flagKind])
	_, plugin, err := p.plugin(bare)
	if err != nil {
		return fmt.Errorf("--%s: %w", flagKind, err)
	}
	params := map[string]bool{}
	for _, step := range document.Steps(&plugin.Spec) {
		for _, input := range step.Inputs {
			if input.ValueFromSandbox {
				params[input.Name] = true
			}
		}
	}
	files, err := scaffold.Policy{Plugin: bare, Params: slices.Sorted(maps.Keys(params))}.Files()
	if err != nil {
		return flagErrors(err, map[krm.Path]string{"name": flagKind})
	}
	return p.add(files)
}
