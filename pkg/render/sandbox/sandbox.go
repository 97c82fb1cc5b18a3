// Package sandbox renders the forks of sandboxes: copies of the baseline's workloads with the Services in front of them, and
// the routes by which requests with the sandbox's routing key reach the copies.
//
// Its only function is Render. Its list holds the baseline's manifests, the sandboxes and the route groups; rendered
// objects are added to the same list:
//
//	list, err := krm.Parse(input)
//	…
//	summary, err := sandbox.Render(list, sandbox.DefaultOptions())
//
// Render has four steps. It reads the cluster from the list: workloads, Services, and other objects that select Pods.
// For each sandbox it copies the baselines, customizes them (images, variables, patches) and finalizes them: a fork has
// its own name, labels and selectors, so that fork and baseline do not select each other's Pods. Then it creates the
// routes of all sandboxes and route groups: HTTPRoutes of the Gateway API or VirtualServices of Istio. Last, it
// replaces or removes earlier rendered objects.
//
// Workloads are patched as JSON, with the schema of k8s.io/api, and printed with sorted keys, as kubectl prints them.
package sandbox

import (
	"cmp"
	"slices"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// Summary counts the rendered objects.
type Summary struct {
	// Sandboxes counts those with a fork, Services the copies, Routes the objects.
	Sandboxes, Forks, Services, Routes int
	// Readers counts the workloads that read the Secret of an OutputSecret.
	Readers int
	// Objects are the items rendered by this run, and the readers.
	Objects []*krm.Item
}

// Render renders the forks of the list's sandboxes and the routes to them. Its findings are added to the list's
// results. If one is an error, nothing is rendered and nothing removed. The error is krm.OptionErrors if options are
// invalid, or that of an item that cannot be read.
func Render(list *krm.ResourceList, options Options) (Summary, error) {
	items, err := list.Select(contract.APIVersion, contract.Sandbox, contract.RouteGroup)
	if err != nil {
		return Summary{}, err
	}
	render.MarkInputs(list)
	if invalid := options.Validate(); len(invalid) > 0 {
		return Summary{}, invalid
	}
	if len(options.Headers) == 0 {
		options.Headers = DefaultHeaders() // a route without a match would take all requests
	}
	if err := reportInvalid(list); err != nil || list.Results().Failed() {
		return Summary{}, err
	}
	sandboxes, groups := readInputs(list, items, &options)
	if sandboxes, err = render.OneCluster(list, sandboxes, options.Cluster, options.RefuseEmpty); err != nil {
		return Summary{}, err
	}
	secrets, err := resolveOutputs(list, sandboxes)
	if err != nil {
		return Summary{}, err
	}
	readers, err := readOutputs(list, secrets, options.Namespace)
	if err != nil {
		return Summary{}, err
	}
	baseline, err := readCluster(list, options.Namespace)
	if err != nil {
		return Summary{}, err
	}
	r := &renderer{list: list, options: &options, baseline: baseline, sandboxes: sandboxes, groups: groups}
	r.chooseCluster()
	r.reconciler = render.NewReconciler(list, render.Owner{
		Name:         options.Name,
		Owns:         func(_, phase string) bool { return phase == "" },
		WithoutPaths: options.WithoutPaths,
		Kinds:        []string{deployment, rollout, "Service", httpRoute.Kind, virtualService.Kind},
	})
	if !r.renderForks() {
		return Summary{}, nil
	}
	r.reportSelecting()
	r.reportGroupTTLs()
	r.renderRoutes()
	if err := r.reportExisting(); err != nil {
		return Summary{}, err
	}
	summary := r.deliver(options.Prune || hasSandbox(items))
	if !list.Results().Failed() {
		summary.Readers, summary.Objects = len(readers), append(summary.Objects, readers...)
	}
	return summary, nil
}

// renderer is one run: the baseline, the sandboxes, and their rendered objects.
type renderer struct {
	list       *krm.ResourceList
	options    *Options
	baseline   *cluster
	reconciler *render.Reconciler
	sandboxes  []*input
	groups     []routedGroup // of the cluster, or of all
	routes     *routing
}

// chooseCluster chooses the cluster of the first document that has one, unless the config does, and drops the route
// groups of other clusters.
func (r *renderer) chooseCluster() {
	cluster := &r.options.Cluster
	for _, s := range r.sandboxes {
		*cluster = cmp.Or(*cluster, s.Spec.Cluster)
	}
	for _, g := range r.groups {
		*cluster = cmp.Or(*cluster, g.Spec.Cluster)
	}
	r.groups = slices.DeleteFunc(r.groups, func(g routedGroup) bool {
		return g.Spec.Cluster != "" && g.Spec.Cluster != *cluster
	})
}

// hasSandbox reports whether the list has a sandbox; without one nothing is removed unless the config says so.
func hasSandbox(items []*krm.Item) bool {
	return slices.ContainsFunc(items, func(item *krm.Item) bool { return item.Kind() == contract.Sandbox })
}

// reportInvalid reports violations of rules with severity error in sandboxes, route groups and OutputSecrets;
// warnings are left to validate-plugin.
func reportInvalid(list *krm.ResourceList) error {
	report, err := validate.Check(list, validate.Options{})
	if err != nil {
		return err
	}
	for _, result := range report.Results {
		if ref := result.ResourceRef; result.Severity == krm.Error && ref != nil &&
			slices.Contains([]string{contract.Sandbox, contract.RouteGroup, contract.OutputSecret}, ref.Kind) {
			list.Report(result)
		}
	}
	return nil
}

// renderForks copies and customizes the baselines of all sandboxes. It returns false if all copies together are too
// large.
func (r *renderer) renderForks() bool {
	krm.Each(len(r.sandboxes), func(i int) { r.renderSandbox(r.sandboxes[i]) })
	if r.reconciler.ReportExcess() {
		return false
	}
	for _, s := range r.sandboxes {
		r.list.Report(s.results...)
	}
	return true
}

func (r *renderer) renderSandbox(s *input) {
	if s.absent {
		return
	}
	s.reportUnsupported()
	for i := range s.Spec.Forks {
		workload, err := r.baseline.find(s.Spec.Forks[i].ForkOf)
		if err != nil {
			s.report(forkPath(i).Key("forkOf"), krm.Error, err.Error())
			continue
		}
		f := newFork(s, i, workload)
		s.forks = append(s.forks, f)
		s.services = append(s.services, f.services...)
	}
	for _, f := range s.forks {
		if copies := s.customize(f); copies != nil {
			r.pack(s, f, copies)
		}
	}
	s.Item.Release()
}

// customize returns the customized copies of a workload and its Services, or nil if a customization fails.
func (s *input) customize(f *fork) []object {
	at := forkPath(f.index)
	c := customizer{object: f.copyWorkload(), sandbox: s}
	c.customize(s.Spec.Forks[f.index].Customizations, at.Key("customizations"))
	if c.failed {
		return nil
	}
	s.awaitCreate(c.object)
	if err := f.finalize(c.object); err != nil {
		s.report(at.Key("customizations").Key("patch").Key("value"), krm.Error, "patch "+err.Error())
		return nil
	}
	s.report(at.Key("forkOf"), krm.Info, f.describe())
	return append([]object{c.object}, f.copyServices()...)
}

func forkPath(i int) krm.Path { return krm.Path("spec.forks").Index(i) }
