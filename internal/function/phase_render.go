package function

import (
	"fmt"
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/cores"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

// folder is where rendered objects go in a package.
const phaseFolder = "rendered/"

// outcome counts what was rendered.
type outcome struct {
	workloads, resources, sandboxes int
	phases                          map[v1alpha1.Phase]bool
}

type resourceKey struct {
	subject *phaseSubject
	index   int
}

// done is what became of one task.
type done struct {
	changes   []render.Change
	workloads int
	results   []krm.Result
}

// render renders the tasks, puts the objects into the list and removes what is not rendered any more, if it may.
func (p *plan) render(mayRemove bool) outcome {
	p.namespaces()
	stock := render.NewInventory(p.call.List, p.owner())
	shared := p.shared(stock)
	outcomes := make([]done, len(p.tasks))
	cores.Each(len(p.tasks), func(i int) { outcomes[i] = p.do(p.tasks[i], stock) })
	total := outcome{phases: map[v1alpha1.Phase]bool{}}
	sandboxes, resources := map[*phaseSubject]bool{}, map[resourceKey]bool{}
	for i, one := range outcomes {
		p.call.List.Report(one.results...)
		if one.workloads > 0 {
			resources[resourceKey{p.tasks[i].subject, p.tasks[i].index}] = true
			total.workloads += one.workloads
			sandboxes[p.tasks[i].subject] = true
			total.phases[p.tasks[i].phase] = true
		}
	}
	total.resources, total.sandboxes = len(resources), len(sandboxes)
	p.call.List.Report(shared.results...)
	stock.Apply(shared.changes)
	for _, one := range outcomes {
		stock.Apply(one.changes)
	}
	if mayRemove && !p.call.List.Results().Failed() {
		stock.RemoveRest()
	}
	return total
}

// owner says what this run stands for: its own phase, and the delete phase of sandboxes that are absent or gone. Delete
// phases of sandboxes that are still there are another config's.
func (p *plan) owner() render.Owner {
	return render.Owner{
		Name:    p.call.ConfigName,
		Package: render.PackageOf(p.call.List),
		Owns: func(sandbox, phase string) bool {
			return slices.Contains(p.phases, v1alpha1.Phase(phase)) || phase == string(v1alpha1.PhaseDelete) && !p.present[sandbox]
		},
	}
}

// shared puts the objects that no sandbox owns, each once, in the order in which they are first needed.
func (p *plan) shared(stock *render.Inventory) (d done) {
	seen := map[[2]string]bool{}
	for _, blueprint := range p.order {
		for _, object := range p.delivery.Annotate(blueprint.Shared()) {
			if key := [2]string{object.Namespace, object.Name}; !seen[key] {
				seen[key] = true
				d.put(p, stock, object, phaseFolder+object.Namespace+"-"+object.Name+".yaml", 0, nil)
			}
		}
	}
	return d
}

// do renders one resource.
func (p *plan) do(t task, stock *render.Inventory) (d done) {
	objects, problems := t.blueprint.Render(t.request)
	for _, problem := range problems {
		at := resourcePath(t.index)
		if problem.Path != "" {
			at += "." + problem.Path
		}
		d.results = append(d.results, krm.At(t.subject.Item, at, problem.Severity, problem.Message))
	}
	files := map[string]int{}
	base := phaseFolder + contract.FileName(t.request.Sandbox) + "/" + t.subject.files[t.index] + "-"
	for _, object := range t.delivery.Annotate(objects) {
		if t.delivery.Holds && object.Phase != string(t.phase) {
			continue // comes with the create phase
		}
		file := base + object.Phase + ".yaml"
		d.put(p, stock, object, file, files[file], &t)
		files[file]++
		if object.Kind == string(p.options.Workload) {
			d.workloads++
		}
	}
	return d
}

// put puts one object; in file mode it gets no place, since nobody keeps it.
func (d *done) put(p *plan, stock *render.Inventory, object render.Object, file string, index int, t *task) {
	place := &render.Place{Path: file, Index: index}
	if p.call.FileMode {
		place = nil
	}
	change, err := stock.Put(object, place)
	if err == nil {
		d.changes = append(d.changes, change)
		return
	}
	if t == nil {
		d.results = append(d.results, krm.NewResult(krm.Error, err.Error()))
		return
	}
	d.results = append(d.results, krm.At(t.subject.Item, resourcePath(t.index), krm.Error, err.Error()))
}

func (o outcome) summary(workload string, phases []v1alpha1.Phase) string {
	phase := string(phases[0])
	switch {
	case len(phases) == 2:
		phase = "create and delete"
	case o.phases[v1alpha1.PhaseCreate] && o.phases[v1alpha1.PhaseDelete]:
		phase = "create, and delete where the state is absent"
	case o.phases[v1alpha1.PhaseDelete]:
		phase = string(v1alpha1.PhaseDelete)
	}
	return fmt.Sprintf("rendered %s for %s of %s (%s)",
		cli.Count(o.workloads, workload), cli.Count(o.resources, "resource"), cli.Count(o.sandboxes, "sandbox"), phase)
}
