package localrun

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A fault of the template that all steps have is one error.
func TestProblemsNameEachFaultOnce(t *testing.T) {
	t.Parallel()
	var found problems
	require.NoError(t, found.err())
	for _, step := range []string{"db/a", "db/b", "db/c", "db/d"} {
		found.add(step, "spec.containers[main].env[USER]", `secret "admin" must exist`)
		found.add(step, "spec.containers[main].env[PASSWORD]", `secret "admin" must exist`)
	}
	found.add("db/b", "spec.volumes[conf]", "must have a key")
	require.EqualError(t, found.err(), `steps "db/a", "db/b", "db/c" and 1 more: podTemplateOverlay: `+
		"spec.containers[main].env[USER] and 1 more: secret \"admin\" must exist\n"+
		`step "db/b": podTemplateOverlay: spec.volumes[conf]: must have a key`)
}
