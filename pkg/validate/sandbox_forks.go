package validate

import (
	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// The rules of workloads are about forks[].forkOf, local[].from and virtual[].workload.

var workloadKind = Rule{
	ID: "workload-kind", Severity: krm.Error,
	Summary: "A forked workload is a Deployment, an ArgoRollout or a Rollout; a local or virtual one may be a Service too.",
	Why:     "No other kind can be forked.",
	Sources: []string{sandboxSpec, clientModels},
	Example: "spec.forks[0].forkOf.kind: deployment",
	checks: eachWorkload(func(r *Rule, s *sandbox, w workload) {
		allowed := []string{"Deployment", "ArgoRollout", "Rollout"}
		if w.list != "forks" {
			allowed = append(allowed, "Service")
		}
		s.OneOf(r, w.path.Key("kind"), w.Kind, allowed...)
	}),
}

var workloadName = Rule{
	ID: "workload-name", Severity: krm.Error,
	Summary: "A workload's namespace and name are valid Kubernetes names.",
	Why:     "No such workload can exist.",
	Sources: []string{sandboxSpec, kubernetesName},
	Example: "spec.forks[0].forkOf.namespace: Hot_Rod",
	checks: eachWorkload(func(r *Rule, s *sandbox, w workload) {
		s.Must(r, w.path.Key("namespace"), "namespace", document.CheckLabel(w.Namespace))
		s.Must(r, w.path.Key("name"), "name", document.CheckSubdomain(w.Name))
	}),
}

var workloadUnique = Rule{
	ID: "workload-unique", Severity: krm.Error,
	Summary: "A baseline workload is named at most once in forks[].forkOf and local[].from together.",
	Why:     "Requests could be routed to one of them only.",
	Example: "spec.forks[0].forkOf: {kind: Deployment, namespace: shop, name: worker}",
	checks: []check{sandboxCheck(func(r *Rule, s *sandbox) {
		first := map[v1alpha1.Workload]krm.Path{}
		for _, w := range s.workloads {
			if w.list == "virtual" || s.unreadWorkload(w.path) {
				continue
			}
			other, taken := first[w.Plain()]
			if !taken {
				first[w.Plain()] = w.path
				continue
			}
			s.Report(r, w.path, "the %s %q of namespace %q must be named once: it is already in %s",
				w.Kind, w.Name, w.Namespace, other)
		}
	})},
}

var workloadNameUnique = Rule{
	ID: "workload-name-unique", Severity: krm.Error,
	Summary: "The names of forks, local and virtual workloads are unique across the spec.",
	Why:     "Middleware and the sandbox's status refer to workloads by these names.",
	Example: "spec.forks[0].name: worker",
	checks: []check{sandboxCheck(func(r *Rule, s *sandbox) {
		names := map[string]bool{}
		for i, fork := range s.Spec.Forks {
			s.Once(r, names, fork.Name, "workload", forkPath(i))
		}
		for i, local := range s.Spec.Local {
			s.Once(r, names, local.Name, "workload", localPath(i))
		}
		for i, virtual := range s.Spec.Virtual {
			s.Once(r, names, virtual.Name, "workload", krm.Path("spec.virtual").Index(i))
		}
	})},
}

// eachWorkload checks each workload in a sandbox.
func eachWorkload(do func(*Rule, *sandbox, workload)) []check {
	return []check{sandboxCheck(each(func(s *sandbox) []workload { return s.workloads }, do))}
}

// imageContainer is about forks[].customizations.images.
var imageContainer = Rule{
	ID: "image-container", Severity: krm.Error,
	Summary: "A container gets at most one image, and at most one image is given without a container.",
	Why:     "An image without a container is for the first one; two of them contradict each other.",
	Example: "spec.forks[0].customizations.images: [{image: a}, {image: b}]",
	checks: eachFork(func(r *Rule, s *sandbox, fork customizedFork) {
		seen := make(map[string]bool, len(fork.Customizations.Images))
		for i, image := range fork.Customizations.Images {
			path := fork.path.Key("images").Index(i)
			switch {
			case s.Unsure(path) || s.Unsure(path.Key("container")):
			case !seen[image.Container]:
				seen[image.Container] = true
			case image.Container == "":
				s.Report(r, path, "at most one image must be without a container: name the container")
			default:
				s.Report(r, path.Key("container"), "container %q must have one image only: it already has one", image.Container)
			}
		}
	}),
}

// eachFork checks each fork with customizations.
func eachFork(do func(*Rule, *sandbox, customizedFork)) []check {
	return []check{sandboxCheck(each(func(s *sandbox) []customizedFork { return s.forks }, do))}
}
