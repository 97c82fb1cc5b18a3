package resolve

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// The name of a lock that resolution adds, and its file in a package.
const (
	lockName = "plugin-lock"
	lockFile = lockName + ".yaml"
)

// write makes the locks of a list hold these entries. An entry stays in the lock that has its reference, a new one goes
// to the first lock by name, and if there is none a lock is added to the list, with the annotations of its file if
// placed is set. Other references are removed. A lock that has the right entries in the right order is not touched; in
// others the comments of entries that stay are kept. The set itself is not changed.
func (s *lockSet) write(list *krm.ResourceList, entries []v1alpha1.LockEntry, placed bool) error {
	if s.isEmpty() {
		if len(entries) == 0 {
			return nil
		}
		return addLock(list, sorted(entries), placed)
	}
	shares := map[*lock][]v1alpha1.LockEntry{}
	for _, entry := range sorted(entries) {
		owner := s.locks[0]
		if known, ok := s.get(entry.Asked); ok {
			owner = known.lock
		}
		shares[owner] = append(shares[owner], entry)
	}
	for _, l := range s.locks {
		if !slices.Equal(l.entries, shares[l]) {
			list.Replace(l.item, l.with(shares[l]))
		}
	}
	return nil
}

func addLock(list *krm.ResourceList, entries []v1alpha1.LockEntry, placed bool) error {
	item, err := krm.NewItem([]byte(emptyLock))
	if err != nil {
		return err
	}
	item = (&lock{item: item}).with(entries)
	if placed {
		item.Annotate("internal.config.kubernetes.io/path", lockFile)
		item.Annotate("internal.config.kubernetes.io/index", "0")
	}
	list.Append(item)
	return nil
}

const emptyLock = `apiVersion: ` + contract.APIVersion + `
kind: ` + contract.PluginLock + `
metadata:
  name: ` + lockName + `
  annotations:
    config.kubernetes.io/local-config: "true"
spec:
  plugins: []
`

// with returns a copy of the lock's document that has these entries.
func (l *lock) with(entries []v1alpha1.LockEntry) *krm.Item {
	root := *l.item.YNode()
	root.Content = slices.Clone(root.Content)
	spec := copyChild(&root, "spec", yaml.MappingNode)
	list := copyChild(spec, "plugins", yaml.SequenceNode)
	nodes := map[v1alpha1.LockEntry]*yaml.Node{}
	for _, node := range list.Content {
		var entry v1alpha1.LockEntry
		if strictyaml.Into(node, "", &entry) == nil {
			nodes[entry] = node
		}
	}
	list.Content = make([]*yaml.Node, 0, len(entries))
	for _, entry := range entries {
		if nodes[entry] == nil {
			nodes[entry] = &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{
				textNode("asked"), textNode(entry.Asked), textNode("chosen"), textNode(entry.Chosen),
				textNode("digest"), textNode(entry.Digest),
			}}
		}
		list.Content = append(list.Content, nodes[entry])
	}
	if list.Style = 0; len(entries) == 0 {
		list.Style = yaml.FlowStyle
	}
	return krm.FromNode(&root, l.item.PlaceOf("").File)
}

// copyChild replaces the value of key in the mapping by a copy in block style, and returns that.
func copyChild(mapping *yaml.Node, key string, kind yaml.Kind) *yaml.Node {
	child := &yaml.Node{Kind: kind}
	if old := krm.Value(mapping, key); old != nil && old.Kind == kind {
		*child = *old
		child.Content = slices.Clone(old.Content)
	}
	child.Style &^= yaml.FlowStyle
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			mapping.Content[i+1] = child
			return child
		}
	}
	mapping.Content = append(mapping.Content, textNode(key), child)
	return child
}

// textNode returns a string, quoted if some YAML reader reads something else: plugins may be called no or on.
func textNode(value string) *yaml.Node {
	node := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value}
	if isAmbiguous(value) {
		node.Style = yaml.DoubleQuotedStyle
	}
	return node
}

func isAmbiguous(value string) bool {
	var read string
	return strictyaml.Into(&yaml.Node{Kind: yaml.ScalarNode, Value: value}, "", &read) != nil
}
