//go:build e2e

package e2e

import (
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// jobDeadline matches the rendered deadline of a Job, not that of its Pod, which has another indentation.
var jobDeadline = regexp.MustCompile(`(?m)^  activeDeadlineSeconds: \d+$`)

// Jobs whose Pods are never created, scheduled or started end at their deadline, which is shortened here, and so do their
// consumers.
func TestFaultNeverStarts(t *testing.T) {
	for _, test := range []struct {
		name, overlay string
		prepare       func(s *testNamespace)
	}{
		{"quota", "", func(s *testNamespace) {
			s.apply(fmt.Sprintf(`{apiVersion: v1, kind: ResourceQuota, metadata: {name: none, namespace: %s}, spec: {hard: {pods: "0"}}}`, s.name))
		}},
		{"restricted", "", func(s *testNamespace) {
			must(s.t, "", "label", "namespace", s.name, "pod-security.kubernetes.io/enforce=restricted")
		}},
		{"unschedulable", "  nodeSelector: {disk: none}\n", func(*testNamespace) {}},
		{"account", "  serviceAccountName: no-such-account\n", func(*testNamespace) {}},
		{"image", "  initContainers: [{name: side, image: no.such/image}]\n", func(*testNamespace) {}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newNamespace(t)
			test.prepare(s)
			manifest := render(t, nil,
				s.plugin("stuck@1.0.0", s.overlay()+test.overlay,
					step{name: "make", script: script("make", good), outputs: []string{"value"}},
					step{name: "use", script: script("use", "true"), reads: []string{"make.value"}}),
				sandbox(test.name, "stuck", nil))
			require.Len(t, jobDeadline.FindAllString(manifest, -1), 2)
			began := time.Now()
			s.apply(jobDeadline.ReplaceAllString(manifest, "  activeDeadlineSeconds: 20"))
			assert.Equal(t, map[string]string{test.name + "/make": "Failed", test.name + "/use": "Failed"}, s.ended())
			t.Logf("both ended after %s", time.Since(began).Round(time.Second))
			assert.Empty(t, s.runs(test.name))
			assert.Empty(t, s.outputs()[test.name+"/make"].Metadata.Annotations[contract.PublishedKey])
		})
	}
}
