//go:build e2e

package e2e

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Pods are deleted midway, at moments and in an order from the seed. A Job that may retry gets another Pod and ends well;
// one that may not has failed, or had published before. What is published is whole and right, and a Complete Job has
// published.
func TestFaultDeletedPod(t *testing.T) {
	s := newSpace(t)
	plugin := s.plugin("gone@1.0.0", s.overlay(),
		step{name: "make", script: script("make", "sleep 2\n"+good), leaves: []string{"value"}},
		step{name: "use", script: script("use", "sha256sum < /inputs/make.value > /outputs/seen"),
			reads: []string{"make.value"}, leaves: []string{"seen"}, files: true})
	count := rounds(t)
	for name, arguments := range map[string][]string{
		"retry": {"--retries", "20"},
		"once":  {"--step-timeout-seconds", "120"}, // how long a consumer waits whose producer's Pod was deleted
	} {
		documents := []object{plugin}
		for i := range count {
			documents = append(documents, sandbox(fmt.Sprintf("%s-%d", name, i), "gone", nil))
		}
		s.apply(render(t, arguments, documents...))
	}
	random := rand.New(rand.NewPCG(11, 11))
	for range 3 * count {
		time.Sleep(time.Duration(random.IntN(2000)) * time.Millisecond)
		s.deletePod(random)
	}
	ends, outputs := s.ended(), s.outputs()
	require.Len(t, ends, 4*count)
	for key, end := range ends {
		if strings.HasPrefix(key, "retry") {
			assert.Equal(t, "Complete", end, key)
		}
		name, step, _ := strings.Cut(key, "/")
		want := map[string]string{"make": "value of " + name, "use": sumLine("value of " + name)}[step]
		got := string(outputs[key].Data[map[string]string{"make": "value", "use": "seen"}[step]])
		if end == "Complete" || got != "" {
			assert.Equal(t, want, got, key)
		}
	}
}

// deletePod deletes one of the Pods that have not ended.
func (s *space) deletePod(random *rand.Rand) {
	pods, err := list[pod](s.name, "pods")
	require.NoError(s.t, err)
	var living []string
	for _, one := range pods {
		if one.Status.Phase == "Running" || one.Status.Phase == "Pending" {
			living = append(living, one.Metadata.Name)
		}
	}
	if len(living) > 0 {
		must(s.t, "", "delete", "pod", living[random.IntN(len(living))], "--namespace", s.name, "--grace-period=1", "--wait=false",
			"--ignore-not-found")
	}
}
