package incremental

import (
	"fmt"
	"hash/fnv"
	"io"
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// IsIndependent reports whether no document that is not a sandbox, but this one, makes sandboxes depend on each other.
func IsIndependent(item *krm.Item, extensions []extension.Extension) bool {
	if item.APIVersion() == contract.APIVersion {
		return slices.Contains([]string{contract.ResourcePlugin, contract.Catalog, contract.PluginLock, contract.PluginTest},
			item.Kind())
	}
	_, isRendered := item.Annotation(contract.RenderedByKey)
	return !isRendered && !extension.Have(extensions, item)
}

// WriteDocument writes a document that is no sandbox, for the digest of all of them: see Cache.Confirm.
func WriteDocument(sum io.Writer, item *krm.Item, isNative bool) {
	text, err := item.Bytes()
	_, _ = fmt.Fprintf(sum, "%d %t %v\n%s", len(text), isNative, err, text)
}

// ReadSandbox returns the facts about a sandbox; nil unless it is valid so far and has resources only.
func ReadSandbox(item *krm.Item, key load.Key) *Sandbox {
	read, problems := document.ReadSandbox(item)
	return NewSandbox(read, problems, key)
}

// NewSandbox is ReadSandbox for a document that was read.
func NewSandbox(read *document.Sandbox, problems []strictyaml.Problem, key load.Key) *Sandbox {
	if len(problems) > 0 || !hasResourcesOnly(&read.Spec) {
		return nil
	}
	id, wrongID := read.ID()
	routingKey, _, wrongKey := document.RoutingKey(read.Item, read.Cluster())
	record, wrongRecord := resolve.ReadRecord(read.Item)
	if wrongID != nil || wrongKey != nil || wrongRecord != nil {
		return nil
	}
	s := &Sandbox{Key: key, Kind: &Kind{Cluster: read.Cluster(), Pins: map[string]string{}}}
	s.Identities = [3]uint64{NameOf(read), hash("id", read.Cluster(), id), hash("key", routingKey)}
	for _, resource := range read.Spec.Resources {
		asked := resource.Plugin
		if last := record[resource.Name]; last.Pin == asked && last.Requested != "" {
			asked = last.Requested
		}
		s.Pins[asked] = resource.Plugin
	}
	return s
}

// hasResourcesOnly reports whether nothing of a sandbox but its resources is rendered, or reported as not rendered.
func hasResourcesOnly(spec *v1alpha1.SandboxSpec) bool {
	return len(spec.Forks)+len(spec.Endpoints)+len(spec.Local)+len(spec.Virtual)+len(spec.Middleware) == 0 &&
		spec.DefaultRouteGroup == nil && spec.Connection == nil && spec.Routing == nil && spec.LocalMachineID == "" &&
		(spec.TTL == nil || spec.TTL.OffsetFrom == "" || spec.TTL.OffsetFrom == "createdAt")
}

// NameOf returns the first one of Sandbox.Identities, the only one that rules are about.
func NameOf(read *document.Sandbox) uint64 { return hash("name", read.Cluster(), read.LowerName()) }

// hash is a short hash of texts.
func hash(texts ...string) uint64 {
	sum := fnv.New64a()
	for _, text := range texts {
		_, _ = io.WriteString(sum, text+"\x00")
	}
	return sum.Sum64()
}

// Identities are hashes of names, ids and routing keys: if two are equal, the full documents must be compared.
type Identities map[uint64]struct{}

// Add adds those of a sandbox. It returns false if another one may have one of them.
func (i Identities) Add(own ...uint64) bool {
	for _, one := range own {
		if _, taken := i[one]; taken {
			return false
		}
		i[one] = struct{}{}
	}
	return true
}
