package rplug

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Comments stay with the keys and elements that they are about.
func TestWithComments(t *testing.T) {
	t.Parallel()
	const older = `# The plugins of the platform team.

# Ask them first.
apiVersion: v1
kind: Catalog # not a list
spec: # ours
  plugins:
  # for orders
  - name: hello-db # called so by all
    versions:
    # the first one
    - version: 1.0.0
      digest: sha256:a # signed
    - version: 0.9.0 # gone
  # the last one
  - name: other
    versions: []
# the end
`
	const printed = `apiVersion: v1
kind: Catalog
spec:
  plugins:
  - name: a-new-one
    versions: []
  - name: hello-db
    versions:
    - version: 1.1.0
      digest: sha256:b
    - version: 1.0.0
      digest: sha256:a
  - name: other
    versions: []
`
	const want = `# The plugins of the platform team.
# Ask them first.
apiVersion: v1
kind: Catalog # not a list
spec: # ours
  plugins:
  - name: a-new-one
    versions: []
  # for orders
  - name: hello-db # called so by all
    versions:
    - version: 1.1.0
      digest: sha256:b
    # the first one
    - version: 1.0.0
      digest: sha256:a # signed
  # the last one
  - name: other
    versions: []
# the end
`
	assert.Equal(t, want, string(withComments([]byte(older), []byte(printed))))
	assert.Equal(t, want, string(withComments([]byte(want), []byte(printed))), "again")
	assert.Equal(t, printed, string(withComments([]byte("a: [\n"), []byte(printed))), "not YAML")
	assert.Equal(t, printed, string(withComments(nil, []byte(printed))), "a new file")
}
