//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// consumersFirst returns the manifest with waiting Jobs moved before the others.
func consumersFirst(manifest string) string {
	var other, producers, consumers []string
	for document := range strings.SplitSeq(manifest, "\n---\n") {
		switch {
		case !strings.Contains(document, "\nkind: Job\n"):
			other = append(other, document)
		case strings.Contains(document, contract.DependsOnKey):
			consumers = append(consumers, document)
		default:
			producers = append(producers, document)
		}
	}
	return strings.Join(append(append(other, consumers...), producers...), "\n---\n")
}

// With a quota below the number of consumers, which are applied first, all steps complete: a Pod that waits for a step
// without a place gives up its own.
func TestFaultQuota(t *testing.T) {
	const sandboxes = 8
	s := newNamespace(t)
	s.apply(fmt.Sprintf(`{apiVersion: v1, kind: ResourceQuota, metadata: {name: few, namespace: %s}, spec: {hard: {pods: "4"}}}`, s.name))
	documents := []object{s.plugin("quota@1.0.0", s.overlay(),
		step{name: "make", script: script("make", "sleep 1\n"+good), outputs: []string{"value"}},
		step{name: "use", script: script("use", "sha256sum < /inputs/make.value > /outputs/seen"),
			reads: []string{"make.value"}, outputs: []string{"seen"}, files: true})}
	for i := range sandboxes {
		documents = append(documents, sandbox(fmt.Sprintf("quota-%d", i), "quota", nil))
	}
	began := time.Now()
	s.apply(consumersFirst(render(t, nil, documents...)))
	s.succeeded(2 * sandboxes)
	t.Logf("%d steps under a quota of 4 Pods: all complete after %s", 2*sandboxes, time.Since(began).Round(time.Second))
	outputs := s.outputs()
	for i := range sandboxes {
		name := fmt.Sprintf("quota-%d", i)
		assert.Equal(t, map[string]int{"make": 1, "use": 1}, s.runs(name), name)
		assert.Equal(t, sha256Line("value of "+name), string(outputs[name+"/use"].Data["seen"]), name)
	}
	require.Contains(t, s.allMessages(), "not a failure: step")
}

// allMessages returns the termination messages of all Pods as one text.
func (s *testNamespace) allMessages() string {
	var all strings.Builder
	for key, text := range s.messages() {
		all.WriteString(key + ": " + text)
	}
	return all.String()
}
