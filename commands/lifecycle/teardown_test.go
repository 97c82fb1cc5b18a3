package lifecycle

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A teardown in a cluster may have been written by anyone who may write a ConfigMap there: it must not reach further than that.
func TestTeardown_staysInItsNamespace(t *testing.T) {
	t.Parallel()
	const labels = "labels: {resourceplugins.dev/sandbox-id: one}"
	for name, test := range map[string]struct{ object, want string }{
		"a Job":             {"apiVersion: batch/v1\nkind: Job\nmetadata: {name: a, namespace: ns, " + labels + "}", ""},
		"a script":          {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: ns}", ""},
		"a Role":            {"apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: a, namespace: ns, " + labels + "}", ""},
		"of another one":    {"apiVersion: batch/v1\nkind: Job\nmetadata: {name: a, namespace: ns, labels: {resourceplugins.dev/sandbox-id: two}}", "another sandbox"},
		"without an owner":  {"apiVersion: batch/v1\nkind: Job\nmetadata: {name: a, namespace: ns}", "another sandbox"},
		"another namespace": {"apiVersion: batch/v1\nkind: Job\nmetadata: {name: a, namespace: other, " + labels + "}", `namespace "other"`},
		"no namespace":      {"apiVersion: v1\nkind: Secret\nmetadata: {name: a, " + labels + "}", `namespace ""`},
		"cluster-wide": {
			"apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: a, namespace: ns, " + labels + "}",
			"ClusterRoleBinding",
		},
		"another group": {"apiVersion: x.example/v1\nkind: Job\nmetadata: {name: a, namespace: ns, " + labels + "}", "x.example/v1 Job"},
		"a binding to a ClusterRole": {
			"apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: a, namespace: ns, " + labels + "}\n" +
				"roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}", "ClusterRole",
		},
	} {
		err := eachObject([]byte(test.object), (&leftover{ID: "one"}).ownCheck("ns"))
		if test.want == "" {
			require.NoError(t, err, name)
			continue
		}
		require.Error(t, err, name)
		assert.Contains(t, err.Error(), test.want, name)
	}
}
