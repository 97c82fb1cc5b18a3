package lock

import (
	"fmt"

	"github.com/resource-plugins/krm-functions/pkg/decode"
	"github.com/resource-plugins/krm-functions/pkg/digest"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/version"
)

// Rule is the id of what a lock must keep beyond the form of its fields.
const Rule = "plugin-lock"

// checkEntry returns what is wrong with an entry, nil where nothing is.
func checkEntry(e Entry, at krm.Path) *decode.Problem {
	var problem decode.Problem
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

func fault(at krm.Path, format string, args ...any) decode.Problem {
	return decode.Problem{Rule: Rule, Severity: krm.Error, Path: at, Message: fmt.Sprintf(format, args...)}
}
