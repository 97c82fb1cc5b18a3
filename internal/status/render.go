package status

import (
	"bytes"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

// hooks are the annotations of objects that a tool applies later, when it deletes what it has applied.
var hooks = []string{"helm.sh/hook", "argocd.argoproj.io/hook"}

// Render is what the status depends on of rendered objects: workloads and Secrets.
type Render struct {
	objects []object
	// resources has the objects of each resource; order has the resources as they were rendered.
	resources map[resource][]object
	order     []resource
	tasks     map[identity][]*task // of workloads
}

// object is a rendered object.
type object = *unstructured.Unstructured

// resource identifies a resource of a sandbox by labels.
type resource struct{ sandboxID, sandbox, name string }

func resourceOf(o object) resource {
	labels := o.GetLabels()
	return resource{labels[contract.SandboxIDKey], labels[contract.SandboxKey], labels[contract.ResourceKey]}
}

// identity identifies an object.
type identity struct{ kind, namespace, name string }

func identityOf(o object) identity { return identity{o.GetKind(), o.GetNamespace(), o.GetName()} }

// NewRender reads the rendered objects of the sandboxes, of all if none is named; others, and hooks, are ignored. It is an
// error if no workload is among them.
func NewRender(items []*krm.Item, sandboxes []string) (*Render, error) {
	r := &Render{resources: map[resource][]object{}, tasks: map[identity][]*task{}}
	for _, item := range items {
		if item.Kind() != secretKind && !slices.Contains(workloadKinds, item.Kind()) {
			continue
		}
		content, err := render.ReadObject(item)
		if err != nil {
			return nil, fmt.Errorf("decode %s %q: %w", item.Kind(), item.Name(), err)
		}
		o := &unstructured.Unstructured{Object: content}
		if !isRendered(o) || len(sandboxes) > 0 && !slices.Contains(sandboxes, resourceOf(o).sandbox) {
			continue
		}
		if err := r.add(o); err != nil {
			return nil, fmt.Errorf("decode %s %q: %w", item.Kind(), item.Name(), err)
		}
	}
	if len(r.tasks) == 0 {
		return nil, errNoSteps
	}
	return r, nil
}

func isRendered(o object) bool {
	annotations := o.GetAnnotations()
	for _, hook := range hooks {
		if annotations[hook] != "" {
			return false
		}
	}
	return annotations[contract.PhaseKey] != "" && resourceOf(o).name != ""
}

func (r *Render) add(o object) error {
	of := resourceOf(o)
	if r.resources[of] == nil {
		r.order = append(r.order, of)
	}
	r.resources[of] = append(r.resources[of], o)
	r.objects = append(r.objects, o)
	if o.GetKind() == secretKind {
		return nil
	}
	text, err := o.MarshalJSON()
	if err != nil {
		return err
	}
	var alone Objects
	if err := alone.decode(o.GetAPIVersion(), o.GetKind(), text); err != nil {
		return err
	}
	if tasks := alone.tasks(); len(tasks) > 0 {
		r.tasks[identityOf(o)] = tasks
	}
	return nil
}

// Query returns manifests with the names of the objects of some kinds, for kubectl get -f -. It is empty if there are none.
func (r *Render) Query(kinds ...string) []byte {
	var query bytes.Buffer
	for _, o := range r.objects {
		if !slices.Contains(kinds, o.GetKind()) {
			continue
		}
		short := &unstructured.Unstructured{Object: map[string]any{}}
		short.SetAPIVersion(o.GetAPIVersion())
		short.SetKind(o.GetKind())
		short.SetNamespace(o.GetNamespace())
		short.SetName(o.GetName())
		text, _ := short.MarshalJSON() // it has only strings
		query.Write(text)              // ends in a line break; kubectl 1.32 refuses `---` after JSON
	}
	return query.Bytes()
}

// Judge returns the state of the render, given the objects that exist. It adds to the template's rules that a workload of
// the render which does not exist is missing.
func (r *Render) Judge(objects *Objects) (*Report, error) {
	report := &Report{}
	existing, err := objects.byIdentity()
	if err != nil {
		return nil, err
	}
	for _, of := range r.order {
		var items []any
		f := &found{resource: of}
		for _, o := range r.resources[of] {
			id := identityOf(o)
			tasks := r.tasks[id]
			switch one, exists := existing[id]; {
			case exists && (len(tasks) > 0 || !objects.noSecrets):
				items = append(items, one.content...)
				tasks = one.tasks
			case len(tasks) > 0 && tasks[0].isOfEngine():
				for _, t := range tasks {
					items = append(items, t.rendered())
				}
			case len(tasks) > 0:
				items = append(items, o.Object)
			}
			f.current = append(f.current, tasks...)
		}
		if objects.noSecrets {
			items = append(items, f.presumed()...)
		}
		steps, err := judge(items)
		if err != nil {
			return nil, err
		}
		attach(steps, of, "", f.current)
		for i := range steps {
			objects.admit(&steps[i])
		}
		report.Steps = append(report.Steps, steps...)
	}
	report.LeftOver = r.leftOver(objects)
	report.summarize()
	objects.explain(report)
	return report, nil
}

// existing is an object of the cluster as the template reads it; a Secret has no tasks.
type existing struct {
	tasks   []*task
	content []any
}

func (o *Objects) byIdentity() (map[identity]existing, error) {
	all := map[identity]existing{}
	for _, t := range o.tasks() {
		live, err := t.content()
		if err != nil {
			return nil, err
		}
		one := all[t.identity()]
		all[t.identity()] = existing{append(one.tasks, t), append(one.content, live)}
	}
	for _, s := range o.secrets {
		all[identity{secretKind, s.Namespace, s.Name}] = existing{content: []any{content(secretKind, s.ObjectMeta)}}
	}
	return all, nil
}
