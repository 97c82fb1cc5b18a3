package lifecycle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/commands/kubectl"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/engine"
	"github.com/resource-plugins/krm-functions/internal/engines"
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/rplug"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

// clusterState reads the workloads of a render in a cluster, with the user's kubectl or from dumps.
type clusterState struct {
	renders, dumps []string
	kubectl        kubectl.Kubectl
}

func (s *clusterState) check(c *cobra.Command) error {
	switch {
	case len(s.renders) == 0:
		return errors.New("--done must come with --render, the output of rplug build or render")
	case len(s.dumps) > 0 && kubectl.Changed(c.Flags()):
		return errors.New("--context, --kubeconfig and --kubectl must be without --file, which runs no kubectl")
	case slices.Contains(s.renders, load.Stdin) && slices.Contains(s.dumps, load.Stdin):
		return errors.New("--render and --file must not both be -")
	}
	return nil
}

// key identifies an object. The group is left out: the items of lists may lack it.
type key struct{ kind, namespace, name string }

// ended has the ends of the workloads of a render.
type ended struct {
	wanted map[string][]workload // of delete phases, by the ids of sandboxes
	states map[key][]*engine.State
}

// workload is a rendered workload of a delete phase.
type workload struct {
	key
	resource string
}

// read reads the render and the objects that run its delete phases.
func (s *clusterState) read(stdin io.Reader, features []extension.Extension) (*ended, error) {
	items, err := rplug.ReadWith(s.renders, load.Options{Input: stdin, Formats: extension.Formats(features)})
	if err != nil {
		return nil, err
	}
	e := &ended{wanted: map[string][]workload{}, states: map[key][]*engine.State{}}
	query := metav1.List{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "List"}}
	for _, item := range items {
		if !slices.Contains(engines.Workloads(), item.Kind()) {
			continue
		}
		object, err := render.ReadObject(item)
		if err != nil {
			return nil, err
		}
		u := unstructured.Unstructured{Object: object}
		id, isOurs := u.GetLabels()[contract.SandboxIDKey]
		if !isOurs || u.GetAnnotations()[contract.PhaseKey] != string(v1alpha1.PhaseDelete) {
			continue
		}
		one := workload{key{u.GetKind(), u.GetNamespace(), u.GetName()}, u.GetLabels()[contract.ResourceKey]}
		e.wanted[id] = append(e.wanted[id], one)
		text, err := json.Marshal(map[string]any{"apiVersion": u.GetAPIVersion(), "kind": u.GetKind(),
			"metadata": map[string]any{"name": u.GetName(), "namespace": u.GetNamespace()}})
		if err != nil {
			return nil, err
		}
		query.Items = append(query.Items, runtime.RawExtension{Raw: text})
	}
	if len(query.Items) == 0 {
		return e, nil
	}
	return e, s.readObjects(e, stdin, &query)
}

// readObjects reads the objects of the query from dumps, or with kubectl.
func (s *clusterState) readObjects(e *ended, stdin io.Reader, query *metav1.List) error {
	for _, dump := range s.dumps {
		text, err := readFile(dump, stdin)
		if err == nil {
			err = e.add(text)
		}
		if err != nil {
			return fmt.Errorf("--file %s: %w", dump, err)
		}
	}
	if len(s.dumps) > 0 {
		return nil
	}
	text, err := json.Marshal(query)
	if err != nil {
		return err
	}
	out, err := s.kubectl.Run(text, "get", "-f", "-", "--ignore-not-found", "-o", "json")
	if err != nil {
		return err
	}
	return e.add(out)
}

func readFile(path string, stdin io.Reader) ([]byte, error) {
	if path == load.Stdin {
		return io.ReadAll(stdin)
	}
	return os.ReadFile(path)
}

// add reads objects as kubectl prints them: one, a list, or several YAML documents.
func (e *ended) add(text []byte) error {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil // kubectl prints nothing if there is no object
	}
	byEngine := map[engine.Engine][]*engine.Object{}
	err := eachObject(text, func(one *unstructured.Unstructured) error { return addWorkload(byEngine, one) })
	if err != nil {
		return err
	}
	for one, objects := range byEngine {
		for _, state := range one.States(objects) {
			k := key{state.Kind.Name, state.Namespace, state.Name}
			e.states[k] = append(e.states[k], state)
		}
	}
	return nil
}

func addWorkload(byEngine map[engine.Engine][]*engine.Object, object *unstructured.Unstructured) error {
	group, _, _ := strings.Cut(object.GetAPIVersion(), "/")
	if !strings.Contains(object.GetAPIVersion(), "/") {
		group = ""
	}
	one, _ := engines.Of(group, object.GetKind())
	if one == nil {
		return nil
	}
	text, err := json.Marshal(object.Object)
	if err != nil {
		return err
	}
	read, err := one.Read(object.GetKind(), text)
	if err != nil {
		return fmt.Errorf("%s %q: %w", object.GetKind(), object.GetName(), err)
	}
	byEngine[one] = append(byEngine[one], read)
	return nil
}

// isDone returns why the delete phase of resources of a sandbox is not complete, nil if it is.
func (e *ended) isDone(id string, resources []string) error {
	seen := map[string]bool{}
	for _, w := range e.wanted[id] {
		seen[w.resource] = true
		states := e.states[w.key]
		if len(states) == 0 {
			return fmt.Errorf("%s %s/%s does not exist: apply the render", w.kind, w.namespace, w.name)
		}
		for _, s := range states {
			switch {
			case s.End == engine.Failed:
				return fmt.Errorf("%s %s/%s has failed: %s", w.kind, w.namespace, w.name, s.Failure)
			case s.End != engine.Complete:
				return fmt.Errorf("%s %s/%s has not ended", w.kind, w.namespace, w.name)
			}
		}
	}
	for _, name := range resources {
		if !seen[contract.LabelValue(name)] {
			return fmt.Errorf("the render must have the delete phase of its resource %q", name)
		}
	}
	return nil
}
