// Package undo renders the teardown of sandboxes. With the option undo, the delete phase of each sandbox is in the
// cluster, compressed in a ConfigMap. It works when the documents, the catalog and rplug are gone:
//
//	kubectl get configmap NAME -n NAMESPACE -o jsonpath='{.binaryData.teardown\.yaml\.gz}' |
//	  base64 -d | gunzip | kubectl apply -f -
//
// A Renderer adds the ConfigMaps to the objects that package render has rendered for the create phase.
//
// With the option expiry, the cluster applies the teardown by itself when the ttl of the sandbox has passed: see expiring.
package undo

import (
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/function/renderphase"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

const (
	// DataKey is the key of the ConfigMap's binaryData with the delete phase: YAML, compressed with gzip.
	DataKey = "teardown.yaml.gz"
	// DigestKey is the annotation with the digest of the delete phase before it is compressed.
	DigestKey = contract.Group + "/teardown-digest"
	// GenerationsKey is the annotation with the generations of the create steps that the delete phase belongs to, sorted and
	// separated by commas. A cluster whose create steps have others has another state than it tears down.
	GenerationsKey = contract.Group + "/create-generations"
	// MaxSize limits the data of a ConfigMap, in bytes (Kubernetes, MaxSecretSize).
	MaxSize = 1 << 20
)

// Extension returns the feature of render-phase.
func Extension() renderphase.Extension { return renderphase.Extension{Renderer: renderer{}} }

type renderer struct{}

// IsAlone implements renderphase.Renderer.
func (renderer) IsAlone(render.Options) bool { return false }

// Render implements renderphase.Renderer.
func (renderer) Render(list *krm.ResourceList, options render.Options) (renderphase.Output, error) {
	isCreate := slices.Contains(options.Phases, string(v1alpha1.PhaseCreate))
	if options.Expiry == "" && (!options.Undo || !isCreate) || list.Results().Failed() {
		return renderphase.Output{}, nil
	}
	run := newRun(list, options)
	if isCreate {
		sandboxes, err := teardowns(list, options)
		if err != nil || list.Results().Failed() {
			return renderphase.Output{}, err
		}
		run.add(sandboxes)
	}
	if options.Expiry != "" {
		run.addAbsent(isCreate)
		run.addCronJobs()
	}
	return run.finish(), nil
}

// run is a render.
type run struct {
	list    *krm.ResourceList
	options render.Options
	// owner is on the objects of this package.
	owner     string
	own       *render.Reconciler
	changes   []render.Change
	teardowns int
	// rendered are the objects of the list by the ids of their sandboxes.
	rendered map[string][]*krm.Item
	// present are the ids of the sandboxes that are not absent.
	present map[string]bool
	// early are the sandboxes whose delete phases are applied with the create phase, but for their Jobs.
	early []*expiring
	// clocks are the namespaces with sandboxes that expire.
	clocks map[string]bool
}

func newRun(list *krm.ResourceList, options render.Options) *run {
	r := &run{
		list: list, options: options, owner: options.Name + "-undo",
		rendered: map[string][]*krm.Item{}, present: map[string]bool{}, clocks: map[string]bool{},
	}
	r.own = render.NewReconciler(list, render.Owner{
		Name: r.owner, Owns: func(string, string) bool { return true },
		Kinds:        []string{"ConfigMap", "CronJob", "Role", "RoleBinding", rbacv1.ServiceAccountKind},
		WithoutPaths: options.WithoutPaths,
	})
	for _, item := range list.Items() {
		if by, _ := item.Annotation(contract.RenderedByKey); by == options.Name {
			id, _ := item.Annotation(contract.SandboxIDKey)
			r.rendered[id] = append(r.rendered[id], item)
		}
	}
	return r
}

// add adds the ConfigMaps of sandboxes, and the objects of their expiry.
func (r *run) add(sandboxes []*teardown) {
	for i, s := range sandboxes {
		r.present[s.id] = true
		if s.namespace == "" {
			r.reportEndless(s)
			continue
		}
		e := r.expiring(s)
		object, problem := s.object(&r.options, r.owner, i, e, r.rendered[s.id])
		if problem != "" {
			r.list.Report(krm.At(s.item, "spec.resources", krm.Error, problem))
			continue
		}
		if r.put(s.item, s.name, "teardown", 0, object) {
			r.teardowns++
		}
		if e != nil {
			r.addRights(e.access)
			r.early = append(r.early, e)
		}
	}
}

// put puts an object of a sandbox into the list, at a place in a file.
func (r *run) put(item *krm.Item, sandbox, file string, index int, object render.Manifest) bool {
	change, err := r.own.Put(object, "rendered/"+contract.FileName(sandbox)+"/"+file+".yaml", index)
	if err != nil {
		r.list.Report(krm.At(item, "metadata.name", krm.Error, err.Error()))
		return false
	}
	r.changes = append(r.changes, change)
	return true
}

// finish changes the list.
func (r *run) finish() renderphase.Output {
	r.own.Apply(r.changes)
	objects := r.own.Rendered()
	if r.options.Expiry != "" {
		objects = append(objects, r.applyEarly()...)
	}
	if !r.list.Results().Failed() {
		r.own.RemoveRest()
	}
	return renderphase.Output{Requests: r.teardowns, Text: report.Count(r.teardowns, "teardown"), Objects: objects}
}
