package rules

import (
	"slices"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
	"github.com/resource-plugins/krm-functions/stacks/pack"
)

var recordCRDs = rule{
	Rule: validate.Rule{
		ID: "record-crds", Severity: krm.Error,
		Summary: "A record lists its CRDs with apiVersion (GROUP/VERSION) and kind.",
		Why:     "The controller's permissions, and who owns a CRD, follow from the list.",
		Example: "spec.customresourcedefinitions[0]: {kind: RedisCluster, apiVersion: v1alpha1}",
	},
	record: func(r *validate.Rule, s *stackRecord) {
		for _, crd := range s.crds {
			if crd.group() == "" || crd.Kind == "" {
				s.Report(r, crd.path, "must have a kind and an apiVersion with group and version, not %q of %q",
					crd.Kind, crd.APIVersion)
			}
		}
	},
}

var recordContent = rule{
	Rule: validate.Rule{
		ID: "record-content", Severity: krm.Warning,
		Summary: "The CRDs that a record lists are those that are in the package.",
		Why:     "The controller gets permissions for the CRDs that the record lists, and what is in the package is installed.",
		Sources: []string{stackTypes},
		Example: "spec.customresourcedefinitions[0].kind: Redis",
		Kinds:   []string{recordKind},
	},
	list: func(r *validate.Rule, d *documents) {
		for _, s := range d.records {
			i := slices.IndexFunc(d.packages, func(p *pack.Package) bool { return p.Metadata == s.item })
			if i < 0 || len(d.packages[i].CRDs) == 0 {
				continue // the package itself is elsewhere
			}
			for _, listed := range s.crds {
				if listed.owned && listed.group() != "" && !slices.ContainsFunc(d.packages[i].CRDs, listed.is) {
					s.Report(r, listed.path, "kind %q of %q is not in the package", listed.Kind, listed.APIVersion)
				}
			}
		}
	},
}

// is reports whether a CRD is the one that is listed.
func (r recordCRD) is(crd pack.CRD) bool {
	return crd.Group == r.group() && crd.Kind == r.Kind
}
