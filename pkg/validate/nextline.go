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
	Sources: []string{"https://yaml.org/spec/1.1/#b-next-line"},
	Example: `spec.description: "a\u0085b"`,
	checks: []check{
		pluginCheck(func(r *Rule, p *plugin) { p.nextLines(r, p.item.YNode()) }),
		sandboxCheck(func(r *Rule, s *sandbox) { s.nextLines(r, s.item.YNode()) }),
		routeGroupCheck(func(r *Rule, g *routeGroup) { g.nextLines(r, g.item.YNode()) }),
	},
}

// nextLines reports the values and keys of a tree that contain the character. Targets of aliases are checked once.
func (c *Document) nextLines(r *Rule, root *yaml.Node) { c.nextLinesBelow(r, nil, root) }

// nextLinesBelow is nextLines for the value at the end of the steps. Paths are only formatted for findings, since they can
// be long in deep values.
func (c *Document) nextLinesBelow(r *Rule, at []krm.Step, node *yaml.Node) {
	for i, child := range node.Content {
		switch {
		case node.Kind == yaml.SequenceNode:
			c.nextLinesBelow(r, append(at, krm.Step{Index: i}), child)
		case i%2 == 1:
			c.nextLinesBelow(r, append(at, krm.Step{Key: node.Content[i-1].Value, Index: -1}), child)
		case strings.ContainsRune(child.Value, yamlprint.NextLine):
			c.ReportKey(r, pathOf(at).Key(child.Value), "key %q must not hold %s: remove it", child.Value,
				yamlprint.CharacterName(yamlprint.NextLine))
		}
	}
	if node.Kind != yaml.ScalarNode {
		return
	}
	if position := strings.IndexRune(node.Value, yamlprint.NextLine); position >= 0 {
		line, column := yamlprint.Position([]byte(node.Value), position)
		c.ReportInside(r, pathOf(at), line, column, "must not hold %s, which kustomize makes another character of: remove it",
			yamlprint.CharacterName(yamlprint.NextLine))
	}
}

func pathOf(steps []krm.Step) krm.Path {
	var path krm.Path
	for _, step := range steps {
		if step.Index >= 0 {
			path = path.Index(step.Index)
		} else {
			path = path.Key(step.Key)
		}
	}
	return path
}
