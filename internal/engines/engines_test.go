package engines_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/engines"
)

// The values of the config's field are the names of the engines.
func TestNames_areThoseOfTheSchema(t *testing.T) {
	t.Parallel()
	field, found := reflect.TypeFor[v1alpha1.RenderPhase]().FieldByName("Engine")
	require.True(t, found)
	assert.Equal(t, field.Tag.Get("enum"), strings.Join(engines.Names(), ","))
	for _, name := range engines.Names() {
		assert.Equal(t, name, engines.Named(name).Traits().Name)
	}
	assert.Nil(t, engines.Named("none"))
}

// Each kind is found with its group or without a group, but not with another group.
func TestOf(t *testing.T) {
	t.Parallel()
	for _, e := range engines.All() {
		for _, k := range e.Traits().Kinds {
			for _, group := range []string{k.Group, ""} {
				found, kind := engines.Of(group, k.Name)
				assert.Equal(t, e, found)
				assert.Equal(t, k, kind)
			}
			found, _ := engines.Of("example.com", k.Name)
			assert.Nil(t, found)
		}
	}
	assert.Equal(t, []string{"Job", "Pod", "Workflow", "PipelineRun"}, engines.Workloads())
}
