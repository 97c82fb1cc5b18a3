package parts

import (
	"slices"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// isAboutSandboxes reports whether the errors of a part are those of rendering single sandboxes. The messages of earlier
// steps name all sandboxes that they are about, and nothing is rendered after them.
func isAboutSandboxes(p part) bool {
	return p.IsRendering && !slices.ContainsFunc(p.found, func(one krm.Result) bool {
		return one.Item() == nil && krm.Results{one}.Failed()
	})
}

// forget drops the trees of the sandboxes with findings, since those stay.
func forget(p part) {
	for _, one := range p.found {
		if isSandbox(one.Item()) {
			one.Item().Forget()
		}
	}
}

// report adds the findings of a part. Those about other documents than sandboxes are found with each part.
func (r *partsRun) report(p part) {
	r.found = append(r.found, p.found...)
	if len(r.found) > 2*r.sorted {
		r.found = r.found.Sort()
		r.sorted = max(len(r.found), 1<<10)
	}
	r.total.Suppressed = append(r.total.Suppressed, slices.DeleteFunc(p.Suppressed, func(one validate.Suppressed) bool {
		return one.Item().Kind() != contract.Sandbox
	})...)
}
