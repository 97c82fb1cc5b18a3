package strictyaml_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	keys := []string{"name", "inputs", "outputs", "script", "valueFromStep", "as"}
	cases := []struct {
		text, want string
		sure       bool
	}{
		{"input", "inputs", false},
		{"outptus", "outputs", false},
		{"ouputs", "outputs", false},
		{"Script", "script", true},
		{"VALUEFROMSTEP", "valueFromStep", true},
		{"valuesFromStep", "valueFromStep", false},
		{"anme", "name", false},
		{"AS", "as", true},
		{"is", "as", false},
		{"x", "", false},
		{"", "", false},
		{"completelyDifferent", "", false},
		{strings.Repeat("a", 1<<20), "", false},
	}
	for _, c := range cases {
		nearest, sure := strictyaml.Nearest(c.text, keys)
		assert.Equal(t, c.want, nearest, "%.40q", c.text)
		assert.Equal(t, c.sure, sure, "%.40q", c.text)
	}
}

func TestNearestTakesTheFirstOfEquals(t *testing.T) {
	t.Parallel()
	nearest, sure := strictyaml.Nearest("bat", []string{"cat", "hat"})
	assert.Equal(t, "cat", nearest)
	assert.False(t, sure)
}
