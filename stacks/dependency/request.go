package dependency

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	stacksv1 "github.com/resource-plugins/krm-functions/stacks/api/v1"
	"github.com/resource-plugins/krm-functions/stacks/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/stacks/imageref"
	"github.com/resource-plugins/krm-functions/stacks/pack"
)

const (
	specPath    krm.Path = "spec"
	packagePath          = specPath + ".package"
	crdPath              = specPath + ".crd"
	sourcePath           = specPath + ".source"
)

// kustomizeKey is the annotation that objects have under kustomize.
const kustomizeKey = "kustomize.config.k8s.io/id"

// IsRequest reports whether a document asks for a package, and was not rendered.
func IsRequest(item *krm.Item) bool {
	switch group, _, _ := strings.Cut(item.APIVersion(), "/"); group {
	case v1alpha1.ExtensionsGroup:
		return item.Kind() == v1alpha1.KindExtensionRequest
	case v1alpha1.GroupName:
		return item.Kind() == v1alpha1.KindStackInstall || item.Kind() == v1alpha1.KindClusterStackInstall
	case stacksv1.GroupName:
		if !slices.Contains([]string{stacksv1.KindProvider, stacksv1.KindConfiguration, stacksv1.KindFunction}, item.Kind()) {
			return false
		}
		_, rendered := item.Annotation(contract.RenderedByKey)
		return !rendered
	}
	return false
}

// request is an install request that is being resolved.
type request struct {
	item *krm.Item
	// kind is the required kind of the package, or empty if any kind is allowed.
	kind   string
	absent bool
	// kustomize means that changes are not written back to the source.
	kustomize bool

	field  krm.Path // of the reference
	text   string   // the reference as it is written
	source string
	// asked is the reference before resolution pinned it, or as written if it is not pinned. It refers to a package,
	// unless askedCRD is set.
	asked, askedCRD string
	stale           *record // the outdated record, if a user has edited the pin

	err   error // why it cannot be resolved
	at    krm.Path
	wants selector
}

// record holds the original reference and the pin, as resolution wrote them on a request.
type record struct{ requested, crd, pin string }

// readRequests returns the requests of a list, in its order.
func readRequests(list *krm.ResourceList) []*request {
	var items []*krm.Item
	for _, item := range list.Items() {
		if IsRequest(item) {
			items = append(items, item)
		}
	}
	requests := make([]*request, len(items))
	krm.Each(len(items), func(i int) { requests[i] = readRequest(items[i]) })
	return requests
}

func readRequest(item *krm.Item) *request {
	r := &request{item: item, at: specPath}
	if group, _, _ := strings.Cut(item.APIVersion(), "/"); group == stacksv1.GroupName {
		r.kind = item.Kind()
	}
	_, r.kustomize = item.Annotation(kustomizeKey)
	switch state, _ := item.Annotation(contract.StateKey); state {
	case "", contract.Present:
	case contract.Absent:
		r.absent = true
	default:
		return r.fail(document.StatePath(), "must be %q or %q, not %q", contract.Absent, contract.Present, state)
	}
	spec := krm.Value(item.YNode(), "spec")
	var texts [3]string
	for i, field := range []krm.Path{packagePath, crdPath, sourcePath} {
		value := krm.Value(spec, field.Steps()[1].Key)
		if value == nil || value.ShortTag() == "!!null" {
			continue
		}
		if value.Kind != yaml.ScalarNode {
			return r.fail(field, "must be a text")
		}
		texts[i] = value.Value
	}
	r.source = texts[2]
	switch {
	case texts[0] == "" && texts[1] == "":
		return r.fail(specPath, "must have one of package and crd")
	case texts[0] != "" && texts[1] != "":
		return r.fail(specPath, "must have one of package and crd, not both")
	case texts[1] != "":
		r.field, r.text, r.askedCRD = crdPath, texts[1], texts[1]
	default:
		r.field, r.text, r.asked = packagePath, texts[0], texts[0]
	}
	r.at = r.field
	r.readRecord()
	return r
}

func (r *request) fail(at krm.Path, format string, args ...any) *request {
	r.at, r.err = at, fmt.Errorf(format, args...)
	return r
}

// readRecord reads the original reference of a pinned request. A pin that a user has edited takes precedence.
func (r *request) readRecord() {
	var found record
	for _, one := range []struct {
		annotation string
		values     map[string]*string
	}{
		{contract.RequestedKey, map[string]*string{"package": &found.requested, "crd": &found.crd}},
		{contract.DigestsKey, map[string]*string{"package": &found.pin}},
	} {
		text, ok := r.item.Annotation(one.annotation)
		if !ok {
			continue
		}
		var values map[string]string
		if json.Unmarshal([]byte(text), &values) != nil {
			r.fail(krm.Path("metadata.annotations").Key(one.annotation),
				"annotation %q must be what resolve-version wrote: restore it, or remove it", one.annotation)
			return
		}
		for key, value := range one.values {
			*value = values[key]
		}
	}
	switch {
	case found.requested == "" && found.crd == "":
	case r.field != packagePath || found.pin != r.text:
		r.stale = &found
	default:
		r.asked, r.askedCRD = found.requested, found.crd
	}
}

// pinned reports whether resolution wrote the reference.
func (r *request) pinned() bool {
	return r.field == packagePath && (r.askedCRD != "" || r.asked != r.text)
}

// requested returns the original reference.
func (r *request) requested() string { return cmp.Or(r.askedCRD, r.asked) }

// repositoryOf returns the name of the package that a reference of the request refers to.
func (r *request) repositoryOf(asked pack.Reference) string {
	return imageref.WithSource(r.source, asked.Name)
}

// by names the request for messages and locks.
func (r *request) by() string {
	if namespace := r.item.Namespace(); namespace != "" {
		return r.item.Kind() + " " + namespace + "/" + r.item.Name()
	}
	return r.item.Kind() + " " + r.item.Name()
}

// read determines the selector of the request: from the pin if it has one, otherwise from the original reference. The
// pin of a present request is ignored if the package moves, or if it is locked, since the lock decides then.
func (r *request) read(l *lockState) {
	if r.err != nil {
		return
	}
	text, crd := r.asked, r.askedCRD
	if r.pinned() {
		pin, err := pack.ParseReference(r.text)
		if err != nil {
			r.fail(r.field, "%w", err)
			return
		}
		name := r.repositoryOf(pin)
		if r.absent || !l.decides(name) && !l.moves(name) {
			text, crd = r.text, ""
		}
	}
	if crd != "" {
		reference, err := pack.ParseCRD(crd)
		if err != nil {
			r.fail(r.field, "%w", err)
			return
		}
		r.wants = selector{crd: &reference, text: crd, kind: r.kind, source: r.source}
		return
	}
	reference, err := pack.ParseReference(text)
	if err != nil {
		r.fail(r.field, "%w", err)
		return
	}
	r.wants = selector{
		name: r.repositoryOf(reference), text: reference.Constraint(),
		version: reference.Selector, digest: reference.Digest, kind: r.kind, tag: true,
	}
}

// pin returns the reference that pins a request to its chosen version. If the request asks for the package by name, the
// name stays as written.
func (r *request) pin(c *Chosen) string {
	name := c.Name
	if r.field == packagePath {
		name, _, _ = imageref.Split(r.text)
	}
	return pack.ImageOf(name, c.Version, c.Digest)
}
