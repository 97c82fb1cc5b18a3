package resolve

import (
	"encoding/json"
	"slices"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/kyaml/kio/kioutil"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/internal/yamlprint"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// emptyLock is the lock that resolution adds.
const emptyLock = `apiVersion: ` + contract.APIVersion + `
kind: ` + contract.PluginLock + `
metadata:
  name: plugin-lock
  annotations:
    config.kubernetes.io/local-config: "true"
spec:
  plugins: []
`

// write sets the entries of a list's locks. An entry stays in the lock that has its reference, and a new one is added
// to the first lock by name; without a lock one is added to the list, with the annotations of its file if placed is
// set. Entries for other references are removed. A lock that already has the right entries in the right order is not
// touched; in others the comments of remaining entries are kept.
func (s *lockSet) write(list *krm.ResourceList, entries []v1alpha1.LockEntry, placed bool) error {
	if err := s.provide(list, len(entries) > 0, placed); err != nil {
		return err
	}
	shares := map[*lock][]v1alpha1.LockEntry{}
	for _, entry := range sorted(entries) {
		owner := s.locks[0]
		if known, ok := s.byReference[entry.Asked]; ok {
			owner = known.lock
		}
		shares[owner] = append(shares[owner], entry)
	}
	for _, l := range s.locks {
		if slices.Equal(l.entries, shares[l]) {
			continue
		}
		if err := setEntries(l, "plugins", shares[l]); err != nil {
			return err
		}
	}
	return nil
}

// provide adds a lock to a list without one, if it is needed.
func (s *lockSet) provide(list *krm.ResourceList, needed, placed bool) error {
	if len(s.locks) > 0 || !needed {
		return nil
	}
	item, err := krm.NewItem([]byte(emptyLock))
	if err != nil {
		return err
	}
	if placed {
		item.Annotate(kioutil.PathAnnotation, "plugin-lock.yaml")
		item.Annotate(kioutil.IndexAnnotation, "0")
	}
	list.Append(item)
	s.locks = []*lock{{item: item}}
	return nil
}

// setEntries sets the entries of one list of a lock's document. The other list is not changed.
func setEntries[E any](l *lock, key string, entries []E) error {
	nodes := map[string]*yaml.Node{} // by the entry as JSON
	for _, node := range elements(krm.Value(krm.Value(l.item.YNode(), "spec"), key)) {
		var entry E
		if strictyaml.Into(node, "", &entry) == nil {
			text, err := json.Marshal(entry)
			if err != nil {
				return err
			}
			nodes[string(text)] = node
		}
	}
	list := &yaml.Node{Kind: yaml.SequenceNode}
	for _, entry := range entries {
		text, err := json.Marshal(entry)
		if err != nil {
			return err
		}
		node := nodes[string(text)]
		if node == nil {
			node = yamlprint.ReadJSON(string(text))
		}
		list.Content = append(list.Content, node)
	}
	return l.item.Edit(func(object *kyaml.RNode) error {
		spec := kyaml.NewMapRNode(nil)
		for _, one := range []string{"plugins", "packages"} {
			value := krm.Value(krm.Value(object.YNode(), "spec"), one)
			if one == key {
				value = list
			}
			if value == nil || one == "packages" && len(value.Content) == 0 {
				continue
			}
			if err := spec.PipeE(kyaml.SetField(one, kyaml.NewRNode(value))); err != nil {
				return err
			}
		}
		return object.PipeE(kyaml.SetField("spec", spec))
	})
}
