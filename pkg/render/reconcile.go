package render

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync/atomic"

	"sigs.k8s.io/kustomize/kyaml/kio/kioutil"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// packageKey is kpt's annotation with the package that an object belongs to.
const packageKey = "internal.config.kubernetes.io/package-path"

// Owner describes the objects in a list that one run may replace and remove.
type Owner struct {
	// Name is the name of the function config, which is set on the rendered objects.
	Name string
	// Owns reports whether the run is responsible for a phase of a sandbox. The sandbox is empty for objects that
	// sandboxes share.
	Owns func(sandbox, phase string) bool
	// Kinds are the kinds of objects that the run renders: others are not looked at, and so not parsed.
	Kinds []string
	// Named are those of the kinds whose objects have names that do not end in a hash.
	Named []string
	// Packages is set if the run renders packages of Crossplane, and not objects of sandboxes.
	Packages bool
	// IsTemplate is set if text that Helm would take for an action must be escaped.
	IsTemplate bool
	// WithoutPaths leaves out the annotations that say where in a package an object belongs.
	WithoutPaths bool
}

// Reconciler puts rendered objects into a list that may hold them from the last time, as in kpt, which rewrites its
// packages in place. Objects that were rendered before are replaced if they changed, and removed if they are no longer
// rendered; other objects stay as they are. Running it twice changes nothing.
//
// Put may be called by several goroutines; only Apply and RemoveRest change the list.
type Reconciler struct {
	list  *krm.ResourceList
	owner Owner
	// packagePath is the path of the package whose pipeline runs; empty outside of kpt.
	packagePath string
	items       map[identity]*entry
	order       []*entry
	rendered    []*krm.Item
	left        atomic.Int64 // bytes that may still be rendered
}

// The rendered objects have at most so many bytes together, or so many times those of the list: a few lines about steps,
// resources and sandboxes, or about Services, sandboxes and route groups, multiply each other.
const (
	maxRendered = 16 << 20
	maxGrowth   = 500
)

// IsExcess reports whether rendered objects are too large together for a list.
func IsExcess(list, rendered int) bool { return rendered > limit(list) }

func limit(list int) int { return max(maxRendered, maxGrowth*list) }

var errTooLarge = fmt.Errorf("all rendered objects must have at most %d MiB, or %d times the size of the list: "+
	"render fewer sandboxes at once, or with fewer resources, steps or forks", maxRendered>>20, maxGrowth)

type identity struct{ kind, namespace, name string }

type entry struct {
	item  *krm.Item
	owned bool
	kept  bool
}

// NewReconciler returns a Reconciler for the objects that were rendered before. It examines only items whose kind and
// name are like those of rendered objects.
func NewReconciler(list *krm.ResourceList, owner Owner) *Reconciler {
	v := &Reconciler{list: list, owner: owner, packagePath: packageOf(list), items: map[identity]*entry{}}
	v.left.Store(int64(limit(list.Size())))
	for _, item := range list.Items() {
		if !owner.mayReplace(item) {
			continue
		}
		e := &entry{item: item, owned: v.owns(item)}
		v.items[identity{item.Kind(), item.Namespace(), item.Name()}] = e
		v.order = append(v.order, e)
	}
	return v
}

// mayReplace reports whether an item is like one that was rendered.
func (o *Owner) mayReplace(item *krm.Item) bool {
	return slices.Contains(o.Kinds, item.Kind()) && contract.IsObjectName(item.Name()) ||
		slices.Contains(o.Named, item.Kind())
}

func (v *Reconciler) owns(item *krm.Item) bool {
	// Check the annotations that need no parsing of the object first: this run itself may have rendered very many.
	if _, isPackage := item.Annotation(contract.InstallKey); isPackage != v.owner.Packages {
		return false
	}
	by, rendered := item.Annotation(contract.RenderedByKey)
	if !rendered || by != v.owner.Name || annotation(item, packageKey) != v.packagePath {
		return false
	}
	if _, extra := item.Annotation(contract.RenderedWithKey); extra {
		return true // of a phase that the config does not list, so no config of the same name keeps it
	}
	return v.owner.Owns(annotation(item, contract.SandboxKey), annotation(item, contract.PhaseKey))
}

// Change is the change to a list for one object: the fresh item replaces the old one. Without an old item the fresh one
// is added, and without a fresh one the old item stays. The zero value changes nothing.
type Change struct {
	old, fresh *krm.Item
}

// Put returns the change for an object, which goes to a place in a file of the package. The path is slash-separated. It
// is an error if another object has its name.
func (v *Reconciler) Put(m Manifest, path string, index int) (Change, error) {
	kind := m.GetObjectKind().GroupVersionKind().Kind
	return v.put(&object{Manifest: m, kind: kind, isTemplate: v.owner.IsTemplate}, path, index)
}

func (v *Reconciler) put(o *object, path string, index int) (Change, error) {
	place := map[string]string{}
	if !v.owner.WithoutPaths {
		place[kioutil.IndexAnnotation], place[kioutil.PathAnnotation] = strconv.Itoa(index), path
	}
	old := v.items[identity{o.kind, o.GetNamespace(), o.GetName()}]
	if old == nil {
		fresh, err := v.print(o, place)
		return Change{fresh: fresh}, err
	}
	if !old.owned {
		if _, rendered := old.item.Annotation(contract.RenderedByKey); rendered {
			return v.foreign(old.item, o)
		}
		return Change{}, fmt.Errorf("the name of the %s %q must not be taken by another object: remove that one",
			o.kind, o.GetName())
	}
	old.kept = true
	equal, annotations, err := compare(old.item, o)
	if err != nil || equal && isAt(old.item, place) {
		return Change{old: old.item}, err
	}
	maps.Copy(annotations, place)
	fresh, err := v.print(o, annotations)
	return Change{old.item, fresh}, err
}

// print prints an object, as long as the objects are not too large together.
func (v *Reconciler) print(o *object, annotations map[string]string) (*krm.Item, error) {
	if v.exceeded() {
		return nil, errTooLarge
	}
	text := o.yaml(annotations)
	if v.left.Add(-int64(len(text))); v.exceeded() {
		return nil, errTooLarge
	}
	return krm.NewItem(text)
}

func (v *Reconciler) exceeded() bool { return v.left.Load() < 0 }

// ReportExcess reports whether the objects that were put are too large together, also as a result. In that case the
// objects put before depend on the order of goroutines, so nothing else about them must be reported or applied.
func (v *Reconciler) ReportExcess() bool {
	if v.exceeded() {
		v.list.Report(krm.NewResult(krm.Error, errTooLarge.Error()))
	}
	return v.exceeded()
}

// foreign returns the change for an object that another config has rendered before. In a package, that config replaces
// it; a list without paths is only for this run.
func (v *Reconciler) foreign(old *krm.Item, o *object) (Change, error) {
	if !v.owner.WithoutPaths {
		return Change{}, nil
	}
	fresh, err := v.print(o, nil)
	return Change{old, fresh}, err
}

// Apply makes the changes, in order.
func (v *Reconciler) Apply(changes []Change) {
	var added []*krm.Item
	for _, change := range changes {
		switch {
		case change == Change{}:
			continue
		case change.fresh == nil:
			v.rendered = append(v.rendered, change.old)
			continue
		case change.old != nil:
			v.list.Replace(change.old, change.fresh)
		default:
			added = append(added, change.fresh)
		}
		v.rendered = append(v.rendered, change.fresh)
	}
	v.list.Append(added...)
}

// Rendered returns the items of the list that this run has rendered, whether they changed or not.
func (v *Reconciler) Rendered() []*krm.Item { return v.rendered }

// RemoveRest removes the owned items that were not put, and reports each as an info.
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

func isAt(item *krm.Item, place map[string]string) bool {
	for key, value := range place {
		if annotation(item, key) != value {
			return false
		}
	}
	return true
}

// packageOf returns the path of the package whose pipeline runs; empty outside of kpt. It is the package of the function
// config. Without one it is the outermost that is in the list, since a pipeline sees its own package and those below it.
func packageOf(list *krm.ResourceList) string {
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
