package resolve

import (
	"fmt"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/digest"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/internal/version"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Rule is the id of what a lock must keep beyond the form of its fields.
const RuleLock = "plugin-lock"

// checkEntry returns what is wrong with an entry, nil where nothing is.
func checkEntry(e v1alpha1.LockEntry, at krm.Path) *strictyaml.Problem {
	var problem strictyaml.Problem
	reference, err := version.ParseReference(e.Asked)
	chosen, chosenErr := version.ParseName(e.Chosen)
	switch {
	case err != nil:
		problem = fault(at.Key("asked"), "must be a reference to a plugin: %s", err)
	case chosenErr != nil:
		problem = fault(at.Key("chosen"), "must be a version in full, such as hello-db@1.0.0: %s", chosenErr)
	case chosen.String() != e.Chosen:
		problem = fault(at.Key("chosen"), "must be a version in full: write %q", chosen)
		problem.Proposed = chosen.String()
	case chosen.Bare != reference.Bare:
		problem = fault(at.Key("chosen"), "must be a version of %q, not %q", reference.Bare, e.Chosen)
	case !reference.Admits(chosen.Version):
		problem = fault(at.Key("chosen"), "must be what %q allows, not %q: run mode update", e.Asked, e.Chosen)
	case !digest.Valid(e.Digest):
		problem = fault(at.Key("digest"), "must be sha256: and 64 hexadecimal digits in lower case, not %q", e.Digest)
	default:
		return nil
	}
	return &problem
}

func fault(at krm.Path, format string, args ...any) strictyaml.Problem {
	return strictyaml.Problem{Rule: RuleLock, Severity: krm.Error, Path: at, Message: fmt.Sprintf(format, args...)}
}
