//go:build e2e

package e2e

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/engine/argo"
	"github.com/resource-plugins/krm-functions/internal/engine/jobs"
	"github.com/resource-plugins/krm-functions/internal/engine/tekton"
)

// metadata has the fields that the tests read.
type metadata struct {
	Name, ResourceVersion string
	Annotations, Labels   map[string]string
}

// key returns SANDBOX/STEP.
func (m metadata) key() string {
	return m.Annotations[contract.SandboxKey] + "/" + m.Annotations[contract.StepKey]
}

// workload is a Job, a Workflow or a PipelineRun.
type workload struct {
	Metadata metadata
	Status   struct {
		Phase      string // of a Workflow
		Conditions []struct{ Type, Status string }
	}
}

// workloads are the kinds of workloads by engine.
var workloads = map[string]string{"": "jobs", jobs.Name: "jobs", argo.Name: "workflows", tekton.Name: "pipelineruns"}

// end returns Complete, Failed, or "" while the workload runs.
func (w workload) end() string {
	switch w.Status.Phase {
	case "Succeeded":
		return "Complete"
	case "Failed", "Error":
		return "Failed"
	}
	for _, condition := range w.Status.Conditions {
		switch {
		case condition.Status == "True" && (condition.Type == "Complete" || condition.Type == "Failed"):
			return condition.Type
		case condition.Type == "Succeeded" && condition.Status != "Unknown": // of a PipelineRun
			return map[string]string{"True": "Complete", "False": "Failed"}[condition.Status]
		}
	}
	return ""
}

type pod struct {
	Metadata metadata
	Status   struct {
		Phase                                    string
		InitContainerStatuses, ContainerStatuses []struct {
			Name  string
			State struct {
				Running    *struct{}
				Terminated *struct {
					ExitCode int
					Message  string
				}
			}
		}
	}
}

type secret struct {
	Metadata metadata
	Data     map[string][]byte
}

// ended waits until all workloads of the namespace have ended, and returns Complete or Failed by SANDBOX/STEP.
func (s *testNamespace) ended(arguments ...string) map[string]string {
	s.t.Helper()
	ends := map[string]string{}
	eventually(s.t, func() (string, error) {
		found, err := list[workload](s.name, workloads[s.engine], arguments...)
		var running []string
		for _, one := range found {
			if ends[one.Metadata.key()] = one.end(); one.end() == "" {
				running = append(running, one.Metadata.key())
			}
		}
		if len(running) > 0 {
			return fmt.Sprintf("the end of %d workloads, %q among them", len(running), running[0]), err
		}
		return "", err
	})
	return ends
}

// succeeded waits until all workloads are complete, and checks their number.
func (s *testNamespace) succeeded(count int) {
	s.t.Helper()
	ends := s.ended()
	require.Len(s.t, ends, count)
	for key, end := range ends {
		require.Equal(s.t, "Complete", end, key)
	}
}

// outputs returns the Secrets of the steps by SANDBOX/STEP. Helm replaces the label managed-by.
func (s *testNamespace) outputs() map[string]secret {
	s.t.Helper()
	secrets, err := list[secret](s.name, "secrets", "--selector", contract.StepKey)
	require.NoError(s.t, err)
	found := map[string]secret{}
	for _, one := range secrets {
		found[one.Metadata.key()] = one
	}
	return found
}

// messages returns the termination messages by SANDBOX/STEP, each after the name and exit code of its container.
func (s *testNamespace) messages() map[string]string {
	s.t.Helper()
	pods, err := list[pod](s.name, "pods")
	require.NoError(s.t, err)
	found := map[string]string{}
	for _, one := range pods {
		for _, container := range slices.Concat(one.Status.InitContainerStatuses, one.Status.ContainerStatuses) {
			if end := container.State.Terminated; end != nil {
				found[one.Metadata.key()] += fmt.Sprintf("%s: %d: %s\n", container.Name, end.ExitCode, strings.TrimSpace(end.Message))
			}
		}
	}
	return found
}
