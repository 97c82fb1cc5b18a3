package function

import (
	"fmt"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/cores"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render/sandbox"
)

// scene is one run: the baseline, the sandboxes, and what becomes of them.
type scene struct {
	call        cli.Call
	config      *sandboxConfig
	cluster     *sandbox.Cluster
	clusterName string // empty where nothing tells it
	subjects    []*sandboxSubject
	groups      []sandbox.RoutedGroup // of the cluster, or of every one
	routes      sandbox.Routes
}

// work is what is rendered for one sandbox.
type work struct {
	forks   []*sandbox.Fork // nil where a baseline is missing; in the order of spec.forks
	results []krm.Result
}

// forkAll copies and customizes the baselines of all sandboxes.
func (s *scene) forkAll() {
	cores.Each(len(s.subjects), func(i int) { s.forkOne(s.subjects[i]) })
	for _, subject := range s.subjects {
		s.call.List.Report(subject.work.results...)
	}
}

func (s *scene) forkOne(of *sandboxSubject) {
	if of.absent {
		return
	}
	of.reportLeftOut()
	owner := &sandbox.Owner{
		Sandbox: of.LowerName(), SandboxID: of.id, RoutingKey: of.key, RenderedBy: s.call.ConfigName,
		TTL: of.timeToLive(), Replicas: s.config.Replicas,
	}
	of.work.forks = make([]*sandbox.Fork, len(of.Spec.Forks))
	for i := range of.Spec.Forks {
		named := of.Spec.Forks[i].ForkOf
		if workload, err := s.cluster.Find(named); err != nil {
			of.report(forkPath(i).Key("forkOf"), krm.Error, err.Error())
		} else {
			of.work.forks[i] = sandbox.StartFork(owner, named, workload)
		}
	}
	for i, f := range of.work.forks {
		if f != nil {
			of.customize(f, &of.Spec.Forks[i], forkPath(i))
		}
	}
}

func (of *sandboxSubject) customize(f *sandbox.Fork, spec *v1alpha1.Fork, at krm.Path) {
	var problems []strictyaml.Problem
	f.Tree, problems = sandbox.Customize(f.Tree, spec.Customizations, at.Key("customizations"),
		sandbox.Sources{Output: of.output, Fork: of.address})
	failed := false
	for _, problem := range problems {
		of.report(problem.Path, problem.Severity, problem.Message)
		failed = failed || problem.Severity == krm.Error
	}
	if failed {
		return
	}
	if err := f.Seal(); err != nil {
		of.report(at.Key("customizations").Key("patch").Key("value"), krm.Error, "patch "+err.Error())
		return
	}
	of.report(at.Key("forkOf"), krm.Info, describe(f))
}

// output returns where render-phase publishes an output.
func (of *sandboxSubject) output(o v1alpha1.ResourceOutput) (secret, key string) {
	step, key := o.StepOutput()
	return contract.OutputSecretName(of.id, o.Name, step), key
}

// address returns the first Service of a fork and its first port.
func (of *sandboxSubject) address(named v1alpha1.Workload) (sandbox.Address, bool) {
	for i, f := range of.work.forks {
		if f == nil || of.Spec.Forks[i].ForkOf.Plain() != named.Plain() || len(f.Services) == 0 {
			continue
		}
		service := &f.Services[0]
		if ports := f.Baseline.Ports(service.Baseline); len(ports) > 0 {
			return sandbox.Address{Host: service.Host(), Port: ports[0].Number}, true
		}
	}
	return sandbox.Address{}, false
}

func describe(f *sandbox.Fork) string {
	var text strings.Builder
	fmt.Fprintf(&text, "forked %s %q as %q", f.Baseline.Kind, f.Baseline.Name, f.Name)
	for i := range f.Services {
		fmt.Fprintf(&text, ", Service %q as %q", f.Services[i].Baseline.Name, f.Services[i].Name)
	}
	return text.String()
}

func (of *sandboxSubject) report(at krm.Path, severity krm.Severity, message string) {
	of.work.results = append(of.work.results, krm.At(of.Item, at, severity, message))
}

func forkPath(i int) krm.Path { return krm.Path("spec.forks").Index(i) }
