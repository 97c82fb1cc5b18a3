package document

import (
	"fmt"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// StatePath and IDPath are the annotations that IsAbsent and ID read.
func StatePath() krm.Path { return krm.Path("metadata.annotations").Key(contract.StateKey) }

// IDPath is the annotation that gives a sandbox its id.
func IDPath() krm.Path { return krm.Path("metadata.annotations").Key(contract.SandboxIDKey) }

// IsAbsent tells whether the sandbox is on its way out, as its annotation contract.StateKey says.
func (s *Sandbox) IsAbsent() (bool, error) {
	switch state, _ := s.Item.Annotation(contract.StateKey); state {
	case "absent":
		return true, nil
	case "", "present":
		return false, nil
	default:
		return false, fmt.Errorf("must be absent or present, not %q", state)
	}
}

// ID returns what scripts and objects are named after: derived from cluster and name, or as the annotation
// contract.SandboxIDKey gives it.
func (s *Sandbox) ID() (string, error) {
	id, given := s.Item.Annotation(contract.SandboxIDKey)
	if !given {
		return contract.DeriveSandboxID(s.Spec.Cluster, s.LowerName()), nil
	}
	return id, contract.CheckSandboxID(id)
}
