package document

import (
	"maps"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// OutputSecret is an OutputSecret document.
type OutputSecret struct {
	// Item is the document as it was read.
	Item *krm.Item
	// Name and Namespace are those of the Secret.
	Name, Namespace string
	// Spec is the decoded part of the document's spec.
	Spec v1alpha1.OutputSecretSpec
}

// MaxSecretKey is the longest key of an OutputSecret in bytes: the Secret also has it with the generation at its end.
const MaxSecretKey = 240

// ReadOutputSecret decodes an OutputSecret document. It returns the decoded part, and a problem for everything else.
func ReadOutputSecret(item *krm.Item) (*OutputSecret, []strictyaml.Problem) {
	s := &OutputSecret{Item: item, Name: item.Name(), Namespace: item.Namespace()}
	return s, ReadSpec(item, &s.Spec)
}

// Keys returns the keys of the Secret, sorted.
func (s *OutputSecret) Keys() []string { return slices.Sorted(maps.Keys(s.Spec.Data)) }

// OutputSecrets finds those of a sandbox.
type OutputSecrets map[string][]*OutputSecret

// Add adds an OutputSecret.
func (o OutputSecrets) Add(s *OutputSecret) {
	sandbox := strings.ToLower(s.Spec.Sandbox)
	o[sandbox] = append(o[sandbox], s)
}

// Of returns those with outputs of a sandbox, in the order in which they were added: those that have its name, and
// those that have the name that it had before kustomize gave it a prefix or suffix.
func (o OutputSecrets) Of(sandbox *krm.Item) []*OutputSecret {
	name, former := strings.ToLower(sandbox.Name()), strings.ToLower(Identity(sandbox))
	if name == former {
		return o[name]
	}
	return slices.Concat(o[name], o[former])
}

// Generation is a hash of everything that the content of the Secret depends on: the generations of the steps, by name, whose
// outputs it has, and their keys.
func (s *OutputSecret) Generation(generations map[string]string) string {
	keys := s.Keys()
	hashed := append(make([]string, 0, 1+3*len(keys)), contract.OutputSecret)
	for _, key := range keys {
		hashed = append(hashed, key, s.Spec.Data[key], generations[s.Spec.Output(key).Name])
	}
	return contract.Hash(hashed...)
}
