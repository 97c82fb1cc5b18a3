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

// write makes the locks of a list hold these entries. An entry stays in the lock that has its reference, a new one goes
// to the first lock by name, and if there is none a lock is added to the list, with the annotations of its file if
// placed is set. Other references are removed. A lock that has the right entries in the right order is not touched; in
// others the comments of entries that stay are kept.
func (s *lockSet) write(list *krm.ResourceList, entries []v1alpha1.LockEntry, placed bool) error {
	locks := s.locks
	if len(locks) == 0 && len(entries) > 0 {
		item, err := krm.NewItem([]byte(emptyLock))
		if err != nil {
			return err
		}
		if placed {
			item.Annotate(kioutil.PathAnnotation, "plugin-lock.yaml")
			item.Annotate(kioutil.IndexAnnotation, "0")
		}
		list.Append(item)
		locks = []*lock{{item: item}}
	}
	shares := map[*lock][]v1alpha1.LockEntry{}
	for _, entry := range sorted(entries) {
		owner := locks[0]
		if known, ok := s.byReference[entry.Asked]; ok {
			owner = known.lock
		}
		shares[owner] = append(shares[owner], entry)
	}
	for _, l := range locks {
		if slices.Equal(l.entries, shares[l]) {
			continue
		}
		if err := l.set(shares[l]); err != nil {
			return err
		}
	}
	return nil
}

// set makes the lock's document hold these entries.
func (l *lock) set(entries []v1alpha1.LockEntry) error {
	nodes := map[v1alpha1.LockEntry]*yaml.Node{}
	for _, node := range elements(krm.Value(krm.Value(l.item.YNode(), "spec"), "plugins")) {
		var entry v1alpha1.LockEntry
		if strictyaml.Into(node, "", &entry) == nil {
			nodes[entry] = node
		}
	}
	list := &yaml.Node{Kind: yaml.SequenceNode}
	for _, entry := range entries {
		if nodes[entry] == nil {
			text, err := json.Marshal(entry)
			if err != nil {
				return err
			}
			nodes[entry] = yamlprint.ReadJSON(string(text))
		}
		list.Content = append(list.Content, nodes[entry])
	}
	return l.item.Edit(func(object *kyaml.RNode) error {
		spec := kyaml.NewMapRNode(nil)
		if err := spec.PipeE(kyaml.SetField("plugins", kyaml.NewRNode(list))); err != nil {
			return err
		}
		return object.PipeE(kyaml.SetField("spec", spec))
	})
}
