package sandbox

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

// folder holds the rendered objects of a package, with a subfolder for each sandbox.
const folder = "rendered/"

// pack prints the copies of a fork, so that their trees can be freed: those of ten thousand sandboxes would take
// gigabytes.
func (r *renderer) pack(s *input, f *fork, copies []object) {
	file := folder + contract.FileName(s.Name) + "/forks/" + f.name + ".yaml"
	for i, o := range copies {
		change, err := r.reconciler.Put(&unstructured.Unstructured{Object: o}, file, i)
		if err != nil {
			s.report("spec.forks", krm.Error, err.Error())
			return
		}
		s.changes = append(s.changes, change)
	}
}

// deliver changes the list, and removes objects that are no longer rendered if it may.
func (r *renderer) deliver(mayRemove bool) Summary {
	routes := r.packRoutes()
	if r.list.Results().Failed() {
		return Summary{}
	}
	for _, s := range r.sandboxes {
		r.reconciler.Apply(s.changes)
	}
	r.reconciler.Apply(routes)
	r.annotateEndpoints()
	if mayRemove {
		r.reconciler.RemoveRest()
	}
	return r.summary()
}

// packRoutes prints the routes: those of one sandbox go into its folder, the others next to the folders.
func (r *renderer) packRoutes() (changes []render.Change) {
	files := map[string]int{}
	for _, route := range r.routes.objects {
		file := route.file()
		change, err := r.reconciler.Put(route.Manifest, file, files[file])
		files[file]++
		if err != nil {
			r.list.Report(krm.NewResult(krm.Error, err.Error()))
			continue
		}
		changes = append(changes, change)
	}
	return changes
}

func (r route) file() string {
	switch r.owner.kind {
	case contract.Sandbox:
		return folder + contract.FileName(r.owner.name) + "/routes.yaml"
	case contract.RouteGroup:
		return folder + "route-groups/" + contract.FileName(r.owner.name) + ".yaml"
	}
	return folder + "routes/" + r.GetNamespace() + "-" + r.GetName() + ".yaml"
}

func (r *renderer) summary() Summary {
	summary := Summary{Routes: len(r.routes.objects), Objects: r.reconciler.Rendered()}
	for _, s := range r.sandboxes {
		if len(s.forks) > 0 {
			summary.Sandboxes++
		}
		for _, f := range s.forks {
			summary.Forks++
			summary.Services += len(f.services)
		}
	}
	return summary
}
