package render

import (
	"slices"
	"strconv"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Annotations of the orchestrators that say where an object belongs.
const (
	pathKey    = "internal.config.kubernetes.io/path"
	indexKey   = "internal.config.kubernetes.io/index"
	packageKey = "internal.config.kubernetes.io/package-path"
)

// Owner says which of the objects in a list one run may replace and remove.
type Owner struct {
	// Name is the name of the function config, which is on what it rendered.
	Name string
	// Package is the path of the package that the config is in; empty outside of kpt.
	Package string
	// Owns reports whether the run is responsible for a phase of a sandbox. The sandbox is empty for what sandboxes share.
	Owns func(sandbox, phase string) bool
	// Kinds are the kinds of objects that the run renders: others are not looked at, and so not parsed. None means every
	// kind that any function renders.
	Kinds []string
}

// Reconciler puts rendered objects into a list that may hold them from the last time, as in kpt, which rewrites its
// packages in place. What was rendered before is replaced if it changed, and removed if it is no longer rendered; what is
// not ours stays as it is. Doing it twice changes nothing.
//
// Put may be called by several goroutines; the list is changed by Apply and RemoveRest alone.
type Reconciler struct {
	list  *krm.ResourceList
	owner Owner
	items map[identity]*entry
	order []*entry
}

type identity struct{ kind, namespace, name string }

type entry struct {
	item  *krm.Item
	owned bool
	kept  bool
}

// isRendered reports whether objects of a kind are rendered.
func isRendered(kind string) bool {
	switch kind {
	case "ConfigMap", "Job", "Pod", "Role", "RoleBinding", "Secret", "ServiceAccount", // of phases
		"Deployment", "Rollout", "Service", "HTTPRoute", "VirtualService": // of forks
		return true
	}
	return false
}

// NewReconciler looks for what was rendered before. Only items whose kind and name are like those of rendered objects are
// looked into.
func NewReconciler(list *krm.ResourceList, owner Owner) *Reconciler {
	v := &Reconciler{list: list, owner: owner, items: map[identity]*entry{}}
	for _, item := range list.Items() {
		if len(owner.Kinds) > 0 && !slices.Contains(owner.Kinds, item.Kind()) {
			continue
		}
		if !isRendered(item.Kind()) || !contract.IsObjectName(item.Name()) {
			continue
		}
		e := &entry{item: item, owned: v.owns(item)}
		v.items[identity{item.Kind(), item.Namespace(), item.Name()}] = e
		v.order = append(v.order, e)
	}
	return v
}

func (v *Reconciler) owns(item *krm.Item) bool {
	by, rendered := item.Annotation(contract.RenderedByKey)
	if !rendered || by != v.owner.Name || annotation(item, packageKey) != v.owner.Package {
		return false
	}
	return v.owner.Owns(annotation(item, contract.SandboxKey), annotation(item, contract.PhaseKey))
}

// Place is where an object goes in a package.
type Place struct {
	// Path is a slash-separated path, Index the object's place in that file.
	Path  string
	Index int
}

// Change is what happens to a list for one object; the zero value is nothing.
type Change struct {
	old, fresh *krm.Item
}

// Put returns what happens for an object. Without a place it is not annotated with one. The error is a *TakenError if
// another object has its name.
func (v *Reconciler) Put(m Manifest, place *Place) (Change, error) {
	return v.put(&object{Manifest: m, kind: m.GetObjectKind().GroupVersionKind().Kind}, place)
}

func (v *Reconciler) put(o *object, place *Place) (Change, error) {
	old, skip, err := v.claim(identity{o.kind, o.GetNamespace(), o.GetName()})
	if skip || err != nil {
		return Change{}, err
	}
	annotations := map[string]string{}
	if old != nil {
		var equal bool
		if equal, annotations, err = compare(old.item, o); err != nil || equal && at(old.item, place) {
			return Change{}, err
		}
	}
	if place != nil {
		annotations[indexKey], annotations[pathKey] = strconv.Itoa(place.Index), place.Path
	}
	fresh, err := krm.NewItem(o.yaml(annotations))
	if err != nil {
		return Change{}, err
	}
	return old.change(fresh), nil
}

// claim keeps the object of that name from the last time, if there is one. Skip means that another config owns it.
func (v *Reconciler) claim(id identity) (old *entry, skip bool, err error) {
	if old = v.items[id]; old == nil {
		return nil, false, nil
	}
	if !old.owned {
		if _, rendered := old.item.Annotation(contract.RenderedByKey); rendered {
			return nil, true, nil
		}
		return nil, false, &TakenError{id.kind, id.name}
	}
	old.kept = true
	return old, false, nil
}

// change is what happens when a new object takes an entry's place; of no entry the object is added.
func (e *entry) change(fresh *krm.Item) Change {
	if e == nil {
		return Change{fresh: fresh}
	}
	return Change{old: e.item, fresh: fresh}
}

// TakenError means that an object's name is taken by one that was not rendered.
type TakenError struct{ Kind, Name string }

func (e *TakenError) Error() string {
	return "the name of the " + e.Kind + " " + strconv.Quote(e.Name) + " must not be taken by another object: remove that one"
}

// Apply makes the changes, in order.
func (v *Reconciler) Apply(changes []Change) {
	var added []*krm.Item
	for _, change := range changes {
		switch {
		case change.fresh == nil:
		case change.old != nil:
			v.list.Replace(change.old, change.fresh)
		default:
			added = append(added, change.fresh)
		}
	}
	v.list.Append(added...)
}

// RemoveRest removes what is owned and was not put, and reports each as an info.
func (v *Reconciler) RemoveRest() {
	var gone []*krm.Item
	for _, e := range v.order {
		if e.owned && !e.kept {
			gone = append(gone, e.item)
			v.list.Report(krm.At(e.item, "", krm.Info, "removed: it is not rendered any more"))
		}
	}
	if len(gone) > 0 {
		v.list.Remove(gone...)
	}
}

func annotation(item *krm.Item, key string) string {
	text, _ := item.Annotation(key)
	return text
}

func at(item *krm.Item, place *Place) bool {
	return place == nil || annotation(item, pathKey) == place.Path && annotation(item, indexKey) == strconv.Itoa(place.Index)
}

// PackageOf returns the path of the package whose pipeline runs; empty outside of kpt. It is the package of the function
// config. Without one it is the outermost that is in the list, since a pipeline sees its own package and those below it.
func PackageOf(list *krm.ResourceList) string {
	if node, ok := krm.Path("metadata.annotations").Key(packageKey).Find(list.FunctionConfig()); ok {
		return node.Value
	}
	outermost := ""
	for _, item := range list.Items() {
		if item.Kind() != "Kptfile" {
			continue
		}
		if path := annotation(item, packageKey); outermost == "" || len(path) < len(outermost) {
			outermost = path
		}
	}
	return outermost
}
