package pack

import (
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Mark annotates the documents of a package, so that Find finds them in any list and no tool applies them. The metadata
// document gets the image, if it is known, and the others get the name of the metadata document.
func Mark(items []*krm.Item, image string) {
	var metadata *krm.Item
	for _, item := range items {
		if IsMetadata(item) {
			metadata = item
			break
		}
	}
	krm.Each(len(items), func(i int) {
		item := items[i]
		item.Annotate(contract.LocalConfigKey, "true")
		switch {
		case metadata == nil:
		case item != metadata:
			item.Annotate(contract.PackagePartKey, metadata.Name())
		case image != "":
			item.Annotate(contract.PackageKey, image)
		}
	})
}
