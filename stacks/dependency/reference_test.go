package dependency

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
)

func TestPins(t *testing.T) {
	t.Parallel()
	for selector, want := range map[string]bool{
		"": false, "latest": false, "v1.0.0": true, "1.0.0": true, "=1.0.0": true, "= v1.0.0-rc.1": true, "main": true,
		"1.0": false, "v1": false, "^1.0.0": false, ">=1.0.0": false, "1.x": false, "*": false,
	} {
		assert.Equal(t, want, pins(selector), selector)
	}
}

func modeOf(mode string) v1alpha1.ResolveVersion { return v1alpha1.ResolveVersion{Mode: mode} }
