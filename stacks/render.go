package stacks

import (
	"fmt"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
	"github.com/resource-plugins/krm-functions/stacks/install"
)

// renderer is the extension.Renderer of install requests.
type renderer struct{}

// IsAlone reports whether only Jobs of an old crossplane are asked for.
func (renderer) IsAlone(options render.Options) bool { return options.Compatible != "" }

func (renderer) Render(list *krm.ResourceList, options render.Options) (extension.Rendered, error) {
	summary, err := install.Render(list, options)
	rendered := extension.Rendered{Requests: summary.Requests, Objects: summary.Objects}
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
