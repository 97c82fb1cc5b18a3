package renderdiff

import (
	"cmp"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// Side is one of the two renders.
type Side struct {
	name  string
	live  bool
	items []*krm.Item
	// plugins are the documents that were rendered, nil if they are not known.
	plugins *resolve.Catalog
	specs   map[string]*v1alpha1.ResourcePluginSpec
	// sandboxes are the lower-cased names of the sandboxes among the documents.
	sandboxes map[string]bool
}

// NewSide returns a render. The name is its source in reports. The documents are those that it was rendered from, if
// they are known: the plugins among them define the purpose of each variable.
func NewSide(name string, objects, documents []*krm.Item) *Side {
	s := &Side{name: name, items: objects, specs: map[string]*v1alpha1.ResourcePluginSpec{}, sandboxes: map[string]bool{}}
	for _, item := range documents {
		if item.Kind() == contract.Sandbox && item.APIVersion() == contract.APIVersion {
			s.sandboxes[strings.ToLower(item.Name())] = true
		}
	}
	for _, item := range documents {
		if item.Kind() == contract.ResourcePlugin && item.APIVersion() == contract.APIVersion {
			s.plugins = resolve.NewCatalog(documents)
			break
		}
	}
	return s
}

// AddSandboxes adds the names of sandboxes among the documents that NewSide was called without.
func (s *Side) AddSandboxes(names ...string) {
	for _, name := range names {
		s.sandboxes[strings.ToLower(name)] = true
	}
}

// NewLiveSide returns the objects of a cluster, such as the items of `kubectl get -o yaml`. Objects of other programs
// are ignored, and so are fields that only the cluster has: defaults, and fields that admission webhooks add.
func NewLiveSide(name string, objects []*krm.Item) *Side {
	s := NewSide(name, objects, nil)
	s.live = true
	return s
}

// IsEmpty reports whether there is nothing to compare: neither rendered objects nor sandboxes.
func (s *Side) IsEmpty() bool { return len(s.items) == 0 && len(s.sandboxes) == 0 }

// plugin returns the plugin that a step was rendered from, nil if it is not known.
func (s *Side) plugin(of *step) *v1alpha1.ResourcePluginSpec {
	if s.plugins == nil || of.plugin == "" {
		return nil
	}
	key := of.plugin + " " + of.digest
	spec, known := s.specs[key]
	if !known {
		choice, err := s.plugins.Resolve(of.plugin)
		if err == nil && cmp.Or(of.digest, choice.Digest) == choice.Digest {
			spec = choice.Spec
		}
		s.specs[key] = spec
	}
	return spec
}

// IsRendered reports whether an item is a rendered object.
func IsRendered(item *krm.Item) bool {
	for _, key := range []string{contract.RenderedByKey, contract.AppliedByKey, contract.StepKey} {
		if _, found := item.Annotation(key); found {
			return true
		}
	}
	return false
}
