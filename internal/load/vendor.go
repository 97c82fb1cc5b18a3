package load

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// vendorKinds are other documents that the vendor's command line accepts, recognized by a key of own and a second key of own
// or more.
var vendorKinds = []struct {
	kind      string
	own, more []string
}{
	// https://www.signadot.com/docs/reference/jobs/spec
	{"Job", []string{"runnerGroup", "routingContext", "uploadArtifact"}, []string{"namePrefix", "script", "command"}},
	// https://www.signadot.com/docs/reference/job-runner-groups/spec
	{"JobRunnerGroup", []string{"jobTimeout", "podTemplate", "scaling"}, []string{"image", "namespace", "cluster"}},
	// https://github.com/signadot/go-sdk/tree/main/models: TestSpec, PlanSpec
	{"Test", []string{"triggers", "defaultTimeout"}, []string{"script"}},
	{"Plan", []string{"steps", "selectionHint"}, []string{"params", "output", "prompt"}},
}

// vendorSettings is a key of .signadot/config.yaml, which configures the vendor's command line.
const vendorSettings = "smart_tests"

// vendorObject returns the kind of an object of the vendor's operator that nothing here supports, empty for others.
func vendorObject(item *krm.Item) string {
	group, _, _ := strings.Cut(item.APIVersion(), "/")
	if group != contract.VendorGroup || item.Kind() == contract.FormerPlugin || document.LooksLike(item) != "" {
		return ""
	}
	return item.Kind()
}

// vendorKind returns which other document of the vendor's command line a document without apiVersion and kind is, empty if
// it is something else.
func vendorKind(root *yaml.Node) string {
	if krm.Value(root, vendorSettings) != nil {
		return "settings"
	}
	spec := value(root, "spec")
	if root.Kind != yaml.MappingNode || spec == nil || resembled(spec) {
		return ""
	}
	for _, one := range vendorKinds {
		if own := countKeys(spec, one.own); own > 0 && own+countKeys(spec, one.more) > 1 {
			return one.kind
		}
	}
	return ""
}

func countKeys(mapping *yaml.Node, keys []string) int {
	count := 0
	for _, key := range keys {
		if krm.Value(mapping, key) != nil {
			count++
		}
	}
	return count
}

// resembled reports whether a spec has the form of that of one of our kinds.
func resembled(spec *yaml.Node) bool {
	for _, one := range kindKeys {
		if document.Resembles(one.kind, spec) {
			return true
		}
	}
	return false
}
