package function

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/manifest"
	"github.com/resource-plugins/krm-functions/pkg/cores"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
	"github.com/resource-plugins/krm-functions/pkg/render/sandbox"
)

// folder is where rendered objects go in a package: below it a folder for each sandbox.
const sandboxFolder = "rendered/"

// parcel is what is put for one sandbox.
type parcel struct {
	changes []render.Change
	err     error
}

// deliver puts the objects into the list, and removes what is not rendered any more, if it may.
func (s *scene) deliver(mayRemove bool) (string, error) {
	stock := render.NewReconciler(s.call.List, render.Owner{
		Name: s.call.ConfigName, Package: render.PackageOf(s.call.List),
		Owns: func(_, phase string) bool { return phase == "" },
	})
	parcels := make([]parcel, len(s.subjects))
	cores.Each(len(s.subjects), func(i int) { parcels[i] = s.pack(s.subjects[i], stock) })
	for i, p := range parcels {
		if p.err != nil {
			s.call.List.Report(krm.At(s.subjects[i].Item, "spec.forks", krm.Error, p.err.Error()))
		}
	}
	routes := s.packRoutes(stock)
	if s.call.List.Results().Failed() {
		return "rendered nothing: what is reported must be mended first", nil
	}
	for _, p := range parcels {
		stock.Apply(p.changes)
	}
	stock.Apply(routes)
	s.annotateEndpoints()
	if s.call.FileMode && !s.config.Baseline {
		s.dropBaseline()
	}
	if mayRemove {
		stock.RemoveRest()
	}
	return s.summary(), nil
}

// dropBaseline keeps what was not rendered out of what files print: piped into kubectl, it would overwrite what runs.
func (s *scene) dropBaseline() {
	var foreign []*krm.Item
	for _, item := range s.call.List.Items() {
		if _, rendered := item.Annotation(contract.RenderedByKey); !rendered && item.APIVersion() != contract.APIVersion {
			foreign = append(foreign, item)
		}
	}
	s.call.List.Remove(foreign...)
}

// pack prints what was rendered for one sandbox. The trees go then: of ten thousand sandboxes they would fill gigabytes.
func (s *scene) pack(of *sandboxSubject, stock *render.Reconciler) (p parcel) {
	for _, f := range of.work.forks {
		file := sandboxFolder + contract.FileName(of.LowerName()) + "/forks/" + f.Name + ".yaml"
		p.put(s, stock, f.Tree, file, 0)
		f.Tree = nil
		for i := range f.Services {
			p.put(s, stock, f.Services[i].Tree, file, i+1)
			f.Services[i].Tree = nil
		}
	}
	return p
}

func (p *parcel) put(s *scene, stock *render.Reconciler, object *yaml.Node, file string, index int) {
	change, err := stock.PutNode(object, s.place(file, index))
	if err != nil {
		p.err = err
		return
	}
	p.changes = append(p.changes, change)
}

// place returns where an object goes; in file mode nobody keeps it.
func (s *scene) place(file string, index int) *render.Place {
	if s.call.FileMode {
		return nil
	}
	return &render.Place{Path: file, Index: index}
}

// packRoutes puts the routes: those of one sandbox into its folder, the others beside the folders.
func (s *scene) packRoutes(stock *render.Reconciler) (changes []render.Change) {
	files := map[string]int{}
	ofSandbox, ofGroup := s.lives()
	for _, object := range s.routes.Objects {
		file := routeFile(&object)
		life := ofSandbox[object.Sandbox] + ofGroup[object.Group] // it is for one of the two
		var tree yaml.Node
		if err := yaml.Unmarshal(manifest.AppendYAML(nil, mortal(&object, life)), &tree); err != nil {
			panic(err) // it has just been printed
		}
		change, err := stock.PutNode(tree.Content[0], s.place(file, files[file]))
		files[file]++
		if err != nil {
			s.call.List.Report(krm.NewResult(krm.Error, err.Error()))
			continue
		}
		changes = append(changes, change)
	}
	return changes
}

func routeFile(object *sandbox.RouteObject) string {
	switch {
	case object.Sandbox != "":
		return sandboxFolder + contract.FileName(object.Sandbox) + "/routes.yaml"
	case object.Group != "":
		return sandboxFolder + "route-groups/" + contract.FileName(object.Group) + ".yaml"
	}
	return sandboxFolder + "routes/" + object.Namespace + "-" + object.Name + ".yaml"
}

func (s *scene) summary() string {
	forks, services, sandboxes := 0, 0, 0
	for _, of := range s.subjects {
		if len(of.work.forks) > 0 {
			sandboxes++
		}
		for _, f := range of.work.forks {
			forks++
			services += len(f.Services)
		}
	}
	return fmt.Sprintf("rendered %s, %s and %s of %s", cli.Count(forks, "fork"), cli.Count(services, "Service"),
		cli.Count(len(s.routes.Objects), "route"), cli.Count(sandboxes, "sandbox"))
}
