package krm

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/kyaml/kio/kioutil"

	"github.com/resource-plugins/krm-functions/pkg/krm/field"
)

const (
	listKind  = "ResourceList"
	listGroup = "config.kubernetes.io/"
)

// ErrDocument is the error of Parse if the input is YAML, but contains documents instead of a ResourceList.
var ErrDocument = errors.New("not a ResourceList")

// documentError is an ErrDocument with a different message.
type documentError struct{ error }

// Is implements errors.Is.
func (documentError) Is(target error) bool { return target == ErrDocument }

// checkHead returns an error if this is not a ResourceList of a known version.
func (l *ResourceList) checkHead() error {
	version, ours := strings.CutPrefix(l.version, listGroup)
	if l.kind == listKind && ours && slices.Contains([]string{"v1", "v1beta1", "v1alpha1"}, version) {
		return nil
	}
	err := fmt.Errorf("not a ResourceList: must be of apiVersion %q and kind %q, not apiVersion %q and kind %q",
		listGroup+"v1", listKind, l.version, l.kind)
	if l.kind != listKind {
		err = documentError{err}
	}
	return err
}

// ItemsError is the error of Parse if the input is a ResourceList with items that have no identity. List is that list. Each
// of these items has a result in it, so that a function can print them, as the specification has it for errors of
// items.
type ItemsError struct {
	List  *ResourceList
	first string
}

// Error returns the problem of the first item.
func (e *ItemsError) Error() string { return e.first }

// checkItems finds the items without an identity.
func (l *ResourceList) checkItems() error {
	var found *ItemsError
	for n, item := range l.items {
		if item.APIVersion() != "" && item.Kind() != "" && item.Name() != "" || item.mayBeNameless() {
			continue
		}
		message := fmt.Sprintf("%s: must have %s", l.where(n), strings.Join(item.missing(), " and "))
		if found == nil {
			found = &ItemsError{List: l, first: message}
		}
		result := NewResult(Error, message)
		result.order = n
		l.Report(result)
	}
	if found == nil {
		return nil
	}
	return found
}

// where identifies an item for an error.
func (l *ResourceList) where(n int) string {
	text := fmt.Sprintf("items[%d]", n)
	if line := l.items[n].line; line > 0 {
		text += fmt.Sprintf(" (line %d)", line)
	}
	if kind := l.items[n].Kind(); kind != "" {
		text += fmt.Sprintf(", kind %q", kind)
	}
	return text
}

func (i *Item) missing() []string {
	var fields []string
	for _, path := range []Path{versionPath, kindPath, namePath} {
		if i.text(path) == "" {
			fields = append(fields, string(path))
		}
	}
	return fields
}

// mayBeNameless reports whether orchestrators send such objects without a complete identity: kpt passes every YAML file
// of a package, including kustomizations without apiVersion, kind and name; a list of objects has no name.
func (i *Item) mayBeNameless() bool {
	if kind := i.Kind(); kind == "Kustomization" || kind == "Component" || strings.HasSuffix(kind, "List") {
		return true
	}
	file, _ := i.Annotation(kioutil.PathAnnotation)
	switch path.Base(file) {
	case "kustomization.yaml", "kustomization.yml", "Kustomization":
		return true
	}
	return false
}

// describe names the type of a node, for an error.
func describe(node *yaml.Node) string {
	switch node = field.Dereference(node); {
	case node.Kind == yaml.MappingNode:
		return "a mapping"
	case node.Kind == yaml.SequenceNode:
		return "a list"
	case node.ShortTag() == nullTag:
		return "null"
	default:
		return "a scalar"
	}
}
