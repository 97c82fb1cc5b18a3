package install

import (
	"fmt"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/function/renderphase"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
	"github.com/resource-plugins/krm-functions/stacks"
)

// Extension returns the feature of package stacks with the renderer of its requests.
func Extension() renderphase.Extension {
	return renderphase.Extension{Extension: stacks.Extension(), Renderer: feature{}}
}

// feature is the renderphase.Renderer of install requests.
type feature struct{}

// IsAlone reports whether only Jobs of an old crossplane are asked for.
func (feature) IsAlone(options render.Options) bool { return options.Compatible != "" }

// Render implements renderphase.Renderer.
func (feature) Render(list *krm.ResourceList, options render.Options) (renderphase.Output, error) {
	summary, err := Render(list, options)
	rendered := renderphase.Output{Requests: summary.Requests, Objects: summary.Objects}
	switch {
	case options.Compatible != "":
		rendered.Text = fmt.Sprintf("%s as crossplane %s did", report.Count(summary.Requests, "Job"), options.Compatible)
	default:
		rendered.Text = fmt.Sprintf("%s for %s", report.Count(summary.Packages, "package"),
			report.Count(summary.Requests, "install request"))
	}
	switch {
	case options.Images:
		rendered.Print = []byte{}
		if len(summary.Images) > 0 {
			rendered.Print = []byte(strings.Join(summary.Images, "\n") + "\n")
		}
	case options.Lock:
		rendered.Print = append([]byte{}, summary.Lock...)
	}
	return rendered, err
}
