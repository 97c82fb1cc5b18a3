package renderphase

import (
	"errors"
	"fmt"
	"slices"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/diagram"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// drawing is --graph: all plugins of the files in one document, in their order; other documents are ignored.
func drawing() *cli.Drawing {
	return &cli.Drawing{Shows: "the steps of plugins", Kind: contract.ResourcePlugin, Formats: GraphFormats(), Draw: draw}
}

// GraphFormats returns the values of --graph.
func GraphFormats() (formats []string) {
	for _, format := range diagram.Formats {
		formats = append(formats, string(format))
	}
	return formats
}

func draw(call cli.Call, format string) ([]byte, error) {
	items, err := call.List.Select(contract.APIVersion, contract.ResourcePlugin)
	if err != nil {
		return nil, err
	}
	if len(items) == 0 {
		return nil, errors.New("there must be a ResourcePlugin among the files: nothing else has a graph")
	}
	var pictures []*diagram.Picture
	for _, item := range items {
		if one := drawPlugin(call.List, item); one != nil {
			pictures = append(pictures, one)
		}
	}
	text, err := diagram.Draw(diagram.Format(format), pictures)
	if err == nil && format == string(diagram.Mermaid) && diagram.MermaidTooLarge(text) {
		call.List.Report(krm.NewResult(krm.Warning, fmt.Sprintf(
			"the graph is larger than what Mermaid shows by its defaults: draw it as %s or %s, or fewer plugins at once",
			diagram.SVG, diagram.DOT)))
	}
	return text, err
}

// moreFindings ends a message about a document that is not valid: only one finding is reported here.
const moreFindings = "; run validate-plugin for all findings"

// drawPlugin returns the picture of a plugin. If the plugin is invalid, it reports why and returns nil.
func drawPlugin(list *krm.ResourceList, item *krm.Item) *diagram.Picture {
	read, problems := document.ReadPlugin(item)
	if i := slices.IndexFunc(problems, strictyaml.Problem.IsError); i >= 0 {
		list.Report(krm.At(item, problems[i].Path, krm.Error, problems[i].Message+moreFindings))
		return nil
	}
	one, faults := diagram.New(read)
	for _, fault := range faults {
		list.Report(krm.At(item, fault.Path, krm.Error, fault.Message+moreFindings))
	}
	return one
}
