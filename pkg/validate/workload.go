package validate

import (
	"iter"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/form"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// workloadKind: Sandbox spec, forkOf; `Rollout` is in real files, and the model names Service for local workloads.
var workloadKind = Rule{
	ID: "workload-kind", Severity: krm.Error,
	Demand:  "A forked workload is a Deployment, an ArgoRollout or a Rollout; a local or virtual one may be a Service too.",
	Why:     "No other kind can be forked.",
	Example: "spec.forks[0].forkOf.kind: deployment",
	sandbox: func(c *sandboxCheck) {
		for w := range c.workloads() {
			if w.list == forks {
				c.oneOf(w.path().Key("kind"), w.Kind, "Deployment", "ArgoRollout", "Rollout")
			} else {
				c.oneOf(w.path().Key("kind"), w.Kind, "Deployment", "ArgoRollout", "Rollout", "Service")
			}
		}
	},
}

// workloadPlace: Sandbox spec, forkOf: a valid workload; the forms are those of the Kubernetes API.
var workloadPlace = Rule{
	ID: "workload-name", Severity: krm.Error,
	Demand:  "A workload's namespace and name are valid Kubernetes names.",
	Why:     "No such workload can exist.",
	Example: "spec.forks[0].forkOf.namespace: Hot_Rod",
	sandbox: func(c *sandboxCheck) {
		for w := range c.workloads() {
			if wrong := form.Label(w.Namespace); wrong != "" {
				c.report(w.path().Key("namespace"), "namespace %s", wrong)
			}
			if wrong := form.Subdomain(w.Name); wrong != "" {
				c.report(w.path().Key("name"), "name %s", wrong)
			}
		}
	},
}

// workloadUnique: Sandbox spec, Global constraints.
var workloadUnique = Rule{
	ID: "workload-unique", Severity: krm.Error,
	Demand:  "A baseline workload is named at most once in forks[].forkOf and local[].from together.",
	Why:     "Requests could be routed to one of them only.",
	Example: "spec.local[0].from: {kind: Deployment, namespace: shop, name: web}",
	sandbox: func(c *sandboxCheck) {
		first := map[v1alpha1.Workload]krm.Path{}
		for w := range c.workloads() {
			if w.list == virtuals || c.unread(w) {
				continue
			}
			key := w.Plain()
			if other, taken := first[key]; taken {
				c.report(w.path(), "the %s %q of namespace %q must be named once: it is already in %s",
					w.Kind, w.Name, w.Namespace, other)
				continue
			}
			first[key] = w.path()
		}
	},
}

// workloadNameUnique: Sandbox spec of today, Global constraints: the names of workloads are unique across the spec.
var workloadNameUnique = Rule{
	ID: "workload-name-unique", Severity: krm.Error,
	Demand:  "The names of forks, local and virtual workloads are unique across the spec.",
	Why:     "Middleware and the sandbox's status refer to workloads by these names.",
	Example: "spec.virtual[0].name: worker",
	sandbox: func(c *sandboxCheck) {
		names := map[string]bool{}
		for i, fork := range c.Spec.Forks {
			c.once(names, fork.Name, "workload", forkPath(i))
		}
		for i, local := range c.Spec.Local {
			c.once(names, local.Name, "workload", localPath(i))
		}
		for i, virtual := range c.Spec.Virtual {
			c.once(names, virtual.Name, "workload", krm.Path("spec.virtual").Index(i))
		}
	},
}

// The lists of a sandbox's spec that name workloads.
const (
	forks    = "forks"
	locals   = "local"
	virtuals = "virtual"
)

// workload is a workload that a sandbox names, and where.
type workload struct {
	*v1alpha1.Workload
	list, key string // the list of the spec that it is in, and the field of an entry of it
	index     int
}

func (w workload) path() krm.Path {
	return krm.Path("spec").Key(w.list).Index(w.index).Key(w.key)
}

// workloads runs through the workloads of a sandbox: forks, local and virtual ones.
func (c *sandboxCheck) workloads() iter.Seq[workload] {
	return func(yield func(workload) bool) {
		for i := range c.Spec.Forks {
			if !yield(workload{Workload: &c.Spec.Forks[i].ForkOf, list: forks, key: "forkOf", index: i}) {
				return
			}
		}
		for i := range c.Spec.Local {
			if !yield(workload{Workload: &c.Spec.Local[i].From, list: locals, key: "from", index: i}) {
				return
			}
		}
		for i := range c.Spec.Virtual {
			if !yield(workload{Workload: &c.Spec.Virtual[i].Workload, list: virtuals, key: "workload", index: i}) {
				return
			}
		}
	}
}

// unread tells whether a part of a workload's name could not be read.
func (c *sandboxCheck) unread(w workload) bool { return len(c.problems) > 0 && c.unreadAt(w.path()) }

func (c *sandboxCheck) unreadAt(path krm.Path) bool {
	return c.unsure(path) || c.unsure(path.Key("kind")) || c.unsure(path.Key("namespace")) || c.unsure(path.Key("name"))
}

// imageContainer: Sandbox spec, images.
var imageContainer = Rule{
	ID: "image-container", Severity: krm.Error,
	Demand:  "A container gets at most one image, and at most one image is given without a container.",
	Why:     "An image without a container is for the first one; two of them contradict each other.",
	Example: "spec.forks[0].customizations.images: [{image: a}, {image: b}]",
	sandbox: func(c *sandboxCheck) {
		for i, fork := range c.Spec.Forks {
			if fork.Customizations == nil {
				continue
			}
			seen := make(map[string]bool, len(fork.Customizations.Images))
			for n, image := range fork.Customizations.Images {
				switch {
				case c.unsure(imagePath(i, n)) || c.unsure(imagePath(i, n).Key("container")):
				case !seen[image.Container]:
					seen[image.Container] = true
				case image.Container == "":
					c.report(imagePath(i, n), "at most one image must be without a container: name the container")
				default:
					c.report(imagePath(i, n).Key("container"), "container %q must have one image only: it already has one", image.Container)
				}
			}
		}
	},
}

func forkPath(i int) krm.Path  { return krm.Path("spec.forks").Index(i) }
func localPath(i int) krm.Path { return krm.Path("spec.local").Index(i) }
func imagePath(fork, i int) krm.Path {
	return forkPath(fork).Key("customizations").Key("images").Index(i)
}
