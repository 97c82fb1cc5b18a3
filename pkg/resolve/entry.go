package resolve

import (
	"fmt"

	"github.com/Masterminds/semver/v3"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/digest"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/version"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// entry is one version of a plugin: a document, what catalogs list of it, or both.
type entry struct {
	name   version.Name
	item   *krm.Item // the document, nil if only catalogs have the version
	listed []listed  // the highest priority first

	loaded bool
	plugin *document.Plugin
	digest string
	broken *DocumentError // why it cannot be chosen
}

// listed is a version in a catalog.
type listed struct {
	source      *source
	plugin, row int
}

func (l listed) version() *v1alpha1.CatalogVersion {
	return &l.source.Spec.Plugins[l.plugin].Versions[l.row]
}

func (l listed) path() krm.Path { return versionPath(l.plugin, l.row) }

// priority is the highest of the catalogs that list the version, 0 if none does.
func (e *entry) priority() int {
	if len(e.listed) == 0 {
		return 0
	}
	return e.listed[0].source.Spec.Priority
}

// field returns the value of a field in the catalogs of the highest priority: of different values the smallest, so that
// order does not matter.
func (e *entry) field(value func(*v1alpha1.CatalogVersion) string) string {
	return leading(e.listed, func(l listed) (int, string) { return l.source.Spec.Priority, value(l.version()) })
}

// leading returns the smallest text, unless it is empty, of those with the priority of the first element.
func leading[E any](elements []E, of func(E) (priority int, text string)) (least string) {
	for _, e := range elements {
		highest, _ := of(elements[0])
		if priority, text := of(e); priority == highest && text != "" && (least == "" || text < least) {
			least = text
		}
	}
	return least
}

func (e *entry) yanked() string {
	return e.field(func(v *v1alpha1.CatalogVersion) string { return v.Yanked })
}

func (e *entry) deprecated() string {
	return e.field(func(v *v1alpha1.CatalogVersion) string { return v.Deprecated })
}

func (e *entry) source() string {
	return e.field(func(v *v1alpha1.CatalogVersion) string { return v.Source })
}

// kubernetes is the lowest version of Kubernetes that the version runs on, nil if it runs on any.
func (e *entry) kubernetes() *semver.Version {
	var highest *semver.Version
	for _, l := range e.listed {
		requires := l.version().Requires
		if l.source.Spec.Priority != e.priority() {
			break
		}
		if requires == nil || requires.Kubernetes == "" {
			continue
		}
		v, err := KubernetesVersion(requires.Kubernetes)
		if err == nil && (highest == nil || v.GreaterThan(highest)) {
			highest = v
		}
	}
	return highest
}

// load determines the digest: that of the document if there is one, which must be the digest that catalogs have.
func (e *entry) load() error {
	if !e.loaded && e.broken == nil {
		e.loaded, e.broken = true, e.read()
	}
	if e.broken != nil {
		return e.broken
	}
	return nil
}

func (e *entry) read() *DocumentError {
	if e.item == nil {
		e.digest = e.listedDigest()
		return nil
	}
	read, problems := document.ReadPlugin(e.item)
	for _, problem := range problems {
		if problem.Severity == krm.Error {
			return &DocumentError{Item: e.item, Path: problem.Path, Message: problem.Message + "; " + moreFindings}
		}
	}
	sum, problem := digest.Of(e.name, krm.Value(e.item.YNode(), "spec"))
	if problem != nil {
		return &DocumentError{Item: e.item, Path: problem.Path, Message: problem.Message}
	}
	e.plugin, e.digest = read, sum
	if listed := e.listedDigest(); listed != "" && listed != sum {
		return e.changed(fmt.Sprintf("%s has it as %s", e.listed[0].source.label(), listed))
	}
	return nil
}

// place returns the document and the path that a finding about the version is about: in a catalog this field.
func (e *entry) place(field string) (*krm.Item, krm.Path) {
	if e.item != nil {
		return e.item, namePath
	}
	return e.listed[0].source.Item, e.listed[0].path().Key(field)
}

// label names the document that the version is from.
func (e *entry) label() string {
	if e.item != nil {
		return label(e.item)
	}
	return e.listed[0].source.label()
}

// label names a document for messages: its name, and its file and line if they are known.
func label(item *krm.Item) string {
	text := fmt.Sprintf("%q", item.Name())
	switch place := item.PlaceOf(namePath); {
	case place.Line > 0:
		return fmt.Sprintf("%s (%s:%d)", text, place.File, place.Line)
	case place.File != "":
		return fmt.Sprintf("%s (%s)", text, place.File)
	default:
		return text
	}
}

// sameFile reports whether two items are one document that came twice, as kpt sends it under overlapping selectors.
func sameFile(a, b *krm.Item) bool {
	one, other := fileOf(a), fileOf(b)
	return one != nil && other != nil && *one == *other
}

// fileOf returns the file of an item as its orchestrator has it, nil if that is not known.
func fileOf(item *krm.Item) *krm.File { return krm.At(item, "", krm.Info, "").File }
