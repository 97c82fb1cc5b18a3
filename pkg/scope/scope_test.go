package scope_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/krm/process"
	"github.com/resource-plugins/krm-functions/pkg/scope"
)

type inCluster string

func (c inCluster) Cluster() string { return string(c) }

// What is left of sandboxes, and what is said, for the cluster that a config names. A config that must choose is refused:
// the scripts of the functions show how.
func TestOneCluster(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		sandboxes []inCluster
		cluster   string
		want      []inCluster
		warning   string
	}{
		"none":              {},
		"of the only one":   {sandboxes: []inCluster{"a", "a"}, want: []inCluster{"a", "a"}},
		"of the one named":  {sandboxes: []inCluster{"a", "b", "a"}, cluster: "a", want: []inCluster{"a", "a"}},
		"of none of them":   {sandboxes: []inCluster{"a", "b"}, cluster: "c", warning: `no sandbox is of cluster "c": nothing is rendered`},
		"named, none there": {cluster: "c"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			call := process.Call{List: &krm.ResourceList{}}
			got, ok := scope.OneCluster(call, test.sandboxes, test.cluster)
			assert.True(t, ok)
			assert.ElementsMatch(t, test.want, got)
			if test.warning == "" {
				assert.Empty(t, call.List.Results())
			} else if assert.Len(t, call.List.Results(), 1) {
				assert.Equal(t, test.warning, call.List.Results()[0].Message)
			}
		})
	}
}
