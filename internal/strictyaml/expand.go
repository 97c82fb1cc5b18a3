package strictyaml

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/krm/field"
)

// Expand returns a tree with aliases and merge keys (`<<`) expanded. The entries of a mapping take precedence over
// those that it merges, which come after them; of several merged mappings the earlier ones take precedence. A tree
// without aliases, anchors and merge keys is returned itself, any other one is copied.
//
// Beyond MaxAliased and MaxAliasedText, and if an alias contains itself, an alias node is left in the tree and reported
// as a problem of RuleAlias. A merge key whose value is not a mapping is a problem of RuleType. Paths of problems are
// below base.
func Expand(node *yaml.Node, base field.Path) (*yaml.Node, []Problem) {
	d := decoder{}
	expanded := d.expand(node, base)
	return expanded, d.problems
}

func (d *decoder) expand(node *yaml.Node, base field.Path) *yaml.Node {
	if !hasAliases(node) {
		return node
	}
	e := expander{decoder: d, open: map[*yaml.Node]bool{}}
	return e.expand(node, &path{base: base})
}

// hasAliases reports whether a tree has aliases, anchors or merge keys.
func hasAliases(node *yaml.Node) bool {
	if node.Kind == yaml.AliasNode || node.Anchor != "" {
		return true
	}
	for i, child := range node.Content {
		if node.Kind == yaml.MappingNode && i%2 == 0 && isMerge(child) || hasAliases(child) {
			return true
		}
	}
	return false
}

// isMerge reports whether a key is a merge key: a plain `<<`.
func isMerge(key *yaml.Node) bool { return key.Kind == yaml.ScalarNode && key.ShortTag() == "!!merge" }

type expander struct {
	*decoder
	expanded int                 // values that aliases expand to
	text     int                 // the bytes of their text
	open     map[*yaml.Node]bool // the anchored values that are being expanded
}

func (e *expander) expand(node *yaml.Node, at *path) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		target := node.Alias
		if target == nil || e.open[target] {
			e.report(RuleAlias, at, node, "alias %q must not contain itself", node.Value)
			return node
		}
		e.open[target] = true
		defer delete(e.open, target)
		node = target
	}
	if !e.count(node, at) {
		return &yaml.Node{Kind: yaml.AliasNode}
	}
	expanded := *node
	expanded.Anchor, expanded.Content = "", nil
	switch node.Kind {
	case yaml.MappingNode:
		expanded.Content = e.entries(node, at)
	default:
		for i, child := range node.Content {
			below := path{parent: at, list: true, index: i}
			if at.merged {
				below = *at
			}
			expanded.Content = append(expanded.Content, e.expand(child, &below))
		}
	}
	return &expanded
}

// entries returns the content of an expanded mapping.
func (e *expander) entries(mapping *yaml.Node, at *path) []*yaml.Node {
	content := make([]*yaml.Node, 0, len(mapping.Content))
	var sources []*yaml.Node
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		key, value := mapping.Content[i], mapping.Content[i+1]
		if isMerge(key) {
			if len(sources) > 0 {
				e.report(RuleDuplicate, &path{parent: at, key: key.Value}, key, "must be given once: key %q is repeated", key.Value)
			}
			source := *at
			source.merged = true
			sources = append(sources, e.expand(value, &source))
			continue
		}
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		plain := *key
		plain.Anchor = ""
		content = append(content, &plain, e.expand(value, &path{parent: at, key: key.Value}))
	}
	given := map[string]bool{}
	for i := 0; i < len(content) && len(sources) > 0; i += 2 {
		given[content[i].Value] = true
	}
	for _, source := range sources {
		content = e.merge(content, given, source, at)
	}
	return content
}

// merge adds the entries of a merged mapping, or of a list of them, whose keys are not yet set.
func (e *expander) merge(content []*yaml.Node, given map[string]bool, source *yaml.Node, at *path) []*yaml.Node {
	switch source.Kind {
	case yaml.MappingNode:
		own := len(content)
		for i := 0; i < len(source.Content); i += 2 {
			if !given[source.Content[i].Value] {
				content = append(content, source.Content[i], source.Content[i+1])
			}
		}
		for i := own; i < len(content); i += 2 {
			given[content[i].Value] = true
		}
	case yaml.SequenceNode:
		for _, element := range source.Content {
			content = e.merge(content, given, element, at)
		}
	case yaml.AliasNode: // already reported
	default:
		e.mistyped(&path{parent: at, key: "<<"}, source, "must be a mapping to merge, or a list of them, not %s")
	}
	return content
}

// count counts the values of expanded aliases. It returns false beyond a limit, which it reports once.
func (e *expander) count(node *yaml.Node, at *path) bool {
	if len(e.open) == 0 {
		return true
	}
	within := e.expanded <= MaxAliased && e.text <= MaxAliasedText
	e.expanded++
	e.text += len(node.Value)
	switch {
	case !within:
	case e.expanded > MaxAliased:
		e.report(RuleAlias, at, node, "aliases must not lead to more than %d values in one document", MaxAliased)
	case e.text > MaxAliasedText:
		e.report(RuleAlias, at, node, "aliases must not lead to more than %d bytes of text in one document", MaxAliasedText)
	default:
		return true
	}
	return false
}
