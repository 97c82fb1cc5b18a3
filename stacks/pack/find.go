package pack

import (
	"cmp"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	stacksv1 "github.com/resource-plugins/krm-functions/stacks/api/v1"
	"github.com/resource-plugins/krm-functions/stacks/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/stacks/imageref"
	"github.com/resource-plugins/krm-functions/stacks/registry"
)

// Find returns the packages of a list, in the order of their metadata documents. A document belongs to the package that
// its annotation contract.PackagePartKey names; the name is the original one, before any change by kustomize. A document
// without the annotation belongs to the package of its file, if the file has exactly one. Find does not validate packages,
// which is up to rules, and skips documents that cannot be parsed.
func Find(list *krm.ResourceList) []*Package {
	f := finder{byName: map[string][]*Package{}, byFile: map[string][]*Package{}}
	for _, item := range list.Items() {
		if IsMetadata(item) && item.Parse() == nil {
			f.metadata(item)
		}
	}
	if len(f.packages) == 0 {
		return nil
	}
	for _, item := range list.Items() {
		if p := f.ownerOf(item); p != nil && item.Parse() == nil {
			p.Members = append(p.Members, item)
			p.CRDs = append(p.CRDs, p.crdsOf(item)...)
		}
	}
	return f.packages
}

// IsMetadata reports whether a document is the metadata of a package: a record of crossplane v0.3 to v0.10, or a document
// of the group meta.pkg.crossplane.io.
func IsMetadata(item *krm.Item) bool {
	switch group, _, _ := strings.Cut(item.APIVersion(), "/"); group {
	case stacksv1.MetaGroupName:
		return true
	case v1alpha1.GroupName:
		return item.Kind() == v1alpha1.KindStack || item.Kind() == v1alpha1.KindStackDefinition
	case v1alpha1.ExtensionsGroup:
		return item.Kind() == v1alpha1.KindExtension
	}
	return false
}

// finder finds the packages of a list.
type finder struct {
	packages []*Package
	byName   map[string][]*Package
	byFile   map[string][]*Package
}

// metadata adds the package of a metadata document.
func (f *finder) metadata(item *krm.Item) {
	name := document.Identity(item)
	p := &Package{Name: name, APIVersion: item.APIVersion(), Kind: item.Kind(), Metadata: item}
	spec := krm.Value(item.YNode(), "spec")
	p.Version = registry.Text(spec, "version")
	if image, ok := item.Annotation(contract.PackageKey); ok {
		repository, tag, digest := imageref.Split(image)
		p.Name, p.Version, p.Digest = cmp.Or(repository, p.Name), cmp.Or(tag, p.Version), digest
	}
	if group, _, _ := strings.Cut(item.APIVersion(), "/"); group == stacksv1.MetaGroupName {
		p.DependsOn = dependencies(spec)
	} else {
		p.Scope, p.DependsOn = registry.Text(spec, "permissionScope"), recordDependencies(spec)
	}
	f.packages = append(f.packages, p)
	f.byName[name] = append(f.byName[name], p)
	if file := item.PlaceOf("").File; file != "" {
		f.byFile[file] = append(f.byFile[file], p)
	}
}

// ownerOf returns the package that a document belongs to, or nil. If several packages have the same name, it is the one in
// the document's file, or else the first.
func (f *finder) ownerOf(item *krm.Item) *Package {
	if IsMetadata(item) {
		return nil
	}
	if name, ok := item.Annotation(contract.PackagePartKey); ok {
		owners := f.byName[name]
		if len(owners) == 0 {
			return nil
		}
		if len(owners) > 1 {
			for _, p := range owners {
				if file := item.PlaceOf("").File; file != "" && file == p.Metadata.PlaceOf("").File {
					return p
				}
			}
		}
		return owners[0]
	}
	if !isContent(item) || len(f.byFile) == 0 {
		return nil
	}
	if owners := f.byFile[item.PlaceOf("").File]; len(owners) == 1 {
		return owners[0]
	}
	return nil
}

// isContent reports whether a document without the annotation may be part of a package. Requests and documents of this
// project may not.
func isContent(item *krm.Item) bool {
	switch group, _, _ := strings.Cut(item.APIVersion(), "/"); group {
	case contract.Group, stacksv1.GroupName, v1alpha1.GroupName, v1alpha1.ExtensionsGroup:
		return false
	}
	return true
}
