package render_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

type inCluster string

func (c inCluster) Cluster() string { return string(c) }

// The remaining sandboxes and the warning for the cluster that a config names.
func TestOneCluster(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		sandboxes []inCluster
		cluster   string
		want      []inCluster
		warning   string
	}{
		"none":             {},
		"of the only one":  {sandboxes: []inCluster{"a", "a"}, want: []inCluster{"a", "a"}},
		"of the one named": {sandboxes: []inCluster{"a", "b", "a"}, cluster: "a", want: []inCluster{"a", "a"}},
		"of none of them": {
			sandboxes: []inCluster{"a", "b"}, cluster: "c", warning: `no sandbox is of cluster "c": nothing is rendered`,
		},
		"named, none there": {cluster: "c"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list := &krm.ResourceList{}
			got, err := render.OneCluster(list, test.sandboxes, test.cluster, false)
			require.NoError(t, err)
			assert.ElementsMatch(t, test.want, got)
			if test.warning == "" {
				assert.Empty(t, list.Results())
			} else if assert.Len(t, list.Results(), 1) {
				assert.Equal(t, test.warning, list.Results()[0].Message)
			}
		})
	}
}

// A config that must name a cluster, or that names one without sandboxes, is refused with the possible names.
func TestClusterMustBeChosen(t *testing.T) {
	t.Parallel()
	sandboxes := []inCluster{"staging", "a", "staging", "c"}
	for cluster, want := range map[string]string{
		"":       "cluster: must be set, since there are sandboxes of several clusters: one of a, c, staging",
		"stagin": `cluster: no sandbox is of cluster "stagin": did you mean "staging"? Give --allow-empty to render nothing`,
		"demo":   `cluster: no sandbox is of cluster "demo": did you mean "a", "c", "staging"? Give --allow-empty to render nothing`,
	} {
		list := &krm.ResourceList{}
		got, err := render.OneCluster(list, sandboxes, cluster, true)
		assert.Empty(t, got)
		assert.Empty(t, list.Results())
		assert.EqualError(t, err, want)
	}
}

// Our own documents are marked as input; all others, and those already marked, stay the same byte for byte.
func TestMarkInputs(t *testing.T) {
	t.Parallel()
	const head = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
	const local = "config.kubernetes.io/local-config"
	for name, c := range map[string]struct{ item, want string }{
		"a sandbox": {
			"- apiVersion: resourceplugins.dev/v1alpha1\n  kind: Sandbox\n  metadata:\n    name: x # mine\n",
			"- apiVersion: resourceplugins.dev/v1alpha1\n  kind: Sandbox\n  metadata:\n    name: x # mine\n" +
				"    annotations:\n      " + local + ": \"true\"\n",
		},
		"one that says otherwise": {
			"- apiVersion: resourceplugins.dev/v1alpha1\n  kind: X\n  metadata:\n    name: x\n    annotations:\n      " + local + ": \"false\"\n",
			"- apiVersion: resourceplugins.dev/v1alpha1\n  kind: X\n  metadata:\n    name: x\n    annotations:\n      " + local + ": \"true\"\n",
		},
		"one that is marked": {
			"- {apiVersion: resourceplugins.dev/v1alpha1, kind: X, metadata: {name: x, annotations: {" + local + ": 'true'}}}\n", "",
		},
		"a Deployment":       {"- {apiVersion: apps/v1, kind: Deployment, metadata: {name: x}}\n", ""},
		"of another group":   {"- {apiVersion: resourceplugins.example/v1alpha1, kind: Sandbox, metadata: {name: x}}\n", ""},
		"of another version": {"- {apiVersion: resourceplugins.dev/v1, kind: Sandbox, metadata: {name: x}}\n", ""},
	} {
		list, err := krm.Parse([]byte(head + c.item))
		require.NoError(t, err, name)
		render.MarkInputs(list)
		var out bytes.Buffer
		_, err = list.WriteTo(&out)
		require.NoError(t, err, name)
		want := head + c.item
		if c.want != "" {
			want = head + c.want
		}
		assert.Equal(t, want, out.String(), name)
	}
}
