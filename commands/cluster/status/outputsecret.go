package status

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/engine"
)

// outputSecret is the metadata of a Secret, and the names of its keys. Values are never read.
type outputSecret struct {
	metav1.PartialObjectMetadata
	// Type is set if the whole Secret was printed.
	Type string `json:"type"`
	// Data has the keys of a whole Secret.
	Data keyNames `json:"data"`

	keys map[string]bool // nil if they are not known
}

// keyNames are the keys of a mapping, whose values are not kept.
type keyNames []string

// UnmarshalJSON implements json.Unmarshaler. Something else than a mapping has no keys.
func (k *keyNames) UnmarshalJSON(text []byte) error {
	var mapping map[string]json.RawMessage
	if json.Unmarshal(text, &mapping) == nil {
		*k = slices.Sorted(maps.Keys(mapping))
	}
	return nil
}

// findKeys finds the names of the keys: those of the data, or if only the metadata was printed, those whose managers it
// lists.
func (s *outputSecret) findKeys() {
	if s.Type != "" {
		s.keys = map[string]bool{}
		for _, key := range s.Data {
			s.keys[key] = true
		}
		return
	}
	for _, manager := range s.ManagedFields {
		var fields struct {
			Data keyNames `json:"f:data"`
		}
		if manager.FieldsV1 == nil || json.Unmarshal(manager.FieldsV1.GetRawBytes(), &fields) != nil {
			continue
		}
		if s.keys == nil {
			s.keys = map[string]bool{}
		}
		for _, key := range fields.Data {
			if name, isKey := strings.CutPrefix(key, "f:"); isKey {
				s.keys[name] = true
			}
		}
	}
}

// lacksKey returns the first of the keys that the Secret does not have.
func (s *outputSecret) lacksKey(keys []string) (key string, lacks bool) {
	if s.keys == nil {
		return "", false
	}
	i := slices.IndexFunc(keys, func(key string) bool { return !s.keys[key] })
	if i < 0 {
		return "", false
	}
	return keys[i], true
}

func (s *outputSecret) phase() string { return s.Labels[contract.PhaseKey] }

// step returns the name of the step or helper that publishes to the Secret.
func (s *outputSecret) step() string {
	return cmp.Or(s.Labels[contract.StepKey], s.Labels[contract.HelperKey])
}

// published returns the generation of the outputs in the Secret; empty if it has no outputs.
func (s *outputSecret) published() string { return s.Annotations[contract.PublishedKey] }

// publication returns the name of the publication of the outputs; empty if it has none.
func (s *outputSecret) publication() string { return s.Annotations[contract.PublicationKey] }

// isCurrent reports whether the Secret has the outputs of the render that was applied last.
func (s *outputSecret) isCurrent() bool {
	return s.published() != "" && s.published() == s.Annotations[contract.GenerationKey]
}

// publisher returns the missing task of a Secret, as it must have been rendered.
func (s *outputSecret) publisher() *task {
	return &task{isMissing: true, State: &engine.State{
		ObjectMeta: metav1.ObjectMeta{Name: unnamed, Namespace: s.Namespace, Labels: s.Labels, Annotations: s.Annotations},
		Secrets:    map[string]string{contract.OutputSecretKey: s.Name},
	}}
}

// presumed returns the Secrets as they should be, given the tasks, if no one has changed them since. It is for callers that
// may not read Secrets.
func (f *found) presumed() []*outputSecret {
	var all []*outputSecret
	cleaned := slices.ContainsFunc(f.current, func(t *task) bool {
		return t.helper() == contract.HelperCleanup && t.End == engine.Complete
	})
	if cleaned {
		return nil
	}
	known := map[string]bool{}
	for _, t := range slices.Concat(f.current, f.older) {
		if name, namespace := t.output(), t.outputNamespace(); name != "" && !known[namespace+"/"+name] {
			known[namespace+"/"+name] = true
			all = append(all, presume(t, name, namespace))
		}
	}
	for _, t := range f.current {
		for _, name := range t.inputs() {
			if !known[t.Namespace+"/"+name] { // of the create phase, whose workloads no longer exist
				known[t.Namespace+"/"+name] = true
				s := presume(t, name, t.Namespace)
				s.Labels[contract.PhaseKey] = string(v1alpha1.PhaseCreate)
				s.Annotations = map[string]string{contract.GenerationKey: unnamed, contract.PublishedKey: unnamed}
				all = append(all, s)
			}
			if to := t.copyTo(); to != "" && t.output() == "" {
				all = append(all, presume(t, name, to))
			}
		}
	}
	return all
}

// presume returns the Secret that a task writes.
func presume(t *task, name, namespace string) *outputSecret {
	s := &outputSecret{}
	s.Name, s.Namespace, s.Labels = name, namespace, maps.Clone(t.Labels)
	s.Annotations = map[string]string{contract.GenerationKey: t.generation()}
	if t.output() != name {
		delete(s.Labels, contract.HelperKey)
	}
	if t.End == engine.Complete {
		s.Annotations[contract.PublishedKey] = t.generation()
	}
	return s
}
