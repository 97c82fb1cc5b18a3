package validate

import (
	"iter"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/form"
	"github.com/resource-plugins/krm-functions/internal/version"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// resourceUnique: Sandbox spec, spec.resources.
var resourceUnique = Rule{
	ID: "resource-unique", Severity: krm.Error,
	Demand:  "A resource's name is given once in a sandbox.",
	Why:     "Variables refer to resources by name.",
	Example: "spec.resources[1].name: db",
	sandbox: func(c *sandboxCheck) {
		names := make(map[string]bool, len(c.Spec.Resources))
		for i, resource := range c.Spec.Resources {
			c.once(names, resource.Name, "resource", resourcePath(i))
		}
	},
}

// resourceName: contract, Names of what is rendered.
var resourceName = Rule{
	ID: "resource-name", Severity: krm.Warning,
	Demand:  "A resource's name has letters, digits and dashes, starts with a letter, and has at most 30 characters.",
	Why:     "It becomes part of object names; another one is changed for them.",
	Example: "spec.resources[1].name: my_cache",
	sandbox: func(c *sandboxCheck) {
		for i, resource := range c.Spec.Resources {
			// A dash at the end does no harm: only the form behind it is asked for.
			trimmed := strings.TrimRight(resource.Name, "-")
			if form.Identifier(trimmed) != "" || trimmed == "" && resource.Name != "" || len(resource.Name) > form.MaxIdentifier {
				c.report(resourcePath(i).Key("name"),
					"resource name %q must be 1 to %d letters, digits and dashes and start with a letter, or it is changed in object names",
					resource.Name, form.MaxIdentifier)
			}
		}
	},
}

// pluginReference: Sandbox spec, spec.resources: `name[@version]`.
var pluginReference = Rule{
	ID: "plugin-reference", Severity: krm.Error,
	Demand:  "A resource's plugin is name[@version]: the name of a plugin, and a version or a range of versions.",
	Why:     "Nothing else can be resolved to a plugin.",
	Example: "spec.resources[0].plugin: hello_db",
	sandbox: func(c *sandboxCheck) {
		for i, resource := range c.Spec.Resources {
			if _, err := version.ParseReference(resource.Plugin); err != nil && resource.Plugin != "" {
				c.report(resourcePath(i).Key("plugin"), "plugin %v", err)
			}
		}
	},
}

// resourceReference: Sandbox reference, env: a resource of this sandbox.
var resourceReference = Rule{
	ID: "resource-reference", Severity: krm.Error,
	Demand:  "A variable or a file that takes an output names a resource of this sandbox.",
	Why:     "There is no such resource to take the output from.",
	Example: "spec.forks[0].customizations.env[1].valueFrom.resource.name: dbb",
	sandbox: func(c *sandboxCheck) {
		names, known := make([]string, 0, len(c.Spec.Resources)), make(map[string]bool, len(c.Spec.Resources))
		unsure := c.unsure("spec.resources")
		for i, resource := range c.Spec.Resources {
			names = append(names, resource.Name)
			known[resource.Name] = true
			unsure = unsure || len(c.problems) > 0 && (c.unsure(resourcePath(i)) || c.unsure(resourcePath(i).Key("name")))
		}
		for path, output := range c.outputs() {
			if !known[output.Name] && !unsure {
				c.suggest(path.Key("name"), "there is no resource", output.Name, names,
					"it must be one of this sandbox's resources: "+listed(names))
			}
		}
	},
}

// outputKey: ResourcePlugin reference, Flow: a sandbox addresses an output as `<step>.<output>`.
var outputKey = Rule{
	ID: "output-key", Severity: krm.Error,
	Demand:  "An outputKey is `<step>.<output>`, with a dot between the two names.",
	Why:     "A key without a dot is an old form that no longer resolves.",
	Example: "spec.forks[0].customizations.env[1].valueFrom.resource.outputKey: host",
	sandbox: func(c *sandboxCheck) {
		for path, output := range c.outputs() {
			step, key, dotted := strings.Cut(output.OutputKey, ".")
			switch {
			case output.OutputKey == "": // for the rule "required"
			case !dotted:
				c.report(path.Key("outputKey"), "must be <step>.<output> such as %q: %q without a dot is an old form",
					"provision.host", output.OutputKey)
			case step == "" || key == "" || form.Identifier(step) != "" || form.Identifier(key) != "":
				c.report(path.Key("outputKey"), "must be <step>.<output> such as %q, not %q", "provision.host", output.OutputKey)
			}
		}
	},
}

// outputs runs through the references to outputs of resources: of variables, then of files.
func (c *sandboxCheck) outputs() iter.Seq2[krm.Path, *v1alpha1.ResourceOutput] {
	return func(yield func(krm.Path, *v1alpha1.ResourceOutput) bool) {
		for v := range c.environment() {
			if v.ValueFrom == nil || v.ValueFrom.Resource == nil {
				continue
			}
			if !yield(v.path().Key("valueFrom").Key("resource"), v.ValueFrom.Resource) {
				return
			}
		}
		for path, file := range c.files() {
			if file.ValueFrom == nil || file.ValueFrom.Resource == nil {
				continue
			}
			if !yield(path.Key("valueFrom").Key("resource"), file.ValueFrom.Resource) {
				return
			}
		}
	}
}

func resourcePath(i int) krm.Path { return krm.Path("spec.resources").Index(i) }
