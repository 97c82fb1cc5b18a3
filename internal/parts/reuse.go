package parts

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/incremental"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// rendered is a sandbox of a part.
type rendered struct {
	key  load.Key
	item *krm.Item
	name string
	size int
}

func newRendered(d load.Document) rendered {
	return rendered{d.Key, d.Item, strings.ToLower(d.Item.Name()), d.Item.Size()}
}

// reuse counts the sandboxes that are not rendered. It returns false if they must be.
func (r *partsRun) reuse(call cli.Call) bool {
	if r.options.Cache == nil {
		return true
	}
	if !r.options.Cache.Confirm(digestOf(call)) {
		return false
	}
	for _, one := range r.options.Cache.Reused() {
		r.inputs += one.Input
		r.outputs += one.Output
		if r.options.Rendering != nil {
			r.options.Rendering.Reuse(one)
		}
	}
	return true
}

// digestOf returns the digest of the documents of a call.
func digestOf(call cli.Call) string {
	sum := sha256.New()
	for _, item := range call.List.Items() {
		if !isSandbox(item) {
			incremental.WriteDocument(sum, item, call.IsNative(item))
		}
	}
	return string(sum.Sum(nil))
}

// record records the facts that a later run needs about the sandboxes of a part.
func (r *partsRun) record(p part) {
	if r.options.Cache == nil {
		return
	}
	isFound := map[*krm.Item]bool{}
	for _, one := range p.found {
		switch {
		case isSandbox(one.Item()):
			isFound[one.Item()] = true
		case !r.isRepeated(one):
			r.options.Cache.Void()
		}
	}
	for _, one := range p.Suppressed {
		isFound[one.Item()] = true
	}
	for _, s := range p.sandboxes {
		one := r.options.Cache.Rendered(s.key, !isFound[s.item])
		if r.options.Rendering == nil {
			continue
		}
		one.Input = s.size
		if (r.options.Cluster == "" || one.Cluster == r.options.Cluster) && p.rendered().Record(s.name, one) {
			r.options.Cache.Own(s.name, one)
		}
	}
}

// isRepeated reports whether a finding that is not about a sandbox is also one of a run without this sandbox: it was found
// without any, or when a phase of a plugin was prepared, as the first sandbox that uses it is rendered by each run.
func (r *partsRun) isRepeated(one krm.Result) bool {
	isOfPhase := one.Item() != nil && one.Item().Kind() == contract.ResourcePlugin && one.Tags[krm.RuleTag] == ""
	return isOfPhase || r.alone[textOf(one)]
}

// foundIn returns the texts of findings.
func foundIn(results krm.Results) map[string]bool {
	texts := make(map[string]bool, len(results))
	for _, one := range results {
		texts[textOf(one)] = true
	}
	return texts
}

func textOf(one krm.Result) string { return fmt.Sprint(one.Severity, one.Place, one.Tags, one.Message) }

func isSandbox(item *krm.Item) bool {
	return item != nil && item.APIVersion() == contract.APIVersion && item.Kind() == contract.Sandbox
}
