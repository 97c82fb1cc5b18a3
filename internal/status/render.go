package status

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"text/template"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

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
}

// object is a rendered object, or one of the cluster.
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

// NewRender reads rendered objects; others, and hooks, are ignored. It is an error if no Job or Pod is among them.
func NewRender(items []*krm.Item) (*Render, error) {
	r := &Render{resources: map[resource][]object{}}
	hasSteps := false
	for _, item := range items {
		if kind := item.Kind(); kind != "Job" && kind != "Pod" && kind != "Secret" {
			continue
		}
		content, err := render.ReadObject(item)
		if err != nil {
			return nil, fmt.Errorf("decode %s %q: %w", item.Kind(), item.Name(), err)
		}
		o := &unstructured.Unstructured{Object: content}
		if isRendered(o) {
			r.add(o)
			hasSteps = hasSteps || o.GetKind() != "Secret"
		}
	}
	if !hasSteps {
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

func (r *Render) add(o object) {
	of := resourceOf(o)
	if r.resources[of] == nil {
		r.order = append(r.order, of)
	}
	r.resources[of] = append(r.resources[of], o)
	r.objects = append(r.objects, o)
}

// Query returns manifests with the names of the objects, for kubectl get -f -.
func (r *Render) Query() []byte {
	var query bytes.Buffer
	for _, o := range r.objects {
		short := &unstructured.Unstructured{Object: map[string]any{}}
		short.SetAPIVersion(o.GetAPIVersion())
		short.SetKind(o.GetKind())
		short.SetNamespace(o.GetNamespace())
		short.SetName(o.GetName())
		text, _ := short.MarshalJSON() // it has only strings
		query.Write(text)              // ends in a line break
		query.WriteString("---\n")
	}
	return query.Bytes()
}

// Judge returns the state of the render, given the objects that exist: what kubectl get -o json prints, which is nothing
// if there are none. It adds to the template's rules that a Job of the render which does not exist is missing.
func (r *Render) Judge(live []byte) (*Report, error) {
	existing, err := readList(live)
	if err != nil {
		return nil, err
	}
	rules, err := template.New("status").Parse(Template)
	if err != nil {
		return nil, err
	}
	report := &Report{}
	for _, of := range r.order {
		var out bytes.Buffer
		if err := rules.Execute(&out, map[string]any{"kind": "List", "items": merge(r.resources[of], existing)}); err != nil {
			return nil, err
		}
		for line := range strings.Lines(out.String()) {
			if step, ok := parse(strings.TrimSuffix(line, "\n")); ok {
				report.Steps = append(report.Steps, step)
			}
		}
	}
	report.summarize()
	return report, report.explainPods(existing)
}

// readList returns the objects of a List by their identities.
func readList(text []byte) (map[identity]object, error) {
	var list struct {
		Items []map[string]any `json:"items"`
	}
	if len(bytes.TrimSpace(text)) > 0 {
		if err := json.Unmarshal(text, &list); err != nil {
			return nil, fmt.Errorf("decode the objects of the cluster: %w", err)
		}
	}
	found := make(map[identity]object, len(list.Items))
	for _, item := range list.Items {
		o := &unstructured.Unstructured{Object: item}
		found[identityOf(o)] = o
	}
	return found, nil
}

// merge returns the items of a List for the template: the objects of a resource that exist, and Jobs and Pods that do not,
// as they are rendered.
func merge(rendered []object, existing map[identity]object) []any {
	var items []any
	for _, o := range rendered {
		if live := existing[identityOf(o)]; live != nil {
			items = append(items, live.Object)
		} else if o.GetKind() != "Secret" {
			items = append(items, o.Object)
		}
	}
	return items
}

// columns are the first columns of a line of the template: state, step, namespace and object. None contains a space.
const columns = 4

// parse reads a line that the template prints; the last one is not about a step.
func parse(line string) (step Step, ok bool) {
	fields := strings.Fields(line)
	if len(fields) < columns {
		return Step{}, false
	}
	step = Step{State: State(fields[0]), Step: fields[1], Namespace: fields[2], Object: fields[3]}
	step.Detail = strings.Join(fields[columns:], " ")
	return step, true
}
