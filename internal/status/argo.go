package status

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/render/engine/argo"
)

// workflow has the fields of a Workflow of Argo Workflows that matter here
// (https://argo-workflows.readthedocs.io/en/release-3.7/fields/#workflow).
type workflow struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     struct {
		Suspend   *bool              `json:"suspend"`
		Templates []workflowTemplate `json:"templates"`
	} `json:"spec"`
	Status struct {
		Phase                    string          `json:"phase"`
		Message                  string          `json:"message"`
		StartedAt                metav1.Time     `json:"startedAt"`
		FinishedAt               metav1.Time     `json:"finishedAt"`
		Nodes                    map[string]node `json:"nodes"`
		CompressedNodes          string          `json:"compressedNodes"`
		OffloadNodeStatusVersion string          `json:"offloadNodeStatusVersion"`
	} `json:"status"`

	// unread says why the nodes are not known; empty if they are.
	unread string
}

// workflowTemplate is a task, or the graph of tasks.
type workflowTemplate struct {
	Name           string             `json:"name"`
	Metadata       podMetadata        `json:"metadata"`
	Container      *corev1.Container  `json:"container"`
	InitContainers []corev1.Container `json:"initContainers"`
	ContainerSet   *struct {
		Containers []corev1.Container `json:"containers"`
	} `json:"containerSet"`
	RetryStrategy *struct {
		Limit *intstr.IntOrString `json:"limit"`
	} `json:"retryStrategy"`
	DAG *struct {
		Tasks []workflowTask `json:"tasks"`
	} `json:"dag"`
}

type workflowTask struct {
	Name         string   `json:"name"`
	Template     string   `json:"template"`
	Dependencies []string `json:"dependencies"`
}

// The phases of Workflows and nodes.
const (
	argoPending   = "Pending"
	argoSucceeded = "Succeeded"
	argoFailed    = "Failed"
	argoError     = "Error"
	argoSkipped   = "Skipped"
	argoOmitted   = "Omitted"
)

// nodeNameKey is the annotation of a Pod with the name of its node.
const nodeNameKey = "workflows." + argo.Group + "/node-name"

func (w *workflow) hasEnded() bool {
	return slices.Contains([]string{argoSucceeded, argoFailed, argoError}, w.Status.Phase)
}

// tasks returns those of the graph.
func (w *workflow) tasks() []*task {
	templates := map[string]*workflowTemplate{}
	for i := range w.Spec.Templates {
		templates[w.Spec.Templates[i].Name] = &w.Spec.Templates[i]
	}
	nodes := map[string][]*node{}
	for _, id := range slices.Sorted(maps.Keys(w.Status.Nodes)) {
		n := w.Status.Nodes[id]
		name := taskOfNode(w.Metadata.Name, n.Name)
		nodes[name] = append(nodes[name], &n)
	}
	var all []*task
	for _, template := range w.Spec.Templates {
		if template.DAG == nil {
			continue
		}
		for _, of := range template.DAG.Tasks {
			if own := templates[of.Template]; own != nil {
				all = append(all, w.task(of, own, nodes))
			}
		}
	}
	return all
}

func (w *workflow) task(of workflowTask, template *workflowTemplate, nodes map[string][]*node) *task {
	containers := slices.Clone(template.InitContainers)
	if template.ContainerSet != nil {
		containers = append(containers, template.ContainerSet.Containers...)
	}
	if template.Container != nil {
		containers = append(containers, *template.Container)
	}
	t := ofEngine(workflowKind, w.Metadata, of.Name, template.Metadata, containers)
	t.stem = w.Metadata.Name + "-" + of.Template
	t.isActive = !w.hasEnded()
	t.since = w.Metadata.CreationTimestamp
	if template.RetryStrategy != nil && template.RetryStrategy.Limit != nil {
		t.tries = template.RetryStrategy.Limit.IntValue() + 1
	}
	own := w.Metadata.Name + "." + of.Name
	for _, n := range nodes[of.Name] {
		if n.Name == own {
			t.see(w, n, of, nodes)
			t.seeTries(nodes[of.Name])
			return t
		}
	}
	t.seeNoNode(w)
	return t
}

// seeNoNode is for a task that the controller has not come to.
func (t *task) seeNoNode(w *workflow) {
	switch {
	case w.Status.Phase == argoSucceeded:
		t.end, t.since = complete, w.Status.FinishedAt
	case w.hasEnded():
		t.end, t.since = failed, w.Status.FinishedAt
		t.failure = notStarted(nil, w.Status.Phase+": "+w.Status.Message)
		if w.unread != "" {
			t.failure = "a task of the Workflow has failed, which one is not known; see " + t.logs()
		}
	case w.Spec.Suspend != nil && *w.Spec.Suspend:
		t.now = "is suspended"
	case w.Status.Phase == "":
		t.now = "is not started: no controller has seen it; see kubectl describe -n " + t.Namespace + " " + t.object()
	case w.unread != "":
		t.now = "is not known: " + w.unread
	default:
		t.now = "starts"
	}
}

// see takes what the node of a task says.
func (t *task) see(w *workflow, n *node, of workflowTask, nodes map[string][]*node) {
	t.since = n.FinishedAt
	if t.since.IsZero() {
		t.since = n.StartedAt
	}
	switch n.Phase {
	case argoSucceeded:
		t.end = complete
	case argoFailed, argoError:
		t.end, t.reason = failed, n.Phase
		t.failure = failureOf(n.Phase, n.Message) + "; see " + t.logs()
	case argoSkipped, argoOmitted:
		t.end, t.failure = failed, notStarted(w.unfinished(of, nodes), n.Message)
	case "", argoPending:
		t.now = "starts"
		t.seeCause(n)
	default:
		t.now = "runs"
	}
	if t.end == "" && w.hasEnded() { // terminated
		t.end, t.reason, t.since = failed, w.Status.Phase, w.Status.FinishedAt
		t.failure = failureOf(w.Status.Phase, w.Status.Message) + "; see " + t.logs()
	}
	if t.end == "" && w.Spec.Suspend != nil && *w.Spec.Suspend {
		t.now = "is suspended"
	}
}

// seeTries takes what the nodes of tries say: which have failed, and what the last one does.
func (t *task) seeTries(nodes []*node) {
	if t.tries == 0 {
		return
	}
	tries := slices.DeleteFunc(slices.Clone(nodes), func(n *node) bool { return !strings.HasSuffix(n.Name, ")") })
	slices.SortFunc(tries, func(a, b *node) int { // the last one first
		return cmp.Or(b.StartedAt.Compare(a.StartedAt.Time), cmp.Compare(len(b.Name), len(a.Name)), cmp.Compare(b.Name, a.Name))
	})
	for _, n := range tries {
		if n.Phase == argoFailed || n.Phase == argoError {
			t.failed++
		}
	}
	if t.end == "" && t.now == "runs" && len(tries) > 0 && tries[0].Phase != "Running" {
		t.now = "starts"
		t.seeCause(tries[0])
	}
}

// seeCause takes why a Pod does not run: the controller says "REASON: MESSAGE".
func (t *task) seeCause(n *node) {
	reason, message, found := strings.Cut(n.Message, ": ")
	if found && !slices.Contains(starts, reason) {
		t.cause = &Cause{t.object(), reason, report.OneLine(message)}
	}
}

// unfinished are the tasks that one waits for and that have not succeeded, by the names of their steps.
func (w *workflow) unfinished(of workflowTask, nodes map[string][]*node) []string {
	var names []string
	for _, dependency := range of.Dependencies {
		for _, n := range nodes[dependency] {
			if n.Name == w.Metadata.Name+"."+dependency && n.Phase != argoSucceeded {
				names = append(names, w.step(dependency))
			}
		}
	}
	return names
}

// step returns the name of a task's step or helper.
func (w *workflow) step(task string) string {
	for i := range w.Spec.Templates {
		if t := &w.Spec.Templates[i]; t.Name == task {
			return cmp.Or(t.Metadata.Labels[contract.StepKey], t.Metadata.Labels[contract.HelperKey], task)
		}
	}
	return task
}

// failureOf are the words of a failure. An engine that only repeats the reason says nothing.
func failureOf(reason, message string) string {
	if message = report.OneLine(message); message == "" || message == reason {
		return reason
	}
	return reason + ": " + message
}

// notStarted are the words for a task that never runs, since those it waits for have not succeeded, or else since an engine
// says so.
func notStarted(since []string, message string) string {
	if len(since) > 0 {
		return "not started, since these have not succeeded: " + strings.Join(since, " ")
	}
	return "not started: " + strings.TrimSuffix(report.OneLine(message), ":")
}
