package v0_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// `make oracle` builds the tool from the code of v0.10.0.
func TestTypes_areThoseOfV010(t *testing.T) {
	t.Parallel()
	want, err := exec.Command(checkout.Tool(t, "crossplane"), "types").Output()
	require.NoError(t, err)
	const file = "zz_generated.types.go"
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(file, want, 0o600))
	}
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got), "run UPDATE_GOLDEN=1 go test ./stacks/api/v0")
}
