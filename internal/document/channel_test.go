package document_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/document"
)

// TestChannels checks that exactly the valid names of channels are read as channels.
func TestChannels(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"stable", "next", "a", "lts-2026", "candidate-1", strings.Repeat("c", 63)} {
		require.NoError(t, document.CheckChannel(name))
		reference, err := document.ParsePluginReference("hello-db@" + name)
		require.NoError(t, err)
		assert.Equal(t, name, reference.Channel)
		assert.True(t, reference.Floats())
		assert.False(t, reference.Ranges())
		assert.Equal(t, "hello-db@"+name, reference.String())
	}
	const form = "lower-case letters"
	for name, want := range map[string]string{
		"": form, "Stable": form, "1x": form, "-a": form, "a-": form, "a.b": form, "a b": form, "é": form,
		strings.Repeat("c", 63+1): form,
		"latest":                  "the highest version",
		"v1":                      "must not read as a version",
		"v1-stable":               "must not read as a version",
		"x":                       "or as a range",
	} {
		require.ErrorContains(t, document.CheckChannel(name), want, name)
		if reference, err := document.ParsePluginReference("hello-db@" + name); err == nil {
			assert.Empty(t, reference.Channel, name)
		}
	}
}
