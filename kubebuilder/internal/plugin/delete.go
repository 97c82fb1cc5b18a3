package plugin

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/scaffold"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// delete removes a plugin that no sandbox uses. A version that a catalog lists is kept, as edit keeps it.
func (p *workspace) delete(args arguments) error {
	if err := args.required(flagKind); err != nil {
		return err
	}
	bare := scaffold.BareName(args[flagKind])
	file, plugin, err := p.plugin(bare)
	if err != nil {
		return fmt.Errorf("--%s: %w", flagKind, err)
	}
	if err := p.checkUnused(bare); err != nil {
		return err
	}
	if err := p.keepPublished(file, plugin.Name); err != nil {
		return err
	}
	for _, removed := range []string{file, scaffold.PluginPath(scaffold.TestFile(bare)), scaffold.PolicyFile(bare)} {
		if _, exists := p.read(removed); exists {
			p.deleted = append(p.deleted, removed)
		}
	}
	slices.Sort(p.deleted)
	gone := slices.Clone(p.deleted)
	if example := scaffold.SandboxFile(scaffold.ExampleSandbox(bare)); p.isMissing(example) {
		gone = append(gone, example)
	}
	purpose := "remove " + strings.Join(gone, ", ") + " from resources"
	p.edits(scaffold.KustomizationFile, purpose, func(before string) (string, error) {
		return withoutResources(before, gone)
	})
	return nil
}

func (p *workspace) isMissing(path string) bool {
	_, exists := p.read(path)
	return !exists
}

// keepPublished copies the document to the path of published versions if a catalog lists its version: resources that
// were created with it are removed with it.
func (p *workspace) keepPublished(file, name string) error {
	present, err := document.ParsePluginName(name)
	if err != nil {
		return fmt.Errorf("%s: metadata.name: %w", file, err)
	}
	catalog, err := p.catalogOf(present)
	if err != nil || catalog == "" {
		return err
	}
	text, _ := p.read(file)
	kept := scaffold.KeptFile(present)
	if before, exists := p.read(kept); exists && before != text {
		return fmt.Errorf("%s exists with other content than %s, which has the same version: remove one of them", kept, file)
	}
	p.set(kept, text)
	p.addResources(kept)
	p.note("%s is kept as %s: %s lists the version", file, kept, catalog)
	return nil
}

// catalogOf returns the file with the catalog that lists a version, or "".
func (p *workspace) catalogOf(name document.PluginName) (string, error) {
	for _, file := range slices.Sorted(maps.Keys(p.universe)) {
		text, exists := p.read(file)
		isYAML := path.Ext(file) == ".yaml" || path.Ext(file) == ".yml"
		if !exists || !isYAML || !strings.Contains(text, contract.Catalog) || !strings.Contains(text, name.Bare) {
			continue
		}
		isListed, err := lists(text, name)
		if err != nil {
			return "", fmt.Errorf("%s must be valid, to see whether %s is published: %w", file, name, err)
		}
		if isListed {
			return file, nil
		}
	}
	return "", nil
}

// lists reports whether a catalog among the documents of a file lists a version.
func lists(text string, name document.PluginName) (bool, error) {
	documents := yaml.NewDecoder(strings.NewReader(text))
	for {
		var root yaml.Node
		err := documents.Decode(&root)
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		item := krm.FromNode(&root, "")
		if item.Kind() != contract.Catalog {
			continue
		}
		var spec v1alpha1.CatalogSpec
		if node := krm.Value(item.YNode(), "spec"); node != nil {
			_ = strictyaml.Into(node, "spec", &spec) // rplug validate reports errors
		}
		for _, listed := range spec.Plugins {
			isVersion := func(v v1alpha1.CatalogVersion) bool {
				parsed, err := document.ParseVersion(v.Version)
				return err == nil && parsed.Equal(name.Version)
			}
			if listed.Name == name.Bare && slices.ContainsFunc(listed.Versions, isVersion) {
				return true, nil
			}
		}
	}
}

// checkUnused returns an error with the sandboxes in any folder that use a plugin: they need it to delete their resources.
func (p *workspace) checkUnused(bare string) error {
	var errs []error
	for _, file := range slices.Sorted(maps.Keys(p.universe)) {
		if extension := path.Ext(file); extension != ".yaml" && extension != ".yml" {
			continue
		}
		if text, _ := p.read(file); usesPlugin(text, bare) {
			errs = append(errs, fmt.Errorf("%s uses the plugin: set its annotation %s: absent, apply what is rendered, "+
				"and remove it", file, contract.StateKey))
		}
	}
	return errors.Join(errs...)
}

// usesPlugin reports whether a file contains a sandbox that uses a plugin. Invalid YAML does not.
func usesPlugin(text, bare string) bool {
	if !strings.Contains(text, bare) {
		return false
	}
	documents := yaml.NewDecoder(strings.NewReader(text))
	for {
		var root yaml.Node
		if documents.Decode(&root) != nil {
			return false
		}
		item := krm.FromNode(&root, "")
		if item.Kind() != contract.Sandbox {
			continue
		}
		sandbox, _ := document.ReadSandbox(item)
		if slices.ContainsFunc(sandbox.Spec.Resources, func(r v1alpha1.SandboxResource) bool {
			name, _, _ := strings.Cut(r.Plugin, "@")
			return name == bare
		}) {
			return true
		}
	}
}

// withoutResources removes entries from the resources of a kustomization, and changes no other bytes.
func withoutResources(text string, paths []string) (string, error) {
	key, list, err := resourcesOf(text)
	if err != nil || list == nil {
		return text, err
	}
	isRemoved := func(entry *yaml.Node) bool { return slices.Contains(paths, path.Clean(entry.Value)) }
	if !slices.ContainsFunc(list.Content, isRemoved) {
		return text, nil
	}
	if list.Style&yaml.FlowStyle != 0 {
		return "", errors.New("resources must be a list with an entry a line")
	}
	lines := strings.SplitAfter(text, "\n")
	kept := 0
	for _, entry := range list.Content {
		if isRemoved(entry) {
			lines[entry.Line-1] = ""
		} else {
			kept++
		}
	}
	if kept == 0 {
		lines[key.Line-1] = "resources: []\n"
	}
	return strings.Join(lines, ""), nil
}
