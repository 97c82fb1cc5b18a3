package function

import (
	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/build"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/extension"
)

// PostRender is Build for what Helm has rendered: documents that are none of its input are printed, too, both phases are
// rendered, and objects are not escaped, since they are no templates of a chart.
func PostRender(extensions ...extension.Extension) cli.Function {
	f := Build(extensions...)
	f.Name, f.Output, f.Workloads, f.Folder = "post-render", cli.Documents, true, nil
	f.Config = func() cli.Config {
		c := &buildConfig{Chain: build.New(extensions...)}
		c.Render.Delivery, c.PostRender = "helm", true
		c.Render.Phases = []string{string(v1alpha1.PhaseCreate), string(v1alpha1.PhaseDelete)}
		return c
	}
	return f
}
