package validate

import (
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// placeholderValue checks fields for names, in which placeholders are never intended. Scripts, params and values may contain
// anything.
var placeholderValue = Rule{
	ID: "placeholder", Severity: krm.Error,
	Summary: "A field that names something holds a name, not a placeholder: no CHANGE_ME, ${name} or @{name}.",
	Why:     "The placeholder was to be filled in; templates use @{name} and are expanded when native files are read.",
	Sources: []string{},
	Example: "spec.runner.namespace: CHANGE_ME",
	checks: []check{
		pluginCheck(func(r *Rule, p *plugin) {
			p.placeholder(r, namePath, p.Name)
			p.placeholder(r, "spec.runner.image", p.Spec.Runner.Image)
			p.placeholder(r, "spec.runner.namespace", p.Spec.Runner.Namespace)
		}),
		sandboxCheck(func(r *Rule, s *sandbox) {
			s.placeholder(r, namePath, s.Name)
			s.placeholder(r, clusterPath, s.Spec.Cluster)
			for _, w := range s.workloads {
				s.placeholder(r, w.path.Key("namespace"), w.Namespace)
				s.placeholder(r, w.path.Key("name"), w.Name)
			}
			s.eachImage(func(path krm.Path, image string) { s.placeholder(r, path, image) })
			for i, e := range s.Spec.Endpoints {
				s.placeholder(r, endpointPath(i).Key("host"), e.Host)
			}
			for _, e := range s.endpoints {
				s.placeholder(r, e.path.Key("target"), e.target)
			}
			for i, resource := range s.Spec.Resources {
				s.placeholder(r, resourcePath(i).Key("name"), resource.Name)
				s.placeholder(r, resourcePath(i).Key("plugin"), resource.Plugin)
			}
		}),
		routeGroupCheck(func(r *Rule, g *routeGroup) {
			g.placeholder(r, namePath, g.Name)
			g.placeholder(r, clusterPath, g.Spec.Cluster)
			for i, e := range g.Spec.Endpoints {
				g.placeholder(r, endpointPath(i).Key("target"), e.Target)
				g.placeholder(r, endpointPath(i).Key("cluster"), e.Cluster)
			}
		}),
	},
}

func (c *Document) placeholder(r *Rule, path krm.Path, text string) {
	name, at := directiveName(text)
	switch {
	case at < 0:
		if isPlaceholder(text) {
			c.Report(r, path, "%q is a placeholder: fill it in", text)
		}
	case text[at] == '@':
		c.Report(r, path, "%q holds a template directive: it must be filled in, as import-plugin and file mode do", text)
	default:
		meant := text[:at] + "@" + text[at+1:]
		c.Propose(r, path, meant, "%q is not a template: a variable must be written @{%s}", text, name)
	}
}

// directiveName finds the first ${name} or @{name}. It returns the name and the index of the directive, or -1.
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

// isPlaceholder reports whether a text is CHANGE_ME, in any spelling, or <name>.
func isPlaceholder(text string) bool {
	if strings.HasPrefix(text, "<") {
		return strings.HasSuffix(text, ">")
	}
	return strings.EqualFold(strings.ReplaceAll(strings.ReplaceAll(text, "_", ""), "-", ""), "changeme")
}
