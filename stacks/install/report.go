package install

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/stacks/dependency"
	"github.com/resource-plugins/krm-functions/stacks/imageref"
)

// reportNamespaces names the namespaces that must exist and are not in the list.
func (r *renderer) reportNamespaces() {
	needed := map[string]bool{}
	for _, of := range r.requests {
		needed[of.namespace] = true
	}
	delete(needed, defaultNamespace)
	for _, item := range r.list.Of("v1", "Namespace") {
		delete(needed, item.Name())
	}
	names := slices.Sorted(maps.Keys(needed))
	for i, name := range names {
		names[i] = strconv.Quote(name)
	}
	if len(names) > 0 {
		r.list.Report(krm.NewResult(krm.Info, "must exist before the render is applied: namespace "+strings.Join(names, ", ")))
	}
}

// reportMirrors warns of mirrors that have no image.
func (r *renderer) reportMirrors() {
	used := map[string]bool{}
	for name := range r.images {
		_, prefix := imageref.Mirrored(r.options.Mirror, name)
		used[prefix] = true
	}
	for _, prefix := range slices.Sorted(maps.Keys(r.options.Mirror)) {
		if !used[prefix] && len(r.images) > 0 {
			r.list.Report(krm.NewResult(krm.Warning, fmt.Sprintf("no image of a requested package begins with %q: mirror must "+
				"name the beginnings of their images", prefix)))
		}
	}
}

// reportPin warns of a package whose image may change.
func (r *renderer) reportPin(item *krm.Item, at krm.Path, chosen *dependency.Chosen) {
	if chosen.Digest == "" {
		r.list.Report(krm.At(item, at, krm.Warning, fmt.Sprintf("package %q is not pinned by a digest, since none is known: "+
			"import it from an image, or put it into a Catalog", chosen.Image())))
	}
}
