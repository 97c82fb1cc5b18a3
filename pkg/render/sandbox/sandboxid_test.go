package sandbox

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

const forkOfWebElsewhere = `apiVersion: resourceplugins.dev/v1alpha1
kind: Sandbox
metadata: {name: other, annotations: {resourceplugins.dev/sandbox-id: mine}}
spec: {cluster: c, forks: [{forkOf: {kind: Deployment, namespace: shop, name: web}}]}
`

const groupOfWeb = `apiVersion: resourceplugins.dev/v1alpha1
kind: RouteGroup
metadata: {name: g}
spec: {match: {label: {key: in, value: g}}}
`

const labelledFork = `apiVersion: resourceplugins.dev/v1alpha1
kind: Sandbox
metadata: {name: s}
spec: {cluster: c, labels: {in: g}, forks: [{forkOf: {kind: Deployment, namespace: shop, name: web}}]}
`

// Objects that are useless without a sandbox's forks have its id as a label and an annotation. Deleting by that label
// removes everything of the sandbox and nothing of the others.
func TestRender_labelsWithSandboxID(t *testing.T) {
	t.Parallel()
	id := contract.DeriveSandboxID("c", "s")
	for name, c := range map[string]struct {
		routing   string
		documents []string
		want      map[string][]string // ids by kind
	}{
		"no routes": {none, []string{labelledFork}, map[string][]string{"Deployment": {id}, "Service": {id}}},
		"HTTPRoutes, of the group too": {gatewayAPI, []string{labelledFork, forkOfWebElsewhere, groupOfWeb}, map[string][]string{
			"Deployment": {id, "mine"}, "Service": {id, "mine"}, "HTTPRoute": {id, id, "mine"},
		}},
		"VirtualService of one": {istio, []string{labelledFork, groupOfWeb}, map[string][]string{
			"Deployment": {id}, "Service": {id}, "VirtualService": {id},
		}},
		"VirtualService of two": {istio, []string{labelledFork, forkOfWebElsewhere}, map[string][]string{
			"Deployment": {id, "mine"}, "Service": {id, "mine"}, "VirtualService": {""},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			documents := list(t, append([]string{routedService80, routedWeb}, c.documents...)...)
			summary, err := Render(documents, *routed(c.routing))
			require.NoError(t, err)
			require.False(t, documents.Results().Failed())
			found := map[string][]string{}
			for _, item := range summary.Objects {
				require.NoError(t, item.Parse())
				annotation, _ := item.Annotation(contract.SandboxIDKey)
				assert.Equal(t, item.RNode().GetLabels()[contract.SandboxIDKey], annotation)
				found[item.Kind()] = append(found[item.Kind()], annotation)
			}
			for ids := range maps.Values(found) {
				slices.Sort(ids)
			}
			for ids := range maps.Values(c.want) {
				slices.Sort(ids)
			}
			assert.Equal(t, c.want, found)
		})
	}
}
