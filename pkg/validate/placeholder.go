package validate

import (
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// placeholderValue: Sandbox reference, Mistakes found in real files. It looks at the fields that name things, where
// nothing of the kind could be meant; scripts, params and values may hold what they like.
var placeholderValue = Rule{
	ID: "placeholder", Severity: krm.Error,
	Demand:  "A field that names something holds a name, not a placeholder: no CHANGE_ME, ${name} or @{name}.",
	Why:     "The placeholder was to be filled in; templates use @{name} and are expanded when native files are read.",
	Example: "spec.runner.namespace: CHANGE_ME",
	plugin: func(c *pluginCheck) {
		c.placeholder(namePath, c.Name)
		c.placeholder("spec.runner.image", c.Spec.Runner.Image)
		c.placeholder("spec.runner.namespace", c.Spec.Runner.Namespace)
	},
	sandbox: func(c *sandboxCheck) {
		c.placeholder(namePath, c.Name)
		c.placeholder("spec.cluster", c.Spec.Cluster)
		for w := range c.workloads() {
			c.placeholder(w.path().Key("namespace"), w.Namespace)
			c.placeholder(w.path().Key("name"), w.Name)
		}
		for i, fork := range c.Spec.Forks {
			if fork.Customizations != nil {
				for n, image := range fork.Customizations.Images {
					c.placeholder(imagePath(i, n).Key("image"), image.Image)
				}
			}
		}
		for i, endpoint := range c.Spec.Endpoints {
			c.placeholder(hostEndpointPath(i).Key("host"), endpoint.Host)
		}
		if c.Spec.DefaultRouteGroup != nil {
			for i, endpoint := range c.Spec.DefaultRouteGroup.Endpoints {
				c.placeholder(targetPath(i), endpoint.Target)
			}
		}
		for i, resource := range c.Spec.Resources {
			c.placeholder(resourcePath(i).Key("name"), resource.Name)
			c.placeholder(resourcePath(i).Key("plugin"), resource.Plugin)
		}
	},
	routeGroup: func(c *routeGroupCheck) {
		c.placeholder(namePath, c.Name)
		c.placeholder("spec.cluster", c.Spec.Cluster)
		for i, endpoint := range c.Spec.Endpoints {
			c.placeholder(groupEndpointPath(i).Key("target"), endpoint.Target)
			c.placeholder(groupEndpointPath(i).Key("cluster"), endpoint.Cluster)
		}
	},
}

func (c *check) placeholder(path krm.Path, text string) {
	name, at := directiveName(text)
	switch {
	case at < 0:
		if wholePlaceholder(text) {
			c.report(path, "%q is a placeholder: fill it in", text)
		}
	case text[at] == '@':
		c.report(path, "%q holds a template directive: it must be filled in, as import-plugin and file mode do", text)
	default:
		meant := text[:at] + "@" + text[at+1:]
		c.propose(path, meant, "%q is not a template: a variable must be written @{%s}", text, name)
	}
}

// directiveName finds the first ${name} or @{name}. It returns the name and where the directive begins, -1 without one.
func directiveName(text string) (name string, at int) {
	for i := 0; i+2 < len(text); i++ {
		if (text[i] != '$' && text[i] != '@') || text[i+1] != '{' {
			continue
		}
		if name, _, closed := strings.Cut(text[i+2:], "}"); closed && name != "" {
			return name, i
		}
	}
	return "", -1
}

// wholePlaceholder tells whether a text is nothing but CHANGE_ME or <name>.
func wholePlaceholder(text string) bool {
	switch {
	case text == "":
		return false
	case text[0] == '<':
		return text[len(text)-1] == '>'
	case text[0] == 'c' || text[0] == 'C':
		return strings.EqualFold(strings.ReplaceAll(strings.ReplaceAll(text, "_", ""), "-", ""), "changeme")
	}
	return false
}
