package document

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Sandbox is a Sandbox document.
type Sandbox struct {
	// Item is the document as it was read.
	Item *krm.Item
	// Name is the name as written; the server folds it to lower case.
	Name string
	// Spec is the decoded part of the document's spec.
	Spec v1alpha1.SandboxSpec
}

// ReadSandbox decodes a Sandbox document. It returns the decoded part, and a problem for everything else.
func ReadSandbox(item *krm.Item) (*Sandbox, []strictyaml.Problem) {
	s := &Sandbox{Item: item, Name: item.Name()}
	return s, ReadSpec(item, &s.Spec)
}

// LowerName returns the name that identifies the sandbox within its cluster: names that differ only in case are the same
// (https://www.signadot.com/docs/reference/sandboxes/spec, name).
func (s *Sandbox) LowerName() string { return strings.ToLower(s.Name) }

// Cluster returns the name of the sandbox's cluster.
func (s *Sandbox) Cluster() string { return s.Spec.Cluster }

// StatePath is the path of the annotation that IsAbsent reads.
func StatePath() krm.Path { return krm.Path("metadata.annotations").Key(contract.StateKey) }

// IDPath is the path of the annotation that sets a sandbox's id.
func IDPath() krm.Path { return krm.Path("metadata.annotations").Key(contract.SandboxIDKey) }

// IsAbsent reports whether the sandbox is to be torn down: its annotation resourceplugins.dev/state is "absent". A
// sandbox without the annotation is present. Any other value than "absent" and "present" is an error, of the rule
// sandbox-state.
func (s *Sandbox) IsAbsent() (bool, error) { return IsAbsent(s.Item) }

// IsAbsent is Sandbox.IsAbsent for any rendered document.
func IsAbsent(item *krm.Item) (bool, error) {
	switch state, _ := item.Annotation(contract.StateKey); state {
	case contract.Absent:
		return true, nil
	case "", contract.Present:
		return false, nil
	default:
		return false, fmt.Errorf("must be %q or %q, not %q", contract.Absent, contract.Present, state)
	}
}

// ForkStartPath is the path of the annotation that ForksLast reads.
func ForkStartPath() krm.Path { return krm.Path("metadata.annotations").Key(contract.ForkStartKey) }

// ForksLast reports whether the sandbox's forks start when all create steps are done: its annotation
// resourceplugins.dev/fork-start is "after-create". Any other value is an error, of the rule fork-start.
func (s *Sandbox) ForksLast() (bool, error) {
	switch start, isSet := s.Item.Annotation(contract.ForkStartKey); {
	case start == "after-create":
		return true, nil
	case isSet:
		return false, fmt.Errorf(
			`must be "after-create", not %q: without the annotation, a fork waits for the outputs that it uses`, start)
	}
	return false, nil
}

// SkipDeletePath is the path of the annotation with the delete steps that are given up.
func SkipDeletePath() krm.Path { return krm.Path("metadata.annotations").Key(contract.SkipDeleteKey) }

// SkippedSteps returns the names of the delete steps that an annotation gives up, by the resources of a sandbox.
func SkippedSteps(text string, spec *v1alpha1.SandboxSpec) (map[string][]string, error) {
	steps := map[string][]string{}
	for entry := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' }) {
		entry = strings.TrimSpace(entry)
		resource, step, _ := strings.Cut(entry, "/")
		if resource == "" || step == "" || strings.Contains(step, "/") {
			return nil, fmt.Errorf("must be RESOURCE/STEP, several separated by commas, not %q", entry)
		}
		if !slices.ContainsFunc(spec.Resources, func(r v1alpha1.SandboxResource) bool { return r.Name == resource }) {
			return nil, fmt.Errorf("the sandbox must have the resource of %q", entry)
		}
		steps[resource] = append(steps[resource], step)
	}
	return steps, nil
}

// ID returns the id that scripts and names of objects use: the value of the annotation resourceplugins.dev/sandbox-id,
// or an id derived from cluster and name. An invalid annotation is an error.
func (s *Sandbox) ID() (string, error) {
	id, given := s.Item.Annotation(contract.SandboxIDKey)
	if !given {
		return contract.DeriveSandboxID(s.Spec.Cluster, s.LowerName()), nil
	}
	return id, contract.CheckSandboxID(id)
}
