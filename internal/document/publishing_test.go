package document_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/document"
)

// The words are those of the vendor's API: people search for them.
func TestRefusalsAreInTheVendorsWords(t *testing.T) {
	t.Parallel()
	name := func(text string) document.PluginName {
		name, err := document.ParsePluginName(text)
		require.NoError(t, err)
		return name
	}
	const versioned = `resource plugin "db" version "1.0.0" already exists; versions are immutable — ` +
		`bump the @<semver> suffix on name: to publish a new revision`
	const bare = `resource plugin "db" default version (0.0.0) already exists; versions are immutable — ` +
		`add an @<semver> suffix to publish a new revision (e.g. db@0.0.1)`
	assert.Equal(t, versioned, document.AlreadyExists(name("db@v1.0")))
	assert.Equal(t, bare, document.AlreadyExists(name("db")))
	assert.Equal(t, bare, document.AlreadyExists(name("db@0.0.0")))
	assert.Equal(t, "resource plugin db@1.0.0 is still referenced by sandbox(es): a, b",
		document.StillReferenced(name("db@1").Shown(), "a, b"))
	assert.Equal(t, "resource plugin db is still referenced by sandbox(es): a", document.StillReferenced(name("db").Shown(), "a"))
}
