package parts

import (
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/incremental"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// If nothing is rendered, no finding is about several sandboxes unless they have the same name, or were built by kustomize.
// So they need not be parsed before it is their turn.

// MayDefer implements load.Postponer.
func (x *index) MayDefer() bool { return x.options.Rendering == nil }

// Defers implements load.Postponer.
func (x *index) Defers(item *krm.Item) bool { return x.isAlone(item) }

// isAlone reports whether a document is a sandbox that is postponed, and counts it. Comments suppress findings when all are
// known, so sandboxes with comments are kept.
func (x *index) isAlone(item *krm.Item) bool {
	if !isSandbox(item) || validate.HasComments(item) || resolve.IsBuilt(item) {
		return false
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.sandboxes++
	return true
}

// keep adds the names of the sandboxes that are not postponed.
func (x *index) keep(list *krm.ResourceList) (done bool) {
	for _, one := range x.options.Cache.Reused() {
		x.seen.Add(one.Identities[0])
	}
	for _, item := range list.Of(contract.APIVersion, contract.Sandbox) {
		if read, _ := document.ReadSandbox(item); !x.seen.Add(incremental.NameOf(read)) {
			return false
		}
	}
	return true
}

// take adds the name of a sandbox that was postponed. It returns false if another one has it, or it is no sandbox.
func (x *index) take(d load.Document) bool {
	if !isSandbox(d.Item) || !x.options.Checked {
		return isSandbox(d.Item)
	}
	read, problems := document.ReadSandbox(d.Item)
	var facts *incremental.Sandbox
	if x.options.Cache != nil {
		facts = incremental.NewSandbox(read, problems, d.Key)
	}
	if facts != nil {
		x.options.Cache.Postponed(facts)
	} else {
		x.options.Cache.Void()
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.seen.Add(incremental.NameOf(read))
}

// isIndependent reports whether a document makes no sandboxes depend on each other. Rules about the Secrets of users read
// sandboxes, and those of extensions may.
func (x *index) isIndependent(item *krm.Item) bool {
	if x.options.Rendering != nil {
		return incremental.IsIndependent(item, x.options.Extensions)
	}
	return item.Kind() != contract.OutputSecret && !extension.Have(x.options.Extensions, item)
}
