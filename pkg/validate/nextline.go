package validate

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/yamlprint"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

var nextLine = Rule{
	ID: "next-line", Severity: krm.Error,
	Summary: "No text holds U+0085, the control character NEL.",
	Why: "In kustomize it becomes a blank or a line break: a script would be another one, with another digest. In a YAML " +
		"file the character itself, like U+2028 and U+2029, is an error in file mode.",
	sources: []string{"https://yaml.org/spec/1.1/#b-next-line"},
	Example: `spec.description: "a\u0085b"`,
	checks: []check{
		pluginCheck(func(r *Rule, p *plugin) { p.nextLines(r, "", p.item.YNode()) }),
		sandboxCheck(func(r *Rule, s *sandbox) { s.nextLines(r, "", s.item.YNode()) }),
		routeGroupCheck(func(r *Rule, g *routeGroup) { g.nextLines(r, "", g.item.YNode()) }),
	},
}

// nextLines reports the values and keys of a tree that hold the character. What aliases stand for is looked at once.
func (c *checked) nextLines(r *Rule, path krm.Path, node *yaml.Node) {
	for i, child := range node.Content {
		switch {
		case node.Kind == yaml.SequenceNode:
			c.nextLines(r, path.Index(i), child)
		case i%2 == 1:
			c.nextLines(r, path.Key(node.Content[i-1].Value), child)
		case strings.ContainsRune(child.Value, yamlprint.NextLine):
			c.reportKey(r, path.Key(child.Value), "key %q must not hold %s: remove it", child.Value,
				yamlprint.CharacterName(yamlprint.NextLine))
		}
	}
	if node.Kind != yaml.ScalarNode {
		return
	}
	if at := strings.IndexRune(node.Value, yamlprint.NextLine); at >= 0 {
		line, column := yamlprint.Position([]byte(node.Value), at)
		c.reportInside(r, path, line, column, "must not hold %s, which kustomize makes another character of: remove it",
			yamlprint.CharacterName(yamlprint.NextLine))
	}
}
