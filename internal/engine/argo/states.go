package argo

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/engine"
)

// Owner implements engine.Engine.
func (Engine) Owner(pod *corev1.Pod) (owner engine.Owner, isOwn bool) {
	name := pod.Labels[kind.PodLabel]
	return engine.Owner{Kind: Kind, Name: name, Task: taskOfNode(name, pod.Annotations[nodeNameKey])}, name != ""
}

// Read implements engine.Engine.
func (Engine) Read(kind string, text []byte) (*engine.Object, error) {
	w := &Workflow{}
	o, err := engine.NewObject(kind, text, w, &w.ObjectMeta)
	if w.Status == nil {
		w.Status = &WorkflowStatus{}
	}
	o.Unread = w.Status.readNodes()
	o.Times = append(o.Times, w.Status.StartedAt, w.Status.FinishedAt)
	for _, n := range w.Status.Nodes {
		o.Times = append(o.Times, n.StartedAt, n.FinishedAt)
	}
	return o, err
}

// States implements engine.Engine.
func (Engine) States(objects []*engine.Object) (all []*engine.State) {
	for _, o := range objects {
		r := &reader{
			Workflow: o.Value.(*Workflow), unread: o.Unread, templates: map[string]*Template{}, nodes: map[string][]*Node{},
		}
		all = append(all, r.states()...)
	}
	return all
}

// reader determines the states of a Workflow's tasks.
type reader struct {
	*Workflow

	unread    string
	templates map[string]*Template
	nodes     map[string][]*Node // nodes of tasks, their tries and containers
}

func (r *reader) hasEnded() bool {
	return slices.Contains([]string{succeeded, failed, errored}, r.Status.Phase)
}

func (r *reader) states() (all []*engine.State) {
	for i := range r.Spec.Templates {
		r.templates[r.Spec.Templates[i].Name] = &r.Spec.Templates[i]
	}
	for _, id := range slices.Sorted(maps.Keys(r.Status.Nodes)) {
		n := r.Status.Nodes[id]
		name := taskOfNode(r.Name, n.Name)
		r.nodes[name] = append(r.nodes[name], &n)
	}
	for i := range r.Spec.Templates {
		if dag := r.Spec.Templates[i].DAG; dag != nil {
			for j := range dag.Tasks {
				if template := r.templates[dag.Tasks[j].Template]; template != nil {
					all = append(all, r.state(&dag.Tasks[j], template))
				}
			}
		}
	}
	return all
}

func (r *reader) state(of *DAGTask, t *Template) *engine.State {
	s := engine.NewState(kind, r.ObjectMeta, of.Name, t.Metadata.Annotations, t.Metadata.Labels,
		engine.Env(t.InitContainers, t.containers()))
	s.Stem, s.IsActive, s.Since = r.Name+"-"+of.Template, !r.hasEnded(), r.CreationTimestamp
	if t.RetryStrategy != nil && t.RetryStrategy.Limit != nil {
		s.Tries = t.RetryStrategy.Limit.IntValue() + 1
	}
	if own := r.node(of.Name); own != nil {
		r.setState(s, own, of)
		r.setTries(s)
	} else {
		r.setUnreached(s)
	}
	return s
}

// node returns the node of a task, or nil.
func (r *reader) node(task string) *Node {
	nodes := r.nodes[task]
	if i := slices.IndexFunc(nodes, func(n *Node) bool { return n.Name == r.Name+"."+task }); i >= 0 {
		return nodes[i]
	}
	return nil
}

// setUnreached sets the state of a task that the controller has not reached.
func (r *reader) setUnreached(s *engine.State) {
	switch {
	case r.Status.Phase == succeeded:
		s.End, s.Since = engine.Complete, r.Status.FinishedAt
	case r.hasEnded():
		s.Since = r.Status.FinishedAt
		s.FailUnstarted(nil, r.Status.Phase+": "+r.Status.Message)
		if r.unread != "" {
			s.FailUnknown()
		}
	case r.Spec.Suspend:
		s.Now = engine.Suspended
	case r.Status.Phase == "":
		s.Unseen()
	case r.unread != "":
		s.Now = "is not known: " + r.unread
	default:
		s.Now = engine.Starting
	}
}

// setState sets the state of a task from its node.
func (r *reader) setState(s *engine.State, n *Node, of *DAGTask) {
	s.Since = n.FinishedAt
	if s.Since.IsZero() {
		s.Since = n.StartedAt
	}
	switch n.Phase {
	case succeeded:
		s.End = engine.Complete
	case failed, errored:
		s.Fail(n.Phase, n.Message)
	case skipped, omitted:
		s.FailUnstarted(r.unfinished(of), n.Message)
	default:
		r.setRunning(s, n)
	}
}

func (r *reader) setRunning(s *engine.State, n *Node) {
	s.Now = engine.Running
	if n.Phase == "" || n.Phase == pending {
		s.Now = engine.Starting
		setCause(s, n)
	}
	switch {
	case r.hasEnded(): // terminated
		s.Since = r.Status.FinishedAt
		s.Fail(r.Status.Phase, r.Status.Message)
	case r.Spec.Suspend:
		s.Now = engine.Suspended
	}
}

// setTries sets the number of failed tries, and the state of the last one.
func (r *reader) setTries(s *engine.State) {
	if s.Tries == 0 {
		return
	}
	var tries []*Node
	for _, n := range r.nodes[s.Task] {
		if strings.HasSuffix(n.Name, ")") {
			tries = append(tries, n)
			if n.Phase == failed || n.Phase == errored {
				s.FailedTries++
			}
		}
	}
	if s.End != "" || s.Now != engine.Running || len(tries) == 0 {
		return
	}
	last := slices.MaxFunc(tries, func(a, b *Node) int {
		return cmp.Or(a.StartedAt.Compare(b.StartedAt.Time), cmp.Compare(len(a.Name), len(b.Name)), cmp.Compare(a.Name, b.Name))
	})
	if last.Phase != running {
		s.Now = engine.Starting
		setCause(s, last)
	}
}

// setCause sets the reason why a Pod does not run. The controller reports "REASON: MESSAGE".
func setCause(s *engine.State, n *Node) {
	reason, message, found := strings.Cut(n.Message, ": ")
	if found && !engine.IsStart(reason) {
		s.Cause = &engine.Cause{Object: s.Object(), Reason: reason, Message: engine.OneLine(message)}
	}
}

// unfinished returns the steps that a task waits for and that have not succeeded.
func (r *reader) unfinished(of *DAGTask) (steps []string) {
	for _, dependency := range of.Dependencies {
		if n := r.node(dependency); n != nil && n.Phase != succeeded {
			step := dependency
			if t := r.templates[dependency]; t != nil {
				step = cmp.Or(t.Metadata.Labels[contract.StepKey], t.Metadata.Labels[contract.HelperKey], dependency)
			}
			steps = append(steps, step)
		}
	}
	return steps
}
