package krm

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An object whose identity depends on the reader is found, however it is written; a list is scanned, a tree is walked.
func TestCheckIdentity(t *testing.T) {
	t.Parallel()
	const head = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
	for want, text := range map[string]string{
		"kind must not be given twice":  "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\nkind: Service\n",
		"apiVersion must not be given":  "apiVersion: v1\nkind: A\n\"apiVersion\": v1\nmetadata:\n  name: a\n",
		"metadata must not be given":    "apiVersion: v1\nkind: A\nmetadata:\n  name: a\nmetadata:\n  name: b\n",
		"metadata.name must not be":     "apiVersion: v1\nkind: A\nmetadata:\n  name: a\n  'name': b\n",
		"metadata.namespace must not":   "apiVersion: v1\nkind: A\nmetadata:\n  name: a\n  namespace: b\n  labels: {a: b}\n  namespace: c\n",
		`["<<"] must not be used`:       "x: &x {kind: Service}\napiVersion: v1\nkind: A\nmetadata:\n  name: a\n<<: *x\n",
		`metadata["<<"] must not be`:    "apiVersion: v1\nkind: A\nmetadata:\n  name: a\n  <<: {namespace: b}\n",
		`kind must not be given twice:`: "apiVersion: v1\nkind: A\nmetadata:\n  name: a\n\"k\\u0069nd\": B\n",
		"":                              "apiVersion: v1\nkind: A\nmetadata:\n  name: a\n  labels:\n    name: b\nspec:\n  kind: b\n  kind: c\n",
	} {
		item := "- " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ") + "\n"
		list, err := Parse([]byte(head + item))
		require.NoError(t, err)
		raw, err := NewItem([]byte(text))
		require.NoError(t, err)
		for _, one := range []*Item{list.Items()[0], raw, FromNode(parsed(t, text), "x.yaml")} {
			if err := one.CheckIdentity(); want != "" {
				assert.ErrorContains(t, err, want, text)
			} else {
				assert.NoError(t, err, text)
				assert.ErrorContains(t, one.CheckKeys(), "spec.kind must not be given twice: remove one of them")
			}
		}
	}
}
