package manager

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An accepted plan has a step and a generation, and stays the same when it is encoded and parsed again.
func FuzzPlan(f *testing.F) {
	for _, plan := range []string{
		"", "{}", "null", "[]", `{"step":"s","generation":"g"}`, `{"step":"s","generation":"g","later":1}`,
		`{"step":"s","generation":"g","producers":[{"step":"p","inputs":null}],"outputs":[{"name":"a","path":"/a"}]}`,
		`{"step":"s","generation":"g","attempts":1e9}`, `{"step":"s","generation":"g"} x`,
	} {
		f.Add(plan)
	}
	f.Fuzz(func(t *testing.T, text string) {
		plan, err := parsePlan(text)
		if err != nil {
			return
		}
		assert.NotEmpty(t, plan.Step)
		assert.NotEmpty(t, plan.Generation)
		again, err := json.Marshal(plan)
		require.NoError(t, err)
		same, err := parsePlan(string(again))
		require.NoError(t, err)
		written, err := json.Marshal(same)
		require.NoError(t, err)
		assert.Equal(t, string(again), string(written))
	})
}
