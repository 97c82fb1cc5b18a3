package render

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// A fork with the variable SERVICE_BINDING_ROOT uses all outputs of the step that has the output "type".
func TestCopiesAreOfBindings(t *testing.T) {
	t.Parallel()
	item, err := krm.NewItem([]byte(`kind: Sandbox
metadata: {name: s}
spec:
  cluster: c
  forks:
  - forkOf: {kind: Deployment, namespace: shop, name: web}
    customizations: {env: [{name: SERVICE_BINDING_ROOT, value: /bindings}]}
  resources: [{name: db, plugin: db}, {name: other, plugin: other}]
`))
	require.NoError(t, err)
	read, problems := document.ReadSandbox(item)
	require.Empty(t, problems)
	p, s := &plan{list: krm.NewList()}, &sandbox{Sandbox: read}
	require.Empty(t, s.strayUses())
	outputs := []v1alpha1.Output{{Name: "type"}, {Name: "host"}}
	typed := &v1alpha1.ResourcePluginSpec{Create: []v1alpha1.Step{{Name: "a"}, {Name: "b", Outputs: outputs}}}
	got := p.copies(s, "db", &compiledPhase{phase: v1alpha1.PhaseCreate, spec: typed, namespace: "databases"})
	assert.Equal(t, map[string][]v1alpha1.StepOutput{"shop": {{Name: "b", Output: "type"}, {Name: "b", Output: "host"}}}, got)

	untyped := &v1alpha1.ResourcePluginSpec{Create: []v1alpha1.Step{{Name: "a", Outputs: outputs[1:]}}}
	assert.Empty(t, p.copies(s, "other", &compiledPhase{phase: v1alpha1.PhaseCreate, spec: untyped, namespace: "databases"}))
	assert.Empty(t, p.list.Results())
}
