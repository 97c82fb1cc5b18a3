package validate

import (
	"strings"

	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

var resourceUnique = Rule{
	ID: "resource-unique", Severity: krm.Error,
	Summary: "A resource's name is given once in a sandbox.",
	Why:     "Variables refer to resources by name.",
	Example: "spec.resources[1].name: db",
	checks: []check{sandboxCheck(func(r *Rule, s *sandbox) {
		names := make(map[string]bool, len(s.Spec.Resources))
		for i, resource := range s.Spec.Resources {
			s.Once(r, names, resource.Name, "resource", resourcePath(i))
		}
	})},
}

var resourceName = Rule{
	ID: "resource-name", Severity: krm.Warning,
	Summary: "A resource's name has letters, digits and dashes, starts with a letter, and has at most 30 characters.",
	Why:     "It becomes part of object names; any other name is changed for them.",
	Sources: []string{},
	Example: "spec.resources[1].name: my_cache",
	checks: []check{sandboxCheck(func(r *Rule, s *sandbox) {
		for i, resource := range s.Spec.Resources {
			trimmed := strings.TrimRight(resource.Name, "-") // a dash at the end is permitted
			onlyDashes, tooLong := trimmed == "" && resource.Name != "", len(resource.Name) > document.MaxIdentifier
			if onlyDashes || tooLong || document.CheckIdentifier(trimmed) != "" {
				s.Report(r, resourcePath(i).Key("name"),
					"resource name %q must be 1 to %d letters, digits and dashes and start with a letter, or it is changed in object names",
					resource.Name, document.MaxIdentifier)
			}
		}
	})},
}

var pluginReference = Rule{
	ID: "plugin-reference", Severity: krm.Error,
	Summary: "The plugin of a resource or a test is name[@version]: the name of a plugin, and a version or a range of " +
		"versions.",
	Why:     "Nothing else can be resolved to a plugin.",
	Sources: []string{sandboxSpec, "https://semver.org/"},
	Example: "spec.resources[0].plugin: hello_db",
	checks: []check{
		sandboxCheck(func(r *Rule, s *sandbox) {
			for i, resource := range s.Spec.Resources {
				s.reference(r, resourcePath(i).Key("plugin"), resource.Plugin)
			}
		}),
		pluginTestCheck(func(r *Rule, t *pluginTest) { t.reference(r, testPluginPath, t.Spec.Plugin) }),
	},
}

// reference checks a reference to a plugin.
func (c *Document) reference(r *Rule, path krm.Path, text string) {
	if _, err := document.ParsePluginReference(text); err != nil && text != "" {
		c.Report(r, path, "plugin %v", err)
	}
}

var unknownPlugin = Rule{
	ID: "unknown-plugin", Severity: krm.Warning,
	Summary: "If a list holds plugins, it holds those that its sandboxes and tests name, in a version that they admit.",
	Why: "The reference would not be resolved. It is a warning, since the plugin may be published elsewhere; the plugins of " +
		"a sandbox that is checked alone are not looked for.",
	Example: "spec.resources[0].plugin: helo-db",
	checks: ofBindings(func(r *Rule, d *documents, b *binding) {
		if b.plugin != nil || b.unsure || b.pluginPath == "" {
			return
		}
		name := b.reference.Bare
		if versions := d.index.versions(name); len(versions) > 0 {
			b.on.Report(r, b.pluginPath, "plugin %q has no version %q: there are %s",
				name, b.reference.Selector, strictyaml.Listed(versions))
			return
		}
		b.on.suggest(r, b.pluginPath, "there is no plugin", name, d.index.near(name),
			"the list has "+strictyaml.Listed(d.index.names))
	}),
}
