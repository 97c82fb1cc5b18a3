//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A hundred sandboxes with three steps each on a node for 110 Pods, applied at once, consumers first, all complete.
// E2E_SANDBOXES changes the number. The time is logged.
func TestScale(t *testing.T) {
	count := sandboxes(t, 100)
	s := newNamespace(t)
	documents := []object{s.fan("old")}
	for i := range count {
		documents = append(documents, sandbox(fmt.Sprintf("many-%d", i), "fan", nil))
	}
	manifest := consumersFirst(render(t, nil, documents...))
	began := time.Now()
	s.apply(manifest)
	applied := time.Since(began)
	s.succeeded(3 * count)
	t.Logf("%d steps of %d sandboxes: applied in %s, all complete after %s", 3*count, count,
		applied.Round(time.Second), time.Since(began).Round(time.Second))
	outputs := s.outputs()
	values := map[string]bool{}
	for i := range count {
		name := fmt.Sprintf("many-%d", i)
		assert.Equal(t, map[string]int{"first": 1, "left": 1, "right": 1}, s.runs(name), name)
		first, left := string(outputs[name+"/first"].Data["value"]), string(outputs[name+"/left"].Data["value"])
		require.NotEmpty(t, first)
		require.Len(t, left, 68+68)
		assert.Equal(t, first[:64], left[68:132], "%s: left must read what first published", name)
		assert.False(t, values[first], "%s: must not be the value of another sandbox", name)
		values[first] = true
	}
}

// sandboxes returns E2E_SANDBOXES, or a default.
func sandboxes(t *testing.T, byDefault int) int {
	t.Helper()
	text := os.Getenv("E2E_SANDBOXES")
	if text == "" {
		return byDefault
	}
	count, err := strconv.Atoi(text)
	require.NoError(t, err)
	return count
}

// Thirty sandboxes of one plugin are created at once, and torn down at once. Each step runs once, with the outputs of the same
// sandbox, and no Secret remains.
func TestScaleOnePlugin(t *testing.T) {
	const count = 30
	s := newNamespace(t)
	plugin := s.fan("old")
	plugin["spec"].(object)["delete"] = []object{
		step{name: "drop", script: script("drop", `printf %s "$FIRST_VALUE" > "/shared/dropped-$SIGNADOT_SANDBOX_NAME"`),
			reads: []string{"first.value"}}.document(),
		step{name: "tell", script: script("tell", "")}.document(),
	}
	documents := []object{plugin}
	for i := range count {
		documents = append(documents, sandbox(fmt.Sprintf("one-%d", i), "fan@1.0.0", nil))
	}
	s.apply(render(t, nil, documents...))
	s.succeeded(3 * count)
	created := s.outputs()
	s.apply(render(t, []string{"--phases", "delete"}, documents...))
	for key, end := range s.ended() {
		require.Equal(t, "Complete", end, key)
	}
	for i := range count {
		name := fmt.Sprintf("one-%d", i)
		assert.Equal(t, map[string]int{"first": 1, "left": 1, "right": 1, "drop": 1, "tell": 1}, s.runs(name), name)
		dropped, err := os.ReadFile(filepath.Join(s.folder, "dropped-"+name))
		require.NoError(t, err)
		assert.Equal(t, strings.TrimRight(string(created[name+"/first"].Data["value"]), "\n"), strings.TrimRight(string(dropped), "\n"), name)
	}
	assert.Empty(t, s.outputs())
}
