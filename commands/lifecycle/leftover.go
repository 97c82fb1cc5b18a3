package lifecycle

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/resource-plugins/krm-functions/commands/lifecycle/history"
	"github.com/resource-plugins/krm-functions/commands/lifecycle/undo"
	"github.com/resource-plugins/krm-functions/internal/contract"
)

// stateLeaked is the state of sandboxes without a document that the history knows; that of others is stateUnknown.
const stateLeaked = "leaked"

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
}

// sweptKinds are the kinds of kubectl get that sandboxes have objects of in every cluster.
const sweptKinds = "jobs,pods,configmaps,secrets,serviceaccounts,roles,rolebindings,deployments,services"

// sandboxes returns the sandboxes that have objects, by name and id. Of Secrets only the metadata is used.
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
		text, err := s.kubectl.Run(nil, "get", sweptKinds, "--all-namespaces", "-l", contract.SandboxIDKey, "-o", "json")
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
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

func addObject(byID map[string]*leftover, o *unstructured.Unstructured) {
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
	if o.GetKind() == "ConfigMap" && o.GetAnnotations()[undo.DigestKey] != "" {
		s.undo = append(s.undo, o)
	}
}

// judge decides whether the sandbox has leaked, given that no document has its id.
func (s *leftover) judge(w *wanted, past map[string]history.Past) {
	s.State = stateUnknown
	var known []history.Past
	for id, one := range past {
		if kind, rest, _ := strings.Cut(id, "/"); kind == contract.Sandbox && rest[strings.LastIndex(rest, "/")+1:] == s.ID {
			known = append(known, one)
		}
	}
	switch {
	case w.unread != "":
		s.Reason = w.unread
	case len(known) == 0:
		s.Reason = "no commit of the repository has a document of this id"
	case len(known) > 1:
		s.Reason = "documents of several clusters have had this id"
	case s.newest.After(known[0].Changed):
		s.Reason = "an object is younger than commit " + short(known[0].Commit) + ", the last one about its document: fetch all branches"
	default:
		s.State, s.Reason = stateLeaked, "commit "+short(known[0].Commit)+" is the last one about its document"
	}
}

func short(id string) string { return id[:min(12, len(id))] }

// text describes the sandbox in a line.
func (s *leftover) text() string {
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(s.Objects)) {
		kinds = append(kinds, fmt.Sprintf("%d %s", s.Objects[kind], kind))
	}
	return fmt.Sprintf("Sandbox %s (id %s): %s: %s; has %s in %s", s.Name, s.ID, s.State, s.Reason, strings.Join(kinds, ", "),
		strings.Join(s.Namespaces, ", "))
}

// teardown returns the delete phase that the cluster has, if it is unchanged since it was rendered and all of it belongs to the sandbox.
func (s *leftover) teardown() ([]byte, error) {
	if len(s.undo) != 1 {
		return nil, fmt.Errorf("the cluster must have one teardown of it, not %d: render it from the commit", len(s.undo))
	}
	encoded, _, err := unstructured.NestedString(s.undo[0].Object, "binaryData", undo.DataKey)
	if err != nil {
		return nil, err
	}
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return nil, err
	}
	reader, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("its teardown must be compressed: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(reader, maxTeardown+1))
	if err != nil || len(text) > maxTeardown {
		return nil, errors.Join(err, errors.New("its teardown must be complete, and not larger than 64 MiB"))
	}
	sum := sha256.Sum256(text)
	if digest := s.undo[0].GetAnnotations()[undo.DigestKey]; digest != "sha256:"+hex.EncodeToString(sum[:]) {
		return nil, errors.New("its teardown has another digest than was recorded")
	}
	return text, eachObject(text, s.checkOwn)
}

// maxTeardown limits the size of an expanded teardown, in bytes.
const maxTeardown = 64 << 20

// checkOwn refuses an object of another sandbox. Scripts belong to none.
func (s *leftover) checkOwn(o *unstructured.Unstructured) error {
	id, isOwned := o.GetLabels()[contract.SandboxIDKey]
	if isOwned && id == s.ID || !isOwned && o.GetKind() == "ConfigMap" {
		return nil
	}
	return fmt.Errorf("its teardown has an object of another sandbox, %s %q", o.GetKind(), o.GetName())
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
