// Command kustomizebuiltin runs a builtin plugin of kustomize as a KRM function. Usage: kustomizebuiltin KIND, such as
// LabelTransformer. The functionConfig is that of the plugin. The conversions between items and kustomize's resources are
// those of kustomize itself.
package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/builtins" //nolint:staticcheck // deprecated, and without a successor
	"sigs.k8s.io/kustomize/api/pkg/loader"
	"sigs.k8s.io/kustomize/api/provider"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	"sigs.k8s.io/kustomize/kyaml/fn/framework/command"
	"sigs.k8s.io/kustomize/kyaml/yaml"
	k8syaml "sigs.k8s.io/yaml"
)

var transformers = map[string]func() resmap.TransformerPlugin{
	"AnnotationsTransformer":   func() resmap.TransformerPlugin { return builtins.NewAnnotationsTransformerPlugin() },
	"HashTransformer":          func() resmap.TransformerPlugin { return builtins.NewHashTransformerPlugin() },
	"ImageTagTransformer":      func() resmap.TransformerPlugin { return builtins.NewImageTagTransformerPlugin() },
	"LabelTransformer":         func() resmap.TransformerPlugin { return builtins.NewLabelTransformerPlugin() },
	"NamespaceTransformer":     func() resmap.TransformerPlugin { return builtins.NewNamespaceTransformerPlugin() },
	"PatchJson6902Transformer": func() resmap.TransformerPlugin { return builtins.NewPatchJson6902TransformerPlugin() },
	"PatchStrategicMergeTransformer": func() resmap.TransformerPlugin {
		return builtins.NewPatchStrategicMergeTransformerPlugin()
	},
	"PatchTransformer":        func() resmap.TransformerPlugin { return builtins.NewPatchTransformerPlugin() },
	"PrefixTransformer":       func() resmap.TransformerPlugin { return builtins.NewPrefixTransformerPlugin() },
	"ReplacementTransformer":  func() resmap.TransformerPlugin { return builtins.NewReplacementTransformerPlugin() },
	"ReplicaCountTransformer": func() resmap.TransformerPlugin { return builtins.NewReplicaCountTransformerPlugin() },
	"SuffixTransformer":       func() resmap.TransformerPlugin { return builtins.NewSuffixTransformerPlugin() },
	"ValueAddTransformer":     func() resmap.TransformerPlugin { return builtins.NewValueAddTransformerPlugin() },
}

var generators = map[string]func() resmap.GeneratorPlugin{
	"ConfigMapGenerator": func() resmap.GeneratorPlugin { return builtins.NewConfigMapGeneratorPlugin() },
	"SecretGenerator":    func() resmap.GeneratorPlugin { return builtins.NewSecretGeneratorPlugin() },
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: kustomizebuiltin KIND")
		os.Exit(2)
	}
	kind := os.Args[1]
	cmd := command.Build(framework.ResourceListProcessorFunc(func(list *framework.ResourceList) error {
		return process(kind, list)
	}), command.StandaloneDisabled, false)
	cmd.SetArgs([]string{})
	if err := cmd.Execute(); err != nil {
		os.Exit(1)
	}
}

func process(kind string, list *framework.ResourceList) error {
	config := "{}"
	if !list.FunctionConfig.IsNilOrEmpty() {
		config = list.FunctionConfig.MustString()
	}
	dependencies := provider.NewDefaultDepProvider()
	factory := resmap.NewFactory(dependencies.GetResourceFactory())
	files := loader.NewFileLoaderAtRoot(filesys.MakeFsInMemory())
	helpers := resmap.NewPluginHelpers(files, dependencies.GetFieldValidator(), factory, nil)
	resources, err := factory.NewResMapFromRNodeSlice(slices.DeleteFunc(slices.Clone(list.Items), passed))
	if err != nil {
		return err
	}
	annotations := internalAnnotations(list.Items)
	if err := run(kind, helpers, []byte(config), resources); err != nil {
		return err
	}
	resources.RemoveBuildAnnotations()
	return replace(list, resources.ToRNodeSlice(), annotations)
}

// passed reports whether an item is not a resource for kustomize: local configuration, or an object without an identity.
func passed(item *yaml.RNode) bool {
	return item.GetKind() == "" || item.GetName() == "" || item.GetAnnotations()["config.kubernetes.io/local-config"] == "true"
}

// internalAnnotations returns the annotations of orchestrators, which kustomize removes, of the items that are resources.
func internalAnnotations(items []*yaml.RNode) []map[string]string {
	var all []map[string]string
	for _, item := range items {
		if !passed(item) {
			annotations := item.GetAnnotations()
			maps.DeleteFunc(annotations, func(key, _ string) bool { return !strings.Contains(key, "config.kubernetes.io/") })
			all = append(all, annotations)
		}
	}
	return all
}

// replace puts resources in the places of the items from which they were made, and new ones at the end.
func replace(list *framework.ResourceList, resources []*yaml.RNode, annotations []map[string]string) error {
	next := 0
	for i, item := range list.Items {
		if passed(item) {
			continue
		}
		list.Items[i] = resources[next]
		for _, key := range slices.Sorted(maps.Keys(annotations[next])) {
			if err := resources[next].PipeE(yaml.SetAnnotation(key, annotations[next][key])); err != nil {
				return err
			}
		}
		next++
	}
	list.Items = append(list.Items, resources[next:]...)
	return nil
}

func run(kind string, helpers *resmap.PluginHelpers, config []byte, resources resmap.ResMap) error {
	if create := generators[kind]; create != nil {
		plugin := create()
		if err := configure(plugin, helpers, config); err != nil {
			return err
		}
		generated, err := plugin.Generate()
		if err != nil {
			return err
		}
		return resources.AbsorbAll(generated)
	}
	create := transformers[kind]
	if create == nil {
		return fmt.Errorf("unknown kind %q", kind)
	}
	plugin := create()
	if err := configure(plugin, helpers, config); err != nil {
		return err
	}
	return plugin.Transform(resources)
}

func configure(plugin any, helpers *resmap.PluginHelpers, config []byte) error {
	text, err := k8syaml.YAMLToJSON(config) // some plugins read JSON only
	if err != nil {
		return err
	}
	return plugin.(resmap.Configurable).Config(helpers, text)
}
