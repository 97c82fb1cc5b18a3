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
