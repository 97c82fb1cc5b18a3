package render

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/engine/jobs"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// folder is where rendered objects go in a package.
const folder = "rendered/"

// Summary describes the result of a render.
type Summary struct {
	// Workloads is the number of workloads that run steps. Resources and Sandboxes are the numbers of the resources and
	// sandboxes that these workloads belong to.
	Workloads, Resources, Sandboxes int
	// Kind is the kind of the workloads.
	Kind string
	// Phases are the phases of the workloads.
	Phases []v1alpha1.Phase
	// Objects are the items of the list that this run has rendered. The first ones, as many as Shared, belong to no
	// sandbox in particular.
	Objects []*krm.Item
	Shared  int
	// Together holds the parts that depend on all sandboxes.
	Together Together
	// Shares are the parts of the sandboxes, by their names in lower case; nil without Options.Part.
	Shares map[string]*Share
}

// Plus adds the counts of another part, without objects: see Options.Part.
func (s Summary) Plus(other Summary) Summary {
	phases := slices.Concat(s.Phases, other.Phases)
	return Summary{
		Workloads: s.Workloads + other.Workloads, Resources: s.Resources + other.Resources,
		Sandboxes: s.Sandboxes + other.Sandboxes, Kind: other.Kind,
		Phases: slices.DeleteFunc(slices.Clone(v1alpha1.Phases), func(phase v1alpha1.Phase) bool {
			return !slices.Contains(phases, phase)
		}),
	}
}

// Together holds the parts of a Summary that depend on all sandboxes of a list, if parts of the list are rendered one
// by one: see Options.Part.
type Together struct {
	// Namespaces are those that must exist.
	Namespaces map[string]bool
	// Accounts reports whether scripts use ServiceAccounts that plugins name: whether sandboxes share one is found out only
	// with all of them in one list.
	Accounts bool
}

// Add adds the values of another part.
func (t *Together) Add(other Together) {
	if t.Namespaces == nil {
		t.Namespaces = map[string]bool{}
	}
	maps.Copy(t.Namespaces, other.Namespaces)
	t.Accounts = t.Accounts || other.Accounts
}

// Report reports the namespaces to a list.
func (t *Together) Report(list *krm.ResourceList) {
	names := slices.Sorted(maps.Keys(t.Namespaces))
	for i, name := range names {
		names[i] = strconv.Quote(name)
	}
	if len(names) > 0 {
		list.Report(krm.NewResult(krm.Info, "must exist before the render is applied: namespace "+strings.Join(names, ", ")))
	}
}

// Phases renders the resources of the list's sandboxes, appends the objects to the list and removes from it the objects
// that an earlier run has rendered and this one has not. The list's plugin documents are the catalog; references that
// were not resolved before are resolved in the same way, so that a render needs no other function. Documents of our own
// kinds are marked as not to be applied.
//
// Problems with a document are reported to the list; objects of other sandboxes are rendered anyway, but nothing is
// removed. The error is krm.OptionErrors if options cannot be used, or that of an item that cannot be read; nothing is
// rendered then.
func Phases(list *krm.ResourceList, options Options) (Summary, error) {
	options.Engine = cmp.Or(options.Engine, jobs.Name)
	options.Workload, options.Delivery = cmp.Or(options.Workload, job), cmp.Or(options.Delivery, kubectl)
	if wrong := options.Validate(); len(wrong) > 0 {
		MarkInputs(list)
		return Summary{}, wrong
	}
	for _, item := range list.Items() {
		if item.APIVersion() == contract.APIVersion && item.Kind() != contract.Sandbox {
			markInput(item) // sandboxes are marked when they are read
		}
	}
	items := list.Of(contract.APIVersion, contract.Sandbox)
	read, err := readSandboxes(list, items)
	if err != nil {
		return Summary{}, err
	}
	p := newPlan(list, options)
	if p.secrets, err = readOutputSecrets(list, read); err != nil {
		return Summary{}, err
	}
	var sandboxes []*sandbox
	if options.Part {
		sandboxes = ofCluster(read, options.Cluster)
	} else if sandboxes, err = OneCluster(list, read, options.Cluster, options.RefuseEmpty); err != nil {
		return Summary{}, err
	}
	for _, s := range sandboxes {
		p.add(s)
	}
	p.checkAccounts()
	p.reportPods()
	return p.render(options.Prune || len(items) > 0), nil
}

// outcome is the result of a task.
type outcome struct {
	sandbox   string
	resource  string
	phase     v1alpha1.Phase
	changes   []Change
	workloads int
	results   []krm.Result
}

// render renders the tasks, puts the objects into the list and, if it may, removes those that are no longer rendered.
func (p *plan) render(mayRemove bool) Summary {
	together := Together{p.namespaces(), p.hasAccounts()}
	var shares map[string]*Share
	if p.options.Part {
		shares = p.shares()
	} else {
		together.Report(p.list)
	}
	p.reportUnusedNamespaces()
	reconciler := NewReconciler(p.list, p.owner())
	shared := p.shared(reconciler)
	outcomes := make([]outcome, len(p.tasks))
	krm.Each(len(p.tasks), func(i int) {
		if !reconciler.exceeded() {
			outcomes[i] = p.do(&p.tasks[i], reconciler)
		}
		p.tasks[i] = task{} // release the sandbox: the rendered objects take enough memory
	})
	if reconciler.ReportExcess() {
		return Summary{}
	}
	for _, one := range outcomes {
		p.list.Report(one.results...)
	}
	p.list.Report(shared.results...)
	reconciler.Apply(shared.changes)
	sharedObjects := len(reconciler.Rendered())
	for _, one := range outcomes {
		reconciler.Apply(one.changes)
	}
	if mayRemove && !p.list.Results().Failed() {
		reconciler.RemoveRest()
	}
	total := summary(outcomes, shares)
	total.Kind, total.Together = p.options.workloadKind(), together
	total.Objects, total.Shared = reconciler.Rendered(), sharedObjects
	return total
}

// summary counts the rendered workloads, and adds them to the shares of the sandboxes if these are counted.
func summary(outcomes []outcome, shares map[string]*Share) Summary {
	sandboxes, resources, phases := map[string]bool{}, map[string]bool{}, map[v1alpha1.Phase]bool{}
	total := Summary{Shares: shares}
	for _, one := range outcomes {
		if one.workloads > 0 {
			resource := one.sandbox + "/" + one.resource
			if shares != nil {
				shares[one.sandbox].count(one, !resources[resource])
			}
			total.Workloads += one.workloads
			sandboxes[one.sandbox], resources[resource], phases[one.phase] = true, true, true
		}
	}
	total.Resources, total.Sandboxes = len(resources), len(sandboxes)
	total.Phases = slices.DeleteFunc(slices.Clone(v1alpha1.Phases), func(phase v1alpha1.Phase) bool { return !phases[phase] })
	return total
}

// owner describes the phases that this run is responsible for: its own, and the delete phase of sandboxes that are
// absent or gone. Other objects of a phase that the config does not list belong to a config of the same name that lists
// it: under kpt, configs do not have their own names.
func (p *plan) owner() Owner {
	return Owner{
		Name: p.options.Name,
		Owns: func(sandbox, phase string) bool {
			return slices.Contains(p.phases, v1alpha1.Phase(phase)) ||
				phase == string(v1alpha1.PhaseDelete) && sandbox != "" && !p.present[strings.ToLower(sandbox)]
		},
		Kinds: renderedKinds(), Named: []string{secretKind}, WithoutPaths: p.options.WithoutPaths,
	}
}

func renderedKinds() []string {
	return append([]string{"ConfigMap", kindBudget, "Role", "RoleBinding", secretKind, rbacv1.ServiceAccountKind},
		workloadKinds...)
}

// MayReplace reports whether Phases looks at an item that is no document of ours: it may have the name of a rendered object.
func MayReplace(item *krm.Item) bool {
	owner := Owner{Kinds: renderedKinds(), Named: []string{secretKind}}
	return owner.mayReplace(item)
}

// shared puts the objects that sandboxes or resources share, each once, in the order in which they are first needed.
func (p *plan) shared(reconciler *Reconciler) (out outcome) {
	seen := map[identity]bool{}
	put := func(objects []object, folder string) {
		for i := range objects {
			o := &objects[i]
			key := identity{o.kind, o.GetNamespace(), o.GetName()}
			if seen[key] {
				continue
			}
			seen[key] = true
			change, err := reconciler.put(o, folder+key.namespace+"-"+key.name+".yaml", 0)
			if err != nil {
				out.results = append(out.results, krm.NewResult(krm.Error, err.Error()))
			}
			out.changes = append(out.changes, change)
		}
	}
	for _, phase := range p.order {
		p.delivery.prepare(phase.scripts)
		put(phase.scripts, folder)
	}
	for i := range p.tasks {
		put(p.budgets(&p.tasks[i]), folder+contract.FileName(p.tasks[i].request.Sandbox)+"/")
	}
	return out
}

// do renders one resource.
func (p *plan) do(t *task, reconciler *Reconciler) outcome {
	out := outcome{sandbox: t.request.Sandbox, resource: t.request.Resource, phase: t.phase.phase}
	at := resourcePath(t.index)
	objects, problems := t.phase.render(&t.request)
	for _, problem := range problems {
		below := at
		if problem.Path != "" {
			below += "." + problem.Path
		}
		out.results = append(out.results, krm.At(t.sandbox.Item, below, krm.Severity(problem.Severity), problem.Message))
	}
	out.results = append(out.results, p.secrets.collisions(objects)...)
	files := map[string]int{}
	base := folder + contract.FileName(t.request.Sandbox) + "/" + t.sandbox.files[t.index] + "-"
	delivery := p.deliveryOf(t.sandbox)
	delivery.prepare(objects)
	for i := range objects {
		o := &objects[i]
		if delivery.holds && o.phase != t.phase.phase {
			continue // comes with the create phase
		}
		file := base + string(o.phase) + ".yaml"
		change, err := reconciler.put(o, file, files[file])
		if err != nil {
			out.results = append(out.results, krm.At(t.sandbox.Item, at, krm.Error, err.Error()))
		}
		out.changes = append(out.changes, change)
		files[file]++
		if isWorkload(o) {
			out.workloads++
		}
	}
	return out
}
