package lifecycle

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/commands/kubectl"
	clusterexpiry "github.com/resource-plugins/krm-functions/commands/lifecycle/expiry"
	"github.com/resource-plugins/krm-functions/commands/lifecycle/history"
	"github.com/resource-plugins/krm-functions/commands/lifecycle/undo"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/engines"
)

// The states of sandboxes without a document that the history knows; that of others is stateUnknown.
const (
	stateLeaked  = "leaked"
	stateRemoved = "removed" // it was torn down
)

// leftover is a sandbox that a cluster has.
type leftover struct {
	ID         string         `json:"id"`
	Name       string         `json:"name"`
	State      string         `json:"state"`
	Reason     string         `json:"reason"`
	Namespaces []string       `json:"namespaces"`
	Objects    map[string]int `json:"objects"` // by kind

	newest metav1.Time
	undo   []*unstructured.Unstructured
	// created are the objects of the create phase, and deleted those of the delete phase.
	created, deleted []*unstructured.Unstructured
	// past and shown are set if it has leaked.
	past  *history.Past
	shown []steps
}

// sweptKinds are the kinds of kubectl get that sandboxes have objects of in every cluster, beside Secrets.
const sweptKinds = "jobs,pods,configmaps,serviceaccounts,roles,rolebindings,poddisruptionbudgets,deployments,services"

// sandboxes returns the sandboxes that have objects, by name and id. Of Secrets only the metadata is read.
func (s *clusterState) sandboxes(stdin io.Reader) ([]*leftover, error) {
	var texts [][]byte
	for _, dump := range s.dumps {
		text, err := readFile(dump, stdin)
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	if len(s.dumps) == 0 {
		var err error
		if texts, err = s.readSwept(); err != nil {
			return nil, err
		}
	}
	byID := map[string]*leftover{}
	for _, text := range texts {
		err := eachObject(text, func(o *unstructured.Unstructured) error {
			addObject(byID, o)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return slices.SortedFunc(maps.Values(byID), func(a, b *leftover) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	}), nil
}

// readSwept reads the objects of sandboxes with kubectl. A cluster may lack the kinds of engines and of routes.
func (s *clusterState) readSwept() (texts [][]byte, err error) {
	get := func(kinds, output string) error {
		text, err := s.kubectl.Run(nil, "get", kinds, "--all-namespaces", "-l", contract.SandboxIDKey, "-o", output)
		texts = append(texts, text)
		return err
	}
	if err := get(sweptKinds, "json"); err != nil {
		return nil, err
	}
	if err := get("secrets", kubectl.MetadataOf("Secret")); err != nil {
		return nil, err
	}
	for _, kind := range customKinds() {
		if err := get(kind, "json"); err != nil && !kubectl.IsUnknownKind(err) {
			return nil, err
		}
	}
	return texts, nil
}

// customKinds are the kinds of kubectl get of engines, forks and routes that a cluster may lack.
func customKinds() (kinds []string) {
	for _, e := range engines.All() {
		for _, k := range e.Traits().Kinds {
			if k.IsCustom && k.WorkloadLabel == "" {
				kinds = append(kinds, k.Resource)
			}
		}
	}
	for _, k := range clusterexpiry.ForkKinds() {
		if strings.Contains(k.Group, ".") {
			kinds = append(kinds, k.Resource+"."+k.Group)
		}
	}
	return kinds
}

// addObject adds an object to its sandbox, unless it is being deleted, such as the Pods of a Job that was just pruned.
func addObject(byID map[string]*leftover, o *unstructured.Unstructured) {
	if o.GetDeletionTimestamp() != nil {
		return
	}
	id, name := o.GetLabels()[contract.SandboxIDKey], o.GetLabels()[contract.SandboxKey]
	if id == "" || o.GetLabels()[contract.ManagedByKey] != contract.ManagedBy {
		return
	}
	s := byID[id]
	if s == nil {
		s = &leftover{ID: id, Name: name, Objects: map[string]int{}}
		byID[id] = s
	}
	s.Objects[o.GetKind()]++
	if at, isListed := slices.BinarySearch(s.Namespaces, o.GetNamespace()); !isListed {
		s.Namespaces = slices.Insert(s.Namespaces, at, o.GetNamespace())
	}
	if created := o.GetCreationTimestamp(); s.newest.Before(&created) {
		s.newest = created
	}
	switch {
	case o.GetKind() == "ConfigMap" && o.GetAnnotations()[undo.DigestKey] != "":
		s.undo = append(s.undo, o)
	case o.GetAnnotations()[contract.PhaseKey] == string(v1alpha1.PhaseCreate):
		s.created = append(s.created, o)
	case o.GetAnnotations()[contract.PhaseKey] == string(v1alpha1.PhaseDelete):
		s.deleted = append(s.deleted, o)
	}
}

// bySandbox returns the past of sandboxes by their ids alone: the labels of objects do not have the cluster.
func bySandbox(past map[string]*history.Past) map[string][]*history.Past {
	found := map[string][]*history.Past{}
	for id, one := range past {
		if kind, rest, _ := strings.Cut(id, "/"); kind == contract.Sandbox {
			own := rest[strings.LastIndex(rest, "/")+1:]
			found[own] = append(found[own], one)
		}
	}
	return found
}

// judge decides whether the sandbox has leaked, given that no document has its id; known has the documents with the id
// in the history.
func (s *leftover) judge(w *wanted, known []*history.Past) {
	s.State = stateUnknown
	switch {
	case w.unread != "":
		s.Reason = w.unread
	case len(known) == 0:
		s.Reason = "no commit of the repository has a document of this id"
	case len(known) > 1:
		s.Reason = "documents of several clusters have had this id"
	case known[0].IsEarly:
		s.Reason = "a commit about its document is dated later than now"
	case s.newest.After(known[0].Changed):
		s.Reason = "an object is younger than commit " + short(known[0].Commit) +
			", the last one about its document: fetch all branches"
	case !s.isKnownTo(known[0]):
		s.Reason = "its teardown in the cluster is that of a document that no commit of the repository has"
	case known[0].WasAbsent && s.isTornDown():
		s.State = stateRemoved
	default:
		s.State, s.Reason = stateLeaked, "commit "+short(known[0].Commit)+" is the last one about its document"
		s.past, s.shown = known[0], evidence(s.created, s.deleted)
	}
}

// isTornDown reports whether nothing is left but the teardown, and Secrets in which no step has published: Argo CD and Flux
// create those again that the cleanup has deleted, and prune neither.
func (s *leftover) isTornDown() bool {
	total := 0
	for _, n := range s.Objects {
		total += n
	}
	if s.Objects["Secret"] != len(s.created)+len(s.deleted) || s.Objects["Secret"]+len(s.undo) != total {
		return false
	}
	return !slices.ContainsFunc(slices.Concat(s.created, s.deleted), func(o *unstructured.Unstructured) bool {
		return o.GetAnnotations()[contract.PublishedKey] != ""
	})
}

// isKnownTo reports whether the documents of the teardowns in the cluster are those of a past.
func (s *leftover) isKnownTo(past *history.Past) bool {
	return !slices.ContainsFunc(s.undo, func(o *unstructured.Unstructured) bool {
		return !past.Specs[o.GetAnnotations()[clusterexpiry.DocumentKey]]
	})
}

func short(id string) string { return id[:min(12, len(id))] }

// text describes the sandbox in a line.
func (s *leftover) text() string {
	kinds := make([]string, 0, len(s.Objects))
	for _, kind := range slices.Sorted(maps.Keys(s.Objects)) {
		kinds = append(kinds, fmt.Sprintf("%d %s", s.Objects[kind], kind))
	}
	return fmt.Sprintf("Sandbox %s (id %s): %s: %s; has %s in %s", s.Name, s.ID, s.State, s.Reason, strings.Join(kinds, ", "),
		strings.Join(s.Namespaces, ", "))
}

// eachObject calls a function for the objects of a text as kubectl prints them: one, a list, or several YAML documents.
func eachObject(text []byte, do func(*unstructured.Unstructured) error) error {
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 1<<16)
	for {
		var object unstructured.Unstructured
		err := decoder.Decode(&object.Object)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return errors.New("must hold objects of Kubernetes, as kubectl get prints them with -o json or -o yaml")
		}
		items, isList, _ := unstructured.NestedSlice(object.Object, "items")
		if !isList {
			items = []any{object.Object}
		}
		for _, item := range items {
			content, isObject := item.(map[string]any)
			if !isObject || len(content) == 0 {
				continue
			}
			if err := do(&unstructured.Unstructured{Object: content}); err != nil {
				return err
			}
		}
	}
}
