// Package install renders install requests of Crossplane. Requests for stacks (ExtensionRequest, StackInstall,
// ClusterStackInstall) are rendered to a Job that installs the package or to its unpacked objects. Requests for today's
// packages (Provider, Configuration, Function of pkg.crossplane.io) are rendered to requests for all packages that they
// need. Render renders the requests of a ResourceList:
//
//	summary, err := install.Render(list, render.DefaultOptions())
//
// Package stacks/dependency resolves the requests, so that no other function is needed. Objects of an earlier run with the
// same Options.Name are replaced or removed.
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

// Summary is the result of Render.
type Summary struct {
	// Requests is the number of rendered requests, and Packages the number of packages that they need together.
	Requests, Packages int
	// Images are the images that a cluster needs for the packages, sorted: of packages, controllers and helpers. They are
	// those of their publishers, even if the options have mirrors.
	Images []string
	// Lock is the Lock that the package manager of Crossplane would create, as YAML; nil without a request of
	// pkg.crossplane.io.
	Lock []byte
	// Objects are the items of the list that this run has rendered.
	Objects []*krm.Item
}

// Render renders the install requests of a list, appends the objects to the list, and removes objects that an earlier run
// rendered and this run did not. Requests for stacks, and packages, are marked as not to be applied; requests of
// pkg.crossplane.io are changed in place.
//
// Problems with a request are reported to the list. The other requests are still rendered, but nothing is removed.
// The error is krm.OptionErrors if the options are invalid, or that of an item that cannot be read.
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
	// promoted are the documents of packages that are applied as they are, each with the request that installs it.
	promoted []promotion
	// inPlace are the items of the list that were changed and are to be applied.
	inPlace []*krm.Item
	// files counts the objects in each file.
	files map[string]int
	// images are the images that the cluster needs.
	images  map[string]bool
	named   map[string]string // packages by the names of their requests
	summary Summary
}

// owner describes the objects that this run is responsible for: those of the phases in the options, and of removals.
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

// put adds a rendered object to a phase of a request.
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

// labels returns the labels of all objects that are rendered for a request or applied by its Job.
func labels(of *request) map[string]string {
	group, _, _ := strings.Cut(of.APIVersion, "/")
	return merged(parentLabels(group, of.Kind, of.namespace, of.Name), map[string]string{
		contract.ManagedByKey: contract.ManagedBy, contract.InstallKey: contract.LabelValue(of.Name),
	})
}

// merged returns a new map with the entries of a and b; b takes precedence.
func merged(a, b map[string]string) map[string]string {
	all := make(map[string]string, len(a)+len(b))
	for _, one := range []map[string]string{a, b} {
		for key, value := range one {
			all[key] = value
		}
	}
	return all
}
