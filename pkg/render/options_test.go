package render_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

func TestPhases_takesEmptyChoicesForTheDefaults(t *testing.T) {
	t.Parallel()
	list, err := krm.Parse([]byte(exampleList))
	require.NoError(t, err)
	options := render.DefaultOptions()
	options.Workload, options.Delivery = "", ""
	summary, err := render.Phases(list, options)
	require.NoError(t, err)
	assert.Equal(t, 1, summary.Workloads)
	assert.Equal(t, "Job", list.Items()[len(list.Items())-1].Kind())
}

// The pod template that is merged below all overlays must suit the engine as they must: Tekton would replace a part of a text.
func TestValidate_podTemplateDefaults(t *testing.T) {
	t.Parallel()
	options := render.DefaultOptions()
	options.PodTemplateDefaults = "metadata: {annotations: {note: \"$(context.taskRun.name)\"}}"
	assert.Empty(t, options.Validate())
	options.Engine = "tekton"
	wrong := options.Validate()
	require.Len(t, wrong, 1)
	assert.Regexp(t, `^podTemplateDefaults: metadata\.annotations.*: must not `, wrong.Error())
	options.PodTemplateDefaults = "spec: {hostNetwork: true}"
	assert.ErrorContains(t, options.Validate(), "podTemplateDefaults: must hold only labels")
}
