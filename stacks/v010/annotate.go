package v010

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// The annotations of CRDs.
const (
	annotations = "stacks.crossplane.io/"

	keyIcon   = annotations + "icon-data-uri"
	keySchema = annotations + "ui-schema"
	keyTitle  = annotations + "stack-title"
)

// annotate annotates a CRD with the titles, descriptions, icon and UI schemas that the package has for it. A file is taken
// to be above a CRD if the path of its folder is a prefix of that of the CRD's folder, so that files in /a/foo are above
// /a/foobar. Files are searched in descending order of their paths.
func (f *folder) annotate(crd packagedCRD) {
	crd.Annotations[keyTitle] = f.stack.Spec.Title
	for _, dir := range descending(f.groups) {
		if strings.HasPrefix(crd.dir, dir) {
			group := f.groups[dir]
			describe(crd.Annotations, "group", group.Title, group.Category, group.Readme, group.Overview, group.OverviewShort)
			break
		}
	}
	for _, file := range descending(f.icons) {
		if f.isFor(crd, file, "icon.svg", "icon.png", "icon.jpg", "icon.jpeg", "icon.gif") {
			crd.Annotations[keyIcon] = "data:" + f.icons[file].MediaType + ";base64," + f.icons[file].Base64IconData
			break
		}
	}
	for _, file := range descending(f.resources) {
		resource := f.resources[file]
		if strings.HasPrefix(crd.dir, path.Dir(file)) && strings.EqualFold(resource.ID, crd.Spec.Names.Kind) {
			describe(crd.Annotations, "resource", resource.Title, resource.Category, resource.Readme, resource.Overview,
				resource.OverviewShort)
			crd.Annotations[annotations+"resource-title-plural"] = resource.TitlePlural
			break
		}
	}
	for _, file := range descending(f.schemas) {
		if !f.isFor(crd, file, "ui-schema.yaml") {
			continue
		}
		schema := strings.Trim(f.schemas[file], "\n")
		if earlier := crd.Annotations[keySchema]; earlier != "" {
			schema = earlier + separator + schema
		}
		crd.Annotations[keySchema] = schema
	}
}

func describe(of map[string]string, what, title, category, readme, overview, overviewShort string) {
	of[annotations+what+"-title"] = title
	of[annotations+what+"-category"] = category
	of[annotations+what+"-readme"] = readme
	of[annotations+what+"-overview"] = overview
	of[annotations+what+"-overview-short"] = overviewShort
}

// isFor reports whether a file is for a CRD: it has one of the names, or its name begins with the CRD's kind and a dot.
func (f *folder) isFor(crd packagedCRD, file string, names ...string) bool {
	name := path.Base(file)
	return strings.HasPrefix(crd.dir, path.Dir(file)) &&
		(slices.Contains(names, name) || strings.HasPrefix(name, strings.ToLower(crd.Spec.Names.Kind)+"."))
}

func descending[V any](m map[string]V) []string {
	return slices.SortedFunc(maps.Keys(m), func(a, b string) int { return strings.Compare(b, a) })
}
