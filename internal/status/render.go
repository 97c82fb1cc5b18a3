package status

import (
	"bytes"
	"fmt"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

// hooks are the annotations of objects that a tool applies later, when it deletes what it has applied.
var hooks = []string{"helm.sh/hook", "argocd.argoproj.io/hook"}

// Render is what the status depends on of rendered objects: Jobs or Pods, and Secrets.
type Render struct {
	objects []object
	// resources has the objects of each resource; order has the resources as they were rendered.
	resources map[resource][]object
	order     []resource
	workloads map[identity]*workload
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
// error if no Job or Pod is among them.
func NewRender(items []*krm.Item, sandboxes []string) (*Render, error) {
	r := &Render{resources: map[resource][]object{}, workloads: map[identity]*workload{}}
	for _, item := range items {
		if kind := item.Kind(); kind != "Job" && kind != "Pod" && kind != "Secret" {
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
	if len(r.workloads) == 0 {
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
	switch o.GetKind() {
	case "Job":
		var job batchv1.Job
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &job); err != nil {
			return err
		}
		r.workloads[identityOf(o)] = ofJob(&job)
	case "Pod":
		var pod corev1.Pod
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &pod); err != nil {
			return err
		}
		r.workloads[identityOf(o)] = ofPod(&pod)
	}
	return nil
}

// Query returns manifests with the names of the Secrets, or of the other objects, for kubectl get -f -. It is empty if there
// are none.
func (r *Render) Query(secrets bool) []byte {
	var query bytes.Buffer
	for _, o := range r.objects {
		if secrets != (o.GetKind() == "Secret") {
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

// Judge returns the state of the render, given the objects that exist. It adds to the template's rules that a Job of the
// render which does not exist is missing.
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
			w := r.workloads[id]
			switch one, exists := existing[id]; {
			case exists && one.workload != nil:
				w = one.workload
				items = append(items, one.content)
			case exists && !objects.noSecrets:
				items = append(items, one.content)
			case w != nil:
				items = append(items, o.Object)
			}
			if w != nil {
				f.current = append(f.current, w)
			}
		}
		if objects.noSecrets {
			items = append(items, f.presumed()...)
		}
		steps, err := judge(items)
		if err != nil {
			return nil, err
		}
		for i := range steps {
			steps[i].attach(of, "", f.current)
			objects.admit(&steps[i])
		}
		report.Steps = append(report.Steps, steps...)
	}
	report.LeftOver = r.leftOver(objects)
	report.summarize()
	objects.explain(report)
	return report, nil
}

// existing is an object of the cluster as the template reads it; workload is nil for a Secret.
type existing struct {
	workload *workload
	content  map[string]any
}

func (o *Objects) byIdentity() (map[identity]existing, error) {
	all := map[identity]existing{}
	for _, w := range o.workloads() {
		live, err := w.content()
		if err != nil {
			return nil, err
		}
		all[identity{w.kind(), w.Namespace, w.Name}] = existing{w, live}
	}
	for _, s := range o.secrets {
		all[secretIdentity(s)] = existing{content: content("Secret", s.ObjectMeta)}
	}
	return all, nil
}

func secretIdentity(s *metav1.PartialObjectMetadata) identity {
	return identity{"Secret", s.Namespace, s.Name}
}
