package stacks

import (
	"fmt"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
	"github.com/resource-plugins/krm-functions/stacks/dependency"
)

// resolver is the extension.Resolver of install requests.
type resolver struct{}

func (resolver) Names(list *krm.ResourceList) map[string]bool { return dependency.Names(list) }

func (resolver) Resolve(list *krm.ResourceList, options resolve.Options) (extension.Resolved, error) {
	report, err := dependency.Pin(list, options)
	text := fmt.Sprintf("%d of %s to %s", report.Resolved, cli.Count(report.Requests, "request"),
		cli.Count(report.Packages, "package"))
	return extension.Resolved{References: report.Requests, Text: text, Lock: report.Lock}, err
}

func (resolver) Lint(items []*krm.Item) krm.Results { return dependency.Lint(items) }

func (resolver) Publish(c *resolve.CatalogDocument, items []*krm.Item, options resolve.PublishOptions) ([]string, krm.Results) {
	return dependency.Publish(c, items, options)
}
