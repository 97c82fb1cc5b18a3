package status

import (
	"bytes"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/engines"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

// hooks are annotations of objects that a tool applies later, when it deletes an application.
var hooks = []string{"helm.sh/hook", "argocd.argoproj.io/hook"}

// Render holds the rendered workloads and Secrets, which determine the status.
type Render struct {
	objects []object
	// resources has the objects of each resource; order has the resources in the order of the render.
	resources map[resource][]object
	order     []resource
	tasks     map[identity][]*task // of workloads, as if they did not exist
}

// object is a rendered object.
type object = *unstructured.Unstructured

// resource identifies a resource of a sandbox by labels.
type resource struct{ sandboxID, sandbox, name string }

func resourceOf(o object) resource {
	labels := o.GetLabels()
	return resource{labels[contract.SandboxIDKey], labels[contract.SandboxKey], labels[contract.ResourceKey]}
}

func identityOf(o object) identity { return identity{o.GetKind(), o.GetNamespace(), o.GetName()} }

// NewRender reads the rendered objects of the sandboxes, or of all sandboxes if none is named. Other objects, and hooks, are
// ignored. A render without a workload is an error.
func NewRender(items []*krm.Item, sandboxes []string) (*Render, error) {
	r := &Render{resources: map[resource][]object{}, tasks: map[identity][]*task{}}
	for _, item := range items {
		if err := item.CheckIdentity(); err != nil { // another kind may be meant
			return nil, fmt.Errorf("decode %s %q: %w", item.Kind(), item.Name(), err)
		}
		if item.Kind() != secretKind && !slices.Contains(engines.Workloads(), item.Kind()) {
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
		return nil, errNoSteps()
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
	key := resourceOf(o)
	if r.resources[key] == nil {
		r.order = append(r.order, key)
	}
	r.resources[key] = append(r.resources[key], o)
	r.objects = append(r.objects, o)
	if o.GetKind() == secretKind {
		return nil
	}
	text, err := o.MarshalJSON()
	if err != nil {
		return err
	}
	var workload Objects
	if err := workload.decode(o.GetAPIVersion(), o.GetKind(), text); err != nil {
		return err
	}
	if tasks := workload.tasks(); len(tasks) > 0 {
		for _, t := range tasks {
			t.isMissing = true
		}
		r.tasks[identityOf(o)] = tasks
	}
	return nil
}

// Query returns manifests with the names of the objects of some kinds, for kubectl get -f -; empty if there are no such
// objects.
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

// Others returns the namespaces of the rendered workloads and the sandboxes, as labels have them, in which their other
// workloads are.
func (r *Render) Others() (namespaces, sandboxes []string) {
	for _, o := range r.objects {
		if o.GetKind() == secretKind {
			continue
		}
		if !slices.Contains(namespaces, o.GetNamespace()) {
			namespaces = append(namespaces, o.GetNamespace())
		}
		if name := resourceOf(o).sandbox; !slices.Contains(sandboxes, name) {
			sandboxes = append(sandboxes, name)
		}
	}
	return namespaces, sandboxes
}

// Judge returns the state of the render, given the objects that exist.
func (r *Render) Judge(objects *Objects) *Report {
	report := &Report{}
	tasks, secrets := map[identity][]*task{}, map[identity]*outputSecret{}
	for _, t := range objects.tasks() {
		tasks[t.identity()] = append(tasks[t.identity()], t)
	}
	for _, s := range objects.secrets {
		secrets[identity{secretKind, s.Namespace, s.Name}] = s
	}
	existing := objects.existing()
	for _, key := range r.order {
		f := &found{resource: key}
		for _, o := range r.resources[key] {
			id := identityOf(o)
			if s := secrets[id]; s != nil && !objects.noSecrets {
				f.secrets = append(f.secrets, s)
			}
			if exists := tasks[id]; exists != nil {
				f.current = append(f.current, exists...)
			} else {
				f.current = append(f.current, r.tasks[id]...)
			}
		}
		if objects.noSecrets {
			f.secrets = f.presumed()
		}
		rules := &rules{key, f.current, f.secrets}
		steps := rules.steps()
		(&refinement{rules, existing[key]}).refine(steps)
		for i := range steps {
			objects.qualify(&steps[i])
		}
		report.Steps = append(report.Steps, steps...)
	}
	report.LeftOver = r.leftOver(objects)
	report.Status = report.summary()
	objects.explain(report)
	return report
}
