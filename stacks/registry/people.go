package registry

import (
	"cmp"
	"encoding/base64"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/krm/field"
	"github.com/resource-plugins/krm-functions/stacks/api/v1alpha1"
)

// The labels and annotations of the CRDs of a stack.
const (
	labelManagedBy = "app.kubernetes.io/managed-by"
	managedBy      = "stack-manager"
	labelScope     = "crossplane.io/scope"

	annotationPrefix   = "stacks.crossplane.io/"
	annotationIcon     = annotationPrefix + "icon-data-uri"
	annotationSchema   = annotationPrefix + "ui-schema"
	annotationTitle    = annotationPrefix + "stack-title"
	annotationGroup    = annotationPrefix + "group"
	annotationResource = annotationPrefix + "resource"
)

// schemaFile is the file with a UI form for the custom resources of all CRDs below its folder.
const schemaFile = "ui-schema.yaml"

// mediaTypes are the media types of icons in order of preference.
var mediaTypes = []struct{ extension, mediaType string }{
	{".svg", "image/svg+xml"},
	{".png", "image/png"},
	{".jpg", "image/jpeg"},
	{".jpeg", "image/jpeg"},
	{".gif", "image/gif"},
}

// rankOf returns the index of a file's extension in mediaTypes, or len(mediaTypes) for other extensions.
func rankOf(file string) int {
	for i, m := range mediaTypes {
		if m.extension == strings.ToLower(path.Ext(file)) {
			return i
		}
	}
	return len(mediaTypes)
}

// readIcon reads an icon. Crossplane also showed the icons in the package's folder for the package itself.
func (r *Package) readIcon(file string, content []byte) {
	rank := rankOf(file)
	if rank == len(mediaTypes) {
		extensions := make([]string, len(mediaTypes))
		for i, m := range mediaTypes {
			extensions[i] = m.extension
		}
		r.unused(file, "the extension of an icon must be one of "+strings.Join(extensions, ", "))
		return
	}
	r.icons = append(r.icons, described[v1alpha1.Icon]{file: file, value: v1alpha1.Icon{
		Base64Data: base64.StdEncoding.EncodeToString(content), MediaType: mediaTypes[rank].mediaType,
	}})
}

// ownIcons returns the icons in the package's folder.
func (r *Package) ownIcons() []v1alpha1.Icon {
	var own []v1alpha1.Icon
	for _, icon := range r.icons {
		if depth(icon.file) == 0 {
			own = append(own, icon.value)
		}
	}
	return own
}

// nearest returns the nearest file for a CRD, or nil if it has no such file. Of several files in one folder, the first by
// order takes precedence.
func nearest[T any](crd *crd, all []described[T], isFor func(*described[T]) bool, order func(a, b *described[T]) int,
) *described[T] {
	var best *described[T]
	for i := range all {
		one := &all[i]
		if !isBelow(path.Dir(one.file), crd.file) || !isFor(one) {
			continue
		}
		one.used = true
		if best == nil || cmp.Or(depth(best.file)-depth(one.file), order(one, best)) < 0 {
			best = one
		}
	}
	return best
}

func firstOne[T any](a, b *described[T]) int { return strings.Compare(a.file, b.file) }

func (r *Package) group(crd *crd) *described[v1alpha1.Group] {
	return nearest(crd, r.groups, func(*described[v1alpha1.Group]) bool { return true }, firstOne)
}

func (r *Package) resource(crd *crd) *described[v1alpha1.Resource] {
	return nearest(crd, r.resources, func(d *described[v1alpha1.Resource]) bool {
		return strings.EqualFold(d.value.ID, crd.kind)
	}, firstOne)
}

// icon returns the icon of a CRD. Within a folder, an icon for its kind takes precedence over one for all, and then the
// preferred media type.
func (r *Package) icon(crd *crd) *described[v1alpha1.Icon] {
	return nearest(crd, r.icons, func(d *described[v1alpha1.Icon]) bool {
		return isOfAll(d.file) || isOfKind(d.file, crd.kind)
	}, func(a, b *described[v1alpha1.Icon]) int {
		return cmp.Or(placeOf(a.file)-placeOf(b.file), firstOne(a, b))
	})
}

// placeOf returns the rank of an icon among the icons in its folder.
func placeOf(file string) int {
	if isOfAll(file) {
		return rankOf(file) + len(mediaTypes)
	}
	return rankOf(file)
}

// isOfAll reports whether an icon is for all CRDs below its folder.
func isOfAll(file string) bool { return strings.TrimSuffix(path.Base(file), path.Ext(file)) == "icon" }

// isOfKind reports whether a file's name begins with a kind.
func isOfKind(file, kind string) bool {
	return strings.HasPrefix(path.Base(file), strings.ToLower(kind)+".")
}

// uiSchemas returns the schemas for a CRD in descending order of their paths, the order in which crossplane joined them.
func (r *Package) uiSchemas(crd *crd) []string {
	var texts []string
	for i := range slices.Backward(r.schemas) {
		schema := &r.schemas[i]
		if isBelow(path.Dir(schema.file), crd.file) && (path.Base(schema.file) == schemaFile || isOfKind(schema.file, crd.kind)) {
			schema.used = true
			texts = append(texts, schema.value)
		}
	}
	return texts
}

// annotated returns a CRD with labels and annotations from the package, and without the fields that a cluster sets.
func (r *Package) annotated(crd *crd) *yaml.Node {
	root := crd.document.root
	metadata := field.Value(root, "metadata")
	if metadata == nil || metadata.Kind != yaml.MappingNode {
		remove(root, "metadata")
		metadata = mapping()
		const header = 4 // apiVersion and kind, with their keys
		rest := slices.Clone(root.Content[min(header, len(root.Content)):])
		root.Content = root.Content[:len(root.Content)-len(rest)]
		set(root, "metadata", metadata)
		root.Content = append(root.Content, rest...)
	}
	remove(root, "status")
	remove(metadata, "creationTimestamp")
	if Text(metadata, "name") == "" {
		set(metadata, "name", scalar(crd.plural+"."+crd.group))
	}
	scope := "environment"
	if r.app.PermissionScope == v1alpha1.ScopeNamespaced {
		scope = "namespace"
	}
	addTexts(metadata, "labels", map[string]string{labelManagedBy: managedBy, labelScope: scope})
	addTexts(metadata, "annotations", r.annotations(crd, Text(field.Value(metadata, "annotations"), annotationSchema)))
	return root
}

// annotations returns the annotations of a CRD from the files of the package. The CRD's own schema comes first.
func (r *Package) annotations(crd *crd, schema string) map[string]string {
	all := map[string]string{annotationTitle: r.app.Title}
	describe := func(prefix, title, category, readme, overview, overviewShort string) {
		all[prefix+"-title"], all[prefix+"-category"], all[prefix+"-readme"] = title, category, readme
		all[prefix+"-overview"], all[prefix+"-overview-short"] = overview, overviewShort
	}
	if group := r.group(crd); group != nil {
		g := group.value
		describe(annotationGroup, g.Title, g.Category, g.Readme, g.Overview, g.OverviewShort)
	}
	if resource := r.resource(crd); resource != nil {
		v := resource.value
		describe(annotationResource, v.Title, v.Category, v.Readme, v.Overview, v.OverviewShort)
		all[annotationResource+"-title-plural"] = v.TitlePlural
	}
	if icon := r.icon(crd); icon != nil {
		all[annotationIcon] = "data:" + icon.value.MediaType + ";base64," + icon.value.Base64Data
	}
	schemas := r.uiSchemas(crd)
	if schema != "" {
		schemas = slices.Insert(schemas, 0, schema)
	}
	if len(schemas) > 0 {
		all[annotationSchema] = strings.Join(schemas, "\n---\n")
	}
	return all
}
