package stacks

import (
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	stacksv1 "github.com/resource-plugins/krm-functions/stacks/api/v1"
	"github.com/resource-plugins/krm-functions/stacks/pack"
)

// importer is the extension.Importer of packages.
type importer struct{}

// Complete checks the documents of package.yaml as Crossplane does, and marks them as those of a package. Packages of other
// forms were checked and marked when they were read.
func (importer) Complete(path string, items []*krm.Item, image string) krm.Results {
	isFile := slices.ContainsFunc(items, func(item *krm.Item) bool {
		group, _, _ := strings.Cut(item.APIVersion(), "/")
		return group == stacksv1.MetaGroupName && item.PlaceOf("").File == path
	})
	if !isFile {
		return nil
	}
	found := pack.CheckStream(path, items)
	pack.Mark(items, image)
	return found
}

func (importer) IsPart(item *krm.Item) bool {
	_, isPart := item.Annotation(contract.PackagePartKey)
	return isPart || pack.IsMetadata(item)
}

// Owns reports whether an annotation is set by Mark or comes from the package itself, such as meta.crossplane.io/source.
func (importer) Owns(annotation string) bool {
	return annotation == contract.PackageKey || annotation == contract.PackagePartKey ||
		strings.Contains(annotation, "crossplane.io/")
}

// Nameless explains how to name a package whose path has no name. The name of the working directory must not reach an
// output.
func (importer) Nameless(item *krm.Item) string {
	if !pack.IsMetadata(item) {
		return ""
	}
	return "must be set: give the image of the package (image, --image), or a path with the folder that holds it"
}
