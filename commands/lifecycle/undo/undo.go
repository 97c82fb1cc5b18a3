// Package undo renders what tears sandboxes down: with the option undo, the delete phase of each sandbox is in the cluster,
// in one ConfigMap, compressed. It works when the documents, the catalog and rplug are gone:
//
//	kubectl get configmap NAME -n NAMESPACE -o jsonpath='{.binaryData.teardown\.yaml\.gz}' |
//	  base64 -d | gunzip | kubectl apply -f -
//
// A Renderer adds the ConfigMaps to what package render has rendered for the create phase.
package undo

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

const (
	// DataKey is the key of the ConfigMap's binaryData with the delete phase: YAML, compressed with gzip.
	DataKey = "teardown.yaml.gz"
	// DigestKey is the annotation with the digest of the delete phase before it is compressed.
	DigestKey = contract.Group + "/teardown-digest"
	// MaxSize limits the data of a ConfigMap, in bytes (Kubernetes, MaxSecretSize).
	MaxSize = 1 << 20
)

// Extension returns the feature of render-phase.
func Extension() extension.Extension { return extension.Extension{Renderer: renderer{}} }

type renderer struct{}

// IsAlone implements extension.Renderer.
func (renderer) IsAlone(render.Options) bool { return false }

// Render implements extension.Renderer.
func (renderer) Render(list *krm.ResourceList, options render.Options) (extension.Rendered, error) {
	if !options.Undo || !slices.Contains(options.Phases, string(v1alpha1.PhaseCreate)) || list.Results().Failed() {
		return extension.Rendered{}, nil
	}
	sandboxes, err := teardowns(list, options)
	if err != nil || list.Results().Failed() {
		return extension.Rendered{}, err
	}
	owner := options.Name + "-undo"
	reconciler := render.NewReconciler(list, render.Owner{
		Name: owner, Owns: func(string, string) bool { return true }, Kinds: []string{"ConfigMap"},
		WithoutPaths: options.WithoutPaths,
	})
	var changes []render.Change
	for i, s := range sandboxes {
		object, problem := s.object(&options, owner, i)
		if problem != "" {
			list.Report(krm.At(s.item, "spec.resources", krm.Error, problem))
			continue
		}
		change, err := reconciler.Put(object, "rendered/"+contract.FileName(s.name)+"/teardown.yaml", 0)
		if err != nil {
			list.Report(krm.At(s.item, "metadata.name", krm.Error, err.Error()))
			continue
		}
		changes = append(changes, change)
	}
	reconciler.Apply(changes)
	if !list.Results().Failed() {
		reconciler.RemoveRest()
	}
	return extension.Rendered{
		Requests: len(changes), Text: report.Count(len(changes), "teardown"), Objects: reconciler.Rendered(),
	}, nil
}

// teardown is the delete phase of a sandbox.
type teardown struct {
	item      *krm.Item
	id, name  string
	namespace string
	text      []byte
}

// teardowns renders the delete phases of the sandboxes that are present, in their order; those without are left out.
func teardowns(list *krm.ResourceList, options render.Options) ([]*teardown, error) {
	absent, order, err := markAbsent(list, options.Cluster)
	if err != nil {
		return nil, err
	}
	present := make(map[string]*teardown, len(order))
	for _, t := range order {
		present[t.id] = t
	}
	options.Phases, options.Delivery, options.DeleteHook = []string{string(v1alpha1.PhaseDelete)}, "kubectl", ""
	options.WithoutPaths, options.Prune, options.Undo, options.RefuseEmpty = true, false, false, false
	summary, err := render.Phases(absent, options)
	if err != nil {
		return nil, err
	}
	for _, one := range absent.Results() {
		if one.Severity == krm.Error {
			one.Message = "the teardown cannot be rendered: " + one.Message
			list.Report(one)
		}
	}
	if err := collect(present, summary.Objects); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(order, func(t *teardown) bool { return t.namespace == "" }), nil
}

// markAbsent returns a copy of a list in which the sandboxes of a cluster are absent, without those that already are, and
// the teardowns to be filled.
func markAbsent(list *krm.ResourceList, cluster string) (*krm.ResourceList, []*teardown, error) {
	var order []*teardown
	absent := krm.NewList()
	for _, item := range list.Items() {
		if _, isRendered := item.Annotation(contract.RenderedByKey); isRendered {
			continue
		}
		if item.APIVersion() != contract.APIVersion || item.Kind() != contract.Sandbox {
			absent.Append(item)
			continue
		}
		s, _ := document.ReadSandbox(item)
		id, err := s.ID()
		isAbsent, wrong := s.IsAbsent()
		if err != nil || wrong != nil || isAbsent || cluster != "" && s.Cluster() != cluster {
			continue
		}
		text, err := item.Bytes()
		if err != nil {
			return nil, nil, err
		}
		own, err := krm.NewItem(bytes.Clone(text))
		if err != nil {
			return nil, nil, err
		}
		own.Annotate(contract.StateKey, "absent")
		absent.Append(own)
		order = append(order, &teardown{item: item, id: id, name: s.LowerName()})
	}
	return absent, order, nil
}

// collect gives each sandbox its objects, and the scripts that they name, in the order of the render.
func collect(sandboxes map[string]*teardown, objects []*krm.Item) error {
	type object struct {
		item *krm.Item
		text []byte
		id   string
	}
	texts := make([]object, len(objects))
	own := map[string][]byte{}
	for i, item := range objects {
		text, err := item.Bytes()
		if err != nil {
			return err
		}
		id, _ := item.Annotation(contract.SandboxIDKey)
		texts[i] = object{item, text, id}
		own[id] = append(own[id], text...)
		if t := sandboxes[id]; t != nil && (t.namespace == "" || item.Namespace() < t.namespace) {
			t.namespace = item.Namespace()
		}
	}
	for _, o := range texts {
		if t := sandboxes[o.id]; t != nil {
			t.add(o.text)
			continue
		}
		for id, t := range sandboxes {
			if bytes.Contains(own[id], []byte(o.item.Name())) {
				t.add(o.text)
			}
		}
	}
	return nil
}

func (t *teardown) add(text []byte) {
	if len(t.text) > 0 {
		t.text = append(t.text, "---\n"...)
	}
	t.text = append(t.text, text...)
}

// object returns the ConfigMap, or the reason why it cannot be made. It is kept when the sandbox is no longer rendered, as
// are Secrets: it is needed then.
func (t *teardown) object(options *render.Options, owner string, index int) (*corev1.ConfigMap, string) {
	var data bytes.Buffer
	writer, _ := gzip.NewWriterLevel(&data, gzip.BestCompression) // the level is valid
	_, _ = writer.Write(t.text)                                   // to memory
	_ = writer.Close()
	if data.Len() > MaxSize {
		return nil, fmt.Sprintf("the teardown must have at most %d MiB when it is compressed, not %d bytes: set undo to false, "+
			"or make several sandboxes of it", MaxSize>>20, data.Len())
	}
	sum := sha256.Sum256(t.text)
	metadata := metav1.ObjectMeta{
		Name:      contract.ObjectName(contract.Hash("teardown", t.id), t.name, "teardown"),
		Namespace: t.namespace,
		Labels: map[string]string{
			contract.ManagedByKey: contract.ManagedBy, contract.SandboxKey: contract.LabelValue(t.name), contract.SandboxIDKey: t.id,
		},
		Annotations: map[string]string{
			contract.SandboxKey: t.name, contract.SandboxIDKey: t.id, contract.RenderedByKey: owner,
			DigestKey: "sha256:" + hex.EncodeToString(sum[:]),
		},
	}
	for key, value := range options.Delivered("Secret", false, index) {
		metadata.Annotations[key] = value
	}
	return &corev1.ConfigMap{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: metadata,
		BinaryData: map[string][]byte{DataKey: data.Bytes()},
	}, ""
}
