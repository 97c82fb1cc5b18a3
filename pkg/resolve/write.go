package resolve

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Name is what a lock is called that resolution makes, and File where it is kept in a package.
const (
	LockName = "plugin-lock"
	LockFile = LockName + ".yaml"
)

// Apply makes the locks of a list hold these entries. An entry stays in the lock that has its reference, a new one goes
// to the first lock by name, and where there is none a lock is added to the list, annotated with its place in the package
// where placed asks for it. References that are not among the entries go. A lock that holds the right entries in the
// right order is not touched; in another one, comments of entries that stay are kept. The set must be the list's; it is
// not changed.
func (s *LockSet) Apply(list *krm.ResourceList, entries []v1alpha1.LockEntry, placed bool) error {
	if len(s.locks) == 0 {
		if len(entries) == 0 {
			return nil
		}
		return add(list, sorted(entries), placed)
	}
	shares := map[*Lock][]v1alpha1.LockEntry{}
	for _, entry := range sorted(entries) {
		_, owner, ok := s.Get(entry.Asked)
		if !ok {
			owner = s.locks[0]
		}
		shares[owner] = append(shares[owner], entry)
	}
	for _, l := range s.locks {
		if !slices.Equal(l.Entries, shares[l]) {
			list.Replace(l.Item, l.with(shares[l]))
		}
	}
	return nil
}

func add(list *krm.ResourceList, entries []v1alpha1.LockEntry, placed bool) error {
	item, err := krm.NewItem([]byte(emptyLock))
	if err != nil {
		return err
	}
	item = (&Lock{Item: item}).with(entries)
	if placed {
		item.Annotate("internal.config.kubernetes.io/path", LockFile)
		item.Annotate("internal.config.kubernetes.io/index", "0")
	}
	list.Append(item)
	return nil
}

const emptyLock = `apiVersion: ` + contract.APIVersion + `
kind: ` + contract.PluginLock + `
metadata:
  name: ` + LockName + `
  annotations:
    config.kubernetes.io/local-config: "true"
spec:
  plugins: []
`

// with returns a twin of the lock's document that has these entries.
func (l *Lock) with(entries []v1alpha1.LockEntry) *krm.Item {
	root := *l.Item.YNode()
	root.Content = slices.Clone(root.Content)
	spec := child(&root, "spec", yaml.MappingNode)
	list := child(spec, "plugins", yaml.SequenceNode)
	kept := nodesOf(list.Content)
	list.Content = make([]*yaml.Node, 0, len(entries))
	for _, entry := range entries {
		if kept[entry] == nil {
			kept[entry] = lockNodeOf(entry)
		}
		list.Content = append(list.Content, kept[entry])
	}
	if list.Style = 0; len(entries) == 0 {
		list.Style = yaml.FlowStyle
	}
	return krm.FromNode(&root, l.Item.PlaceOf("").File)
}

// child returns a copy of the value of key, which takes its place in the mapping.
func child(mapping *yaml.Node, key string, kind yaml.Kind) *yaml.Node {
	fresh := &yaml.Node{Kind: kind}
	if old := krm.Value(mapping, key); old != nil && old.Kind == kind {
		*fresh = *old
		fresh.Content = slices.Clone(old.Content)
	}
	fresh.Style &^= yaml.FlowStyle
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			mapping.Content[i+1] = fresh
			return fresh
		}
	}
	mapping.Content = append(mapping.Content, text(key), fresh)
	return fresh
}

// nodesOf returns the nodes of a lock's entries by what they say.
func nodesOf(list []*yaml.Node) map[v1alpha1.LockEntry]*yaml.Node {
	nodes := make(map[v1alpha1.LockEntry]*yaml.Node, len(list))
	for _, node := range list {
		var entry v1alpha1.LockEntry
		if strictyaml.Into(node, "", &entry) == nil {
			nodes[entry] = node
		}
	}
	return nodes
}

func lockNodeOf(entry v1alpha1.LockEntry) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{
		text("asked"), text(entry.Asked), text("chosen"), text(entry.Chosen), text("digest"), text(entry.Digest),
	}}
}

// text returns a string, quoted where some reader of YAML takes it for something else: no and on are plugins too.
func text(value string) *yaml.Node {
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
