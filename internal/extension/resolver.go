package extension

import (
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// Resolver resolves the references of a feature's documents, as package resolve does those of sandboxes.
type Resolver interface {
	// Names returns the names that resolve.Options.Update may contain: those that are locked, and those that are asked for.
	Names(list *krm.ResourceList) map[string]bool
	// Resolve pins the references of a list, and updates its locks. Problems of a document are reported to the list. The
	// error is krm.OptionErrors, or that of an item that cannot be read.
	Resolve(list *krm.ResourceList, options resolve.Options) (Resolved, error)
	// Lint returns the conflicts between the documents, catalogs and locks among items.
	Lint(items []*krm.Item) krm.Results
	// Publish lists the documents among items in a catalog and returns the names of the versions that are new, sorted. After
	// an error among the results the catalog must not be used.
	Publish(c *resolve.CatalogDocument, items []*krm.Item, options resolve.PublishOptions) ([]string, krm.Results)
}

// Resolved is the result of Resolver.Resolve.
type Resolved struct {
	// References is the number of references in the list, resolved or not.
	References int
	// Text counts them in a summary, after "resolved": `2 of 3 requests to 4 packages`.
	Text string
	Lock resolve.LockStats
}

// Resolvers returns the resolvers of extensions.
func Resolvers(extensions []Extension) (all []Resolver) {
	for _, e := range extensions {
		if e.Resolver != nil {
			all = append(all, e.Resolver)
		}
	}
	return all
}
