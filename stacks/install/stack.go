// Package install renders install requests of Crossplane: of stacks (ExtensionRequest, StackInstall,
// ClusterStackInstall) to a Job that installs the package or to its unpacked objects, and of today's packages (Provider,
// Configuration, Function of pkg.crossplane.io) to requests for all packages that they need. Render does it for a
// ResourceList:
//
//	summary, err := install.Render(list, render.DefaultOptions())
//
// Requests are resolved by stacks/dependency, so that a render needs no other function. What was rendered by an earlier
// run with the same Options.Name is replaced or removed.
//
// A package of a stack must be in the list, since the permissions of its Job name each object that the Job applies.
package install

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
	"github.com/resource-plugins/krm-functions/stacks/dependency"
	"github.com/resource-plugins/krm-functions/stacks/pack"
	"github.com/resource-plugins/krm-functions/stacks/rights"
)

// Summary is what was rendered.
type Summary struct {
	// Requests are the requests that were rendered, and Packages what they need together.
	Requests, Packages int
	// Images are the images that a cluster needs for the packages, sorted: of packages, controllers and helpers. They are
	// those of their publishers, whatever the options say of mirrors.
	Images []string
	// Lock is the Lock that the package manager of Crossplane would come to, as YAML; nil without a request of
	// pkg.crossplane.io.
	Lock []byte
	// Objects are the items of the list that this run has rendered.
	Objects []*krm.Item
}

// Render renders the install requests of a list, appends the objects to the list and removes from it what an earlier run has
// rendered and this one has not. Requests for stacks, and packages, are marked as not to be applied; requests of
// pkg.crossplane.io are changed in place.
//
// What is wrong with a request is reported to the list; the others are rendered anyway, and nothing is removed then.
// The error is krm.OptionErrors if options cannot be used, or is that of an item that cannot be read.
func Render(list *krm.ResourceList, options render.Options) (Summary, error) {
	options.Install, options.Delivery = cmp.Or(options.Install, render.InstallJob), cmp.Or(options.Delivery, render.Tools[0])
	if wrong := append(options.Validate(), rights.CheckLevels(options.Rules)...); len(wrong) > 0 {
		return Summary{}, wrong
	}
	r := newRenderer(list, &options)
	if options.Compatible != "" {
		return r.compatible()
	}
	resolution, err := dependency.Resolve(list, resolve.Options{})
	if err != nil {
		return Summary{}, err
	}
	return r.render(resolution), nil
}

func newRenderer(list *krm.ResourceList, options *render.Options) *renderer {
	return &renderer{
		list: list, options: options, files: map[string]int{}, images: map[string]bool{}, named: map[string]string{},
	}
}

// render renders the requests, and puts the objects into the list.
func (r *renderer) render(resolution dependency.Resolution) Summary {
	r.reconciler = render.NewReconciler(r.list, r.owner())
	r.read(resolution)
	r.stacks()
	r.packages(resolution)
	r.reportNamespaces()
	r.reportMirrors()
	r.promoter().promote(pack.Find(r.list), r.promoted)
	r.reconciler.Apply(r.changes)
	if (r.options.Prune || len(Requests(r.list)) > 0) && !r.list.Results().Failed() {
		r.reconciler.RemoveRest()
	}
	for _, one := range r.promoted {
		r.summary.Objects = append(r.summary.Objects, one.item)
	}
	r.summary.Objects = slices.Concat(r.summary.Objects, r.inPlace, r.reconciler.Rendered())
	r.summary.Images = slices.Sorted(maps.Keys(r.images))
	return r.summary
}

// renderer is one run.
type renderer struct {
	list       *krm.ResourceList
	options    *render.Options
	reconciler *render.Reconciler
	changes    []render.Change
	requests   []*request
	// promoted are the documents of packages that are applied as they are, by what installs them.
	promoted []promotion
	// inPlace are the items of the list that were changed and are to be applied.
	inPlace []*krm.Item
	// files counts the objects of each file that they go to.
	files map[string]int
	// images are those that the cluster needs.
	images  map[string]bool
	named   map[string]string // packages by the names of their requests
	summary Summary
}

// owner says what this run is responsible for: the phases of the options, and removals.
func (r *renderer) owner() render.Owner {
	return render.Owner{
		Name: r.options.Name,
		Owns: func(_, phase string) bool {
			return slices.Contains(r.options.Phases, phase) || phase == string(v1alpha1.PhaseDelete)
		},
		Kinds: []string{
			"Job", "Deployment", rbacv1.ServiceAccountKind, "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding", imageConfig,
		},
		Named:        packageKinds,
		Packages:     true,
		IsTemplate:   r.options.IsTemplate(),
		WithoutPaths: r.options.WithoutPaths,
	}
}

// put adds an object to what is rendered for a request. The phase is the one whose objects it is one of.
func (r *renderer) put(of *request, phase v1alpha1.Phase, isHeld bool, object render.Manifest) {
	kind := object.GetObjectKind().GroupVersionKind().Kind
	file := "rendered/" + contract.FileName(cmp.Or(of.namespace, "cluster")) + "/" + contract.FileName(of.Name) + "-" +
		string(phase) + ".yaml"
	annotations := merged(object.GetAnnotations(), r.options.Delivered(kind, isHeld, r.files[file]))
	annotations = merged(annotations, map[string]string{
		contract.InstallKey: of.Name, contract.PhaseKey: string(phase),
	})
	r.options.Own(annotations)
	object.SetAnnotations(annotations)
	change, err := r.reconciler.Put(object, file, r.files[file])
	r.files[file]++
	if err != nil {
		r.list.Report(krm.At(of.item, "", krm.Error, err.Error()))
	}
	r.changes = append(r.changes, change)
}

// labels are on everything that is rendered for a request, and on what its Job applies.
func labels(of *request) map[string]string {
	group, _, _ := strings.Cut(of.APIVersion, "/")
	return merged(parentLabels(group, of.Kind, of.namespace, of.Name), map[string]string{
		contract.ManagedByKey: contract.ManagedBy, contract.InstallKey: contract.LabelValue(of.Name),
	})
}

// merged returns a new map with a's entries and b's; b wins.
func merged(a, b map[string]string) map[string]string {
	all := make(map[string]string, len(a)+len(b))
	for _, one := range []map[string]string{a, b} {
		for key, value := range one {
			all[key] = value
		}
	}
	return all
}
