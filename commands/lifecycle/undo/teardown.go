package undo

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/commands/lifecycle/expiry"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/engines"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

// teardown is the delete phase of a sandbox.
type teardown struct {
	item      *krm.Item
	id, name  string
	namespace string
	text      []byte
	// objects are those of the text.
	objects []*krm.Item
}

// teardowns renders the delete phases of the sandboxes that are present, in their order; those without have no namespace.
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
	if options.Expiry != "" { // the delete steps wait in the cluster for the end of the forks, as with Helm
		options.Delivery, options.PostRender = "helm", true
	}
	options.Expiry = ""
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
	return order, nil
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
		if err := item.Parse(); err != nil {
			return nil, nil, err
		}
		own := krm.FromSource(item.RNode().Copy().YNode(), nil)
		own.Annotate(contract.StateKey, contract.Absent)
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
	all := make([]object, len(objects))
	own := map[string][][]byte{}
	for i, item := range objects {
		text, err := item.Bytes()
		if err != nil {
			return err
		}
		id, _ := item.Annotation(contract.SandboxIDKey)
		all[i] = object{item, text, id}
		own[id] = append(own[id], text)
		isWorkload := slices.Contains(engines.Workloads(), item.Kind())
		if t := sandboxes[id]; t != nil && isWorkload && (t.namespace == "" || item.Namespace() < t.namespace) {
			t.namespace = item.Namespace()
		}
	}
	texts := map[*teardown][][]byte{}
	add := func(t *teardown, o object) { t.objects, texts[t] = append(t.objects, o.item), append(texts[t], o.text) }
	for _, o := range all {
		if t := sandboxes[o.id]; t != nil {
			add(t, o)
			continue
		}
		for id, t := range sandboxes {
			name := []byte(o.item.Name())
			if slices.ContainsFunc(own[id], func(text []byte) bool { return bytes.Contains(text, name) }) {
				add(t, o)
			}
		}
	}
	for t, parts := range texts {
		t.text = bytes.Join(parts, []byte("---\n"))
	}
	return nil
}

// object returns the ConfigMap, with the plan of a sandbox that expires, or the reason why it cannot be made. It is
// kept when the sandbox is no longer rendered, as are Secrets: it is needed then.
func (t *teardown) object(
	options *render.Options, owner string, index int, e *expiring, created []*krm.Item,
) (*corev1.ConfigMap, string) {
	data := map[string][]byte{DataKey: compressed(t.text)}
	if e != nil {
		data[expiry.PlanKey] = compressed(e.plan)
	}
	size := 0
	for _, one := range data {
		size += len(one)
	}
	if size > MaxSize {
		return nil, fmt.Sprintf("the teardown must have at most %d MiB when it is compressed, not %d bytes: set undo to false, "+
			"or make several sandboxes of it", MaxSize>>20, size)
	}
	sum := sha256.Sum256(t.text)
	metadata := t.metadata(owner)
	metadata.Annotations[DigestKey] = "sha256:" + hex.EncodeToString(sum[:])
	document, err := t.item.RNode().MarshalJSON()
	if err != nil {
		return nil, err.Error()
	}
	if metadata.Annotations[expiry.DocumentKey], err = DocumentDigest(document); err != nil {
		return nil, err.Error()
	}
	if metadata.Annotations[GenerationsKey], err = generationsOf(created); err != nil {
		return nil, err.Error()
	}
	for key, value := range options.Delivered("Secret", false, index) {
		metadata.Annotations[key] = value
	}
	if e != nil {
		e.annotate(metadata.Annotations)
	}
	return &corev1.ConfigMap{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: metadata, BinaryData: data,
	}, ""
}

// metadata returns that of the ConfigMap.
func (t *teardown) metadata(owner string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name:      contract.ObjectName(contract.Hash("teardown", t.id), t.name, "teardown"),
		Namespace: t.namespace,
		Labels: map[string]string{
			contract.ManagedByKey: contract.ManagedBy, contract.SandboxKey: contract.LabelValue(t.name), contract.SandboxIDKey: t.id,
		},
		Annotations: map[string]string{
			contract.SandboxKey: t.name, contract.SandboxIDKey: t.id, contract.RenderedByKey: owner,
		},
	}
}

// writers are reused: each has a megabyte.
var writers = sync.Pool{New: func() any {
	writer, _ := gzip.NewWriterLevel(nil, gzip.BestCompression) // the level is valid
	return writer
}}

func compressed(text []byte) []byte {
	var data bytes.Buffer
	writer := writers.Get().(*gzip.Writer)
	defer writers.Put(writer)
	writer.Reset(&data)
	_, _ = writer.Write(text) // to memory
	_ = writer.Close()
	return data.Bytes()
}
