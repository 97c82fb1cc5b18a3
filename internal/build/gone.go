package build

import (
	"maps"
	"slices"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/function/resolveversion"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// addGone adds the sandboxes of the older state that are gone to a list, marked absent and with the versions that the older
// state resolves to, so that their delete phase is rendered. The plugins and OutputSecrets that the list lacks come with
// them. A sandbox that is elsewhere, or may be in a document that cannot be read, is not gone.
func (c Chain) addGone(list *krm.ResourceList) error {
	if c.Base == nil || c.Base.Partial {
		return nil
	}
	present := map[string]bool{}
	for _, items := range []*krm.ResourceList{list, c.Elsewhere} {
		if items != nil {
			maps.Copy(present, sandboxIDs(items))
		}
	}
	gone := slices.DeleteFunc(c.Base.List.Of(contract.APIVersion, contract.Sandbox), func(item *krm.Item) bool {
		s, problems := document.ReadSandbox(item)
		id, err := s.ID()
		absent, wrong := s.IsAbsent()
		return err != nil || wrong != nil || absent || len(problems) > 0 || len(s.Spec.Resources) == 0 ||
			present[s.Cluster()+"/"+id]
	})
	if len(gone) == 0 {
		return nil
	}
	older := krm.NewList(gone...)
	for _, item := range c.Base.List.Items() {
		if item.Kind() != contract.Sandbox {
			older.Append(item)
		}
	}
	options := resolve.Options{ResolveVersion: c.Resolve}
	if _, err := resolveversion.Resolve(older, options, c.Extensions.Common()...); err != nil {
		return err
	}
	list.Append(missingPlugins(list, older, gone)...)
	list.Append(missingSecrets(list, older, gone)...)
	for _, item := range gone {
		item.Annotate(contract.StateKey, contract.Absent)
		list.Append(item)
		list.Report(krm.At(item, "metadata.name", krm.Info, "gone since the older state: its delete phase is rendered"))
	}
	return nil
}

// sandboxIDs returns the sandboxes of a list by cluster and id.
func sandboxIDs(list *krm.ResourceList) map[string]bool {
	ids := map[string]bool{}
	for _, item := range list.Of(contract.APIVersion, contract.Sandbox) {
		s, _ := document.ReadSandbox(item)
		if id, err := s.ID(); err == nil {
			ids[s.Cluster()+"/"+id] = true
		}
	}
	return ids
}

// missingSecrets returns the OutputSecrets of sandboxes that an older list has, and a list does not have.
func missingSecrets(list, older *krm.ResourceList, sandboxes []*krm.Item) (missing []*krm.Item) {
	present := map[krm.ResourceRef]bool{}
	for _, item := range list.Of(contract.APIVersion, contract.OutputSecret) {
		present[item.Ref()] = true
	}
	absent := document.OutputSecrets{}
	for _, item := range older.Of(contract.APIVersion, contract.OutputSecret) {
		if s, _ := document.ReadOutputSecret(item); !present[item.Ref()] {
			absent.Add(s)
		}
	}
	for _, sandbox := range sandboxes {
		for _, s := range absent.Of(sandbox) {
			missing = append(missing, s.Item)
		}
	}
	return missing
}

// missingPlugins returns the plugins of an older list to which sandboxes refer, and which a list does not have.
func missingPlugins(list, older *krm.ResourceList, sandboxes []*krm.Item) (missing []*krm.Item) {
	wanted := map[string]bool{}
	for _, item := range sandboxes {
		s, _ := document.ReadSandbox(item)
		for _, resource := range s.Spec.Resources {
			wanted[resource.Plugin] = true
		}
	}
	for _, item := range list.Of(contract.APIVersion, contract.ResourcePlugin) {
		delete(wanted, item.Name())
	}
	for _, item := range older.Of(contract.APIVersion, contract.ResourcePlugin) {
		if wanted[item.Name()] {
			delete(wanted, item.Name())
			missing = append(missing, item)
		}
	}
	return missing
}
