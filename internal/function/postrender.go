package function

import (
	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/cli"
)

// PostRender is Build for what Helm has rendered: it prints documents that are none of its input, too, and the objects are what
// Helm applies, not templates of a chart.
func PostRender() cli.Function {
	f := Build()
	f.Name = "post-render"
	f.Purpose = "is a post-renderer of Helm: it renders the sandboxes of a chart and drops what they were rendered from. All " +
		"other objects are printed as they are. Both phases are rendered by default: Helm runs the delete phases when the " +
		"release is uninstalled."
	f.Output, f.Workloads, f.Folder = cli.Documents, true, nil
	f.Example = "post-render --help\n# with Helm 4, see helm/README.md:\n# helm upgrade --install --post-renderer rplug sandboxes chart"
	f.Config = func() cli.Config {
		c := newBuild()
		c.Delivery, c.PostRender = "helm", true
		c.Phases = []string{string(v1alpha1.PhaseCreate), string(v1alpha1.PhaseDelete)}
		return c
	}
	return f
}
