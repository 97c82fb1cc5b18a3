package stacks

import (
	"fmt"

	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
	"github.com/resource-plugins/krm-functions/stacks/dependency"
)

// resolver is the extension.Resolver of install requests.
type resolver struct{}

func (resolver) Names(list *krm.ResourceList) map[string]bool { return dependency.Names(list) }

func (resolver) Resolve(list *krm.ResourceList, options resolve.Options) (extension.Resolved, error) {
	pinned, err := dependency.Pin(list, options)
	text := fmt.Sprintf("%d of %s to %s", pinned.Resolved, report.Count(pinned.Requests, "request"),
		report.Count(pinned.Packages, "package"))
	return extension.Resolved{References: pinned.Requests, Text: text, Lock: pinned.Lock}, err
}

func (resolver) Lint(items []*krm.Item) krm.Results { return dependency.Lint(items) }

func (resolver) Publish(
	c *resolve.CatalogDocument, items []*krm.Item, options resolve.PublishOptions,
) ([]string, krm.Results) {
	return dependency.Publish(c, items, options)
}
