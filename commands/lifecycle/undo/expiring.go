package undo

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/commands/lifecycle/expiry"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/engine/jobs"
	"github.com/resource-plugins/krm-functions/internal/yamlprint"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

// expiring is a sandbox with a ttl that the cluster tears down.
//
// Kubernetes lets no account create a Role with rights that it lacks. So the accounts, Roles, Secrets and scripts of
// the delete phase are applied with the create phase already, and the account of the CronJob creates only the Jobs, and
// the objects that count the Pods of forks.
type expiring struct {
	*teardown

	ttl    *v1alpha1.TTL
	plan   []byte // the expiry.Plan as JSON
	access *access
	// phase are the objects of the delete phase that are applied with the create phase.
	phase []*krm.Item
}

// kindBudget is the kind of the objects that count Pods of forks.
const kindBudget = "PodDisruptionBudget"

// isLate reports whether an object is applied when the ttl has passed.
func isLate(item *krm.Item) bool { return item.Kind() == jobs.Job || item.Kind() == kindBudget }

// expiring returns the expiry of a sandbox, nil if it has no ttl.
func (r *run) expiring(t *teardown) *expiring {
	s, _ := document.ReadSandbox(t.item)
	if r.options.Expiry == "" || s.Spec.TTL == nil {
		return nil
	}
	refuse := func(path krm.Path, message string) *expiring {
		r.list.Report(krm.At(t.item, path, krm.Error, message))
		return nil
	}
	seconds, err := document.ParseTTL(s.Spec.TTL.Duration)
	from := cmp.Or(s.Spec.TTL.OffsetFrom, expiry.CreatedAt)
	switch {
	case err != nil:
		return refuse("spec.ttl.duration", err.Error())
	case from != expiry.CreatedAt && from != expiry.UpdatedAt:
		return refuse("spec.ttl.offsetFrom", fmt.Sprintf("must be %s or %s, not %q", expiry.CreatedAt, expiry.UpdatedAt, from))
	}
	if others := t.otherNamespaces(); len(others) > 0 {
		return refuse("spec.resources", fmt.Sprintf("all steps of a sandbox that expires in the cluster must run in one "+
			"namespace, not in %q and %q: set runnerNamespace, or namespaces", t.namespace, strings.Join(others, `", "`)))
	}
	e := &expiring{teardown: t, ttl: &v1alpha1.TTL{Duration: s.Spec.TTL.Duration, OffsetFrom: from}}
	plan := expiry.Plan{Sandbox: t.name, ID: t.id, Seconds: seconds, OffsetFrom: from, Forks: e.forks(s)}
	e.read(&plan, r.rendered[t.id])
	e.access = newAccess(e, &plan)
	plan.Roles = e.access.others()
	if e.plan, err = json.Marshal(plan); err != nil {
		return refuse("", err.Error())
	}
	e.access.seal(expiry.Sealed(e.access.name, e.plan))
	return e
}

// reportEndless warns of a sandbox with a ttl but without a delete phase.
func (r *run) reportEndless(t *teardown) {
	if s, _ := document.ReadSandbox(t.item); r.options.Expiry != "" && s.Spec.TTL != nil {
		r.list.Report(krm.At(t.item, "spec.ttl", krm.Warning, "the option expiry does nothing for it, since none of its "+
			"resources has a delete phase: run rplug expire on a schedule"))
	}
}

// otherNamespaces returns the namespaces of Jobs that are not in that of the teardown.
func (t *teardown) otherNamespaces() (others []string) {
	for _, item := range t.objects {
		if item.Kind() == jobs.Job && item.Namespace() != t.namespace {
			others = append(others, item.Namespace())
		}
	}
	slices.Sort(others)
	return slices.Compact(others)
}

// forks returns the namespaces of the sandbox's forks: those in which their Pods are counted, and if nothing counts
// them, those of the document.
func (e *expiring) forks(s *document.Sandbox) (namespaces []string) {
	documented := map[string]bool{}
	for i := range s.Spec.Forks {
		documented[s.Spec.Forks[i].ForkOf.Namespace] = true
	}
	for _, item := range e.objects {
		if item.Kind() == kindBudget && (item.Namespace() != e.namespace || documented[e.namespace]) {
			namespaces = append(namespaces, item.Namespace())
		}
	}
	if len(namespaces) == 0 {
		for namespace := range documented {
			if namespace != "" && document.CheckLabel(namespace) == "" {
				namespaces = append(namespaces, namespace)
			}
		}
	}
	slices.Sort(namespaces)
	return slices.Compact(namespaces)
}

// read adds the objects to a plan: those of the delete phase, and the rendered ones of the sandbox.
func (e *expiring) read(plan *expiry.Plan, rendered []*krm.Item) {
	for _, item := range e.objects {
		phase, _ := item.Annotation(contract.PhaseKey)
		switch {
		case isLate(item):
			if object, err := render.ReadObject(item); err == nil { // it was rendered
				plan.Apply = append(plan.Apply, yamlprint.AppendJSON(nil, object))
			}
		case phase == string(v1alpha1.PhaseDelete):
			e.phase = append(e.phase, item)
		}
	}
	seen := map[expiry.Object]bool{}
	for _, item := range slices.Concat(rendered, e.objects) {
		id, _ := item.Annotation(contract.SandboxIDKey)
		if item.Kind() == jobs.Job || id != e.id {
			continue
		}
		gv, _ := schema.ParseGroupVersion(item.APIVersion()) // it was rendered
		plural, _ := meta.UnsafeGuessKindToResource(gv.WithKind(item.Kind()))
		object := expiry.Object{
			Kind:      expiry.Kind{Group: gv.Group, Version: gv.Version, Resource: plural.Resource},
			Namespace: item.Namespace(), Name: item.Name(),
		}
		if !seen[object] {
			seen[object] = true
			plan.Remove = append(plan.Remove, object)
		}
	}
	slices.SortFunc(plan.Remove, func(a, b expiry.Object) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Group, b.Group), cmp.Compare(a.Resource, b.Resource),
			cmp.Compare(a.Name, b.Name))
	})
}

// annotate adds the annotations of the ConfigMap.
func (e *expiring) annotate(annotations map[string]string) {
	annotations[contract.TTLKey], annotations[contract.TTLOffsetKey] = e.ttl.Duration, e.ttl.OffsetFrom
}

// applyEarly adds the delete phases of sandboxes that expire, but for their Jobs, as objects of the render itself:
// when a sandbox is absent, its delete phase has the same objects. It removes those of sandboxes that do not expire
// any more.
func (r *run) applyEarly() []*krm.Item {
	reconciler := render.NewReconciler(r.list, render.Owner{
		Name: r.options.Name, Owns: func(_, phase string) bool { return phase == string(v1alpha1.PhaseDelete) },
		Kinds: []string{"ConfigMap", "Role", "RoleBinding", "Secret", "ServiceAccount"}, Named: []string{"Secret"},
		WithoutPaths: r.options.WithoutPaths, IsTemplate: r.options.IsTemplate(),
	})
	var changes []render.Change
	isPut := map[string]bool{}
	for _, e := range r.early {
		for index, item := range e.phase {
			if isPut[identity(item)] {
				continue // scripts are of several sandboxes
			}
			isPut[identity(item)] = true
			object, err := render.ReadObject(item)
			if err != nil {
				r.list.Report(krm.At(e.item, "spec.resources", krm.Error, err.Error()))
				continue
			}
			file := contract.FileName(e.name) + "/expiry-phase"
			if _, isOwn := item.Annotation(contract.SandboxIDKey); !isOwn {
				file, index = item.Namespace()+"-"+item.Name(), 0 // where the delete phase of an absent sandbox has it
			}
			change, err := reconciler.Put(r.kept(object), "rendered/"+file+".yaml", index)
			if err != nil {
				r.list.Report(krm.At(e.item, "metadata.name", krm.Error, err.Error()))
			}
			changes = append(changes, change)
		}
	}
	reconciler.Apply(changes)
	if gone := r.earlier(isPut); len(gone) > 0 && !r.list.Results().Failed() {
		r.list.Remove(gone...)
	}
	return reconciler.Rendered()
}

// earlier returns objects of the delete phases of sandboxes that are present, which an earlier run has added, and
// this one has not.
func (r *run) earlier(isPut map[string]bool) (gone []*krm.Item) {
	for id := range r.present {
		for _, item := range r.rendered[id] {
			phase, _ := item.Annotation(contract.PhaseKey)
			_, isOther := item.Annotation(contract.RenderedWithKey)
			if phase == string(v1alpha1.PhaseDelete) && !isOther && !isPut[identity(item)] {
				gone = append(gone, item)
			}
		}
	}
	return gone
}

func identity(item *krm.Item) string { return item.Kind() + "/" + item.Namespace() + "/" + item.Name() }

// kept returns an object that a delivery keeps, as it does the ConfigMap: the sandbox expires even if it is no longer
// rendered.
func (r *run) kept(content map[string]any) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: content}
	annotations := object.GetAnnotations()
	delete(annotations, "helm.sh/resource-policy") // of the render of the teardown
	for key, value := range r.options.Delivered("Secret", false, 0) {
		annotations[key] = value
	}
	object.SetAnnotations(annotations)
	return object
}

// addAbsent adds the objects that let the cluster remove the ConfigMaps of sandboxes with a ttl that are absent, or all
// if only the delete phase is rendered: else the ttl of a sandbox that is created again later would count from an old
// ConfigMap.
func (r *run) addAbsent(isCreate bool) {
	for _, item := range r.list.Of(contract.APIVersion, contract.Sandbox) {
		s, _ := document.ReadSandbox(item)
		id, err := s.ID()
		isAbsent, wrong := s.IsAbsent()
		isOfOther := r.options.Cluster != "" && s.Cluster() != r.options.Cluster
		if err != nil || wrong != nil || s.Spec.TTL == nil || isCreate && !isAbsent || isOfOther {
			continue
		}
		t := &teardown{item: item, id: id, name: s.LowerName()}
		for _, object := range r.rendered[id] {
			if object.Kind() == jobs.Job && (t.namespace == "" || object.Namespace() < t.namespace) {
				t.namespace = object.Namespace()
			}
		}
		if t.namespace != "" {
			r.addOneAbsent(t)
		}
	}
}
