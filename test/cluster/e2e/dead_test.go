//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// If a producer ends without recording its failure, its consumers end with a message about the reason, which those that wait until
// their deadline do not have. How long it took is only logged: a busy node takes half a minute for what others do in seconds.
func TestFaultDeadProducer(t *testing.T) {
	s := newNamespace(t)
	for _, test := range []struct {
		name string
		// kill ends the producer, whose script runs until the file go-NAME exists.
		kill func(s *testNamespace, name string)
		// reason is part of the consumer's message.
		reason string
	}{
		{"pod", func(s *testNamespace, name string) {
			must(s.t, "", "delete", "pod", "--namespace", s.name, "--selector", stepOf(name, "make"),
				"--grace-period=1", "--wait=false")
		}, "BackoffLimitExceeded"},
		{"manager", func(s *testNamespace, name string) {
			require.NoError(s.t, syscall.Kill(s.outputManager(name), syscall.SIGKILL))
			s.open(s.t, "go-"+name)
		}, "BackoffLimitExceeded"},
		{"secret", func(s *testNamespace, name string) {
			must(s.t, "", "delete", "secret", "--namespace", s.name, "--selector", stepOf(name, "make"))
			s.open(s.t, "go-"+name)
		}, "BackoffLimitExceeded"},
		{"role", func(s *testNamespace, name string) {
			must(s.t, "", "delete", "role", "--namespace", s.name, "--selector", contract.SandboxKey+"="+name)
			s.open(s.t, "go-"+name)
		}, "a Role must grant"}, // the consumer has the same Role, so it ends for the same reason
		{"superseded", func(s *testNamespace, name string) {
			s.apply(s.supersede(render(s.t, nil, s.slow("other"), sandbox(name, "slow", nil))))
			s.open(s.t, "go-"+name)
		}, "a newer render replaced step"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := s.in(t)
			s.apply(render(t, nil, s.slow("first"), sandbox(test.name, "slow", nil)))
			jobs := s.jobsOf(test.name)
			eventually(t, func() (string, error) {
				if len(s.times(t, test.name, "make", "start")) == 0 {
					return "the script of " + test.name, nil
				}
				return "", nil
			})
			test.kill(s, test.name)
			killed := time.Now()
			ends := s.endsOf(jobs)
			t.Logf("the consumer ended %s after the producer was hit", time.Since(killed).Round(time.Second))
			assert.Equal(t, map[string]string{"make": "Failed", "use": "Failed"}, ends)
			assert.Empty(t, s.times(t, test.name, "use", "start"))
			message := s.messageOf(jobs["use"])
			assert.Contains(t, message, test.reason)
			if test.reason == "BackoffLimitExceeded" {
				assert.Contains(t, message, jobs["make"], "the message names the Job")
			}
		})
	}
}

// slow is a plugin whose step use waits for make, which runs until the test opens a file.
func (s *testNamespace) slow(tag string) object {
	return s.plugin("slow@1.0.0", s.overlay(),
		step{name: "make", script: script("make", ": "+tag+"\nawait go-$SIGNADOT_SANDBOX_NAME\n"+good), outputs: []string{"value"}},
		step{name: "use", script: script("use", "true"), reads: []string{"make.value"}})
}

// supersede returns the objects of a manifest that a newer render changes in an older one: Secrets and Roles, but no Jobs.
func (s *testNamespace) supersede(manifest string) string {
	var kept []string
	for document := range strings.SplitSeq(manifest, "\n---\n") {
		if strings.Contains(document, "\nkind: Secret\n") {
			kept = append(kept, document)
		}
	}
	return strings.Join(kept, "\n---\n")
}

func stepOf(sandbox, step string) string {
	return contract.SandboxKey + "=" + sandbox + "," + contract.StepKey + "=" + step
}

// jobsOf returns the names of the Jobs of a sandbox by step.
func (s *testNamespace) jobsOf(sandbox string) map[string]string {
	s.t.Helper()
	jobs, err := list[workload](s.name, "jobs", "--selector", contract.SandboxKey+"="+sandbox)
	require.NoError(s.t, err)
	names := map[string]string{}
	for _, one := range jobs {
		names[one.Metadata.Annotations[contract.StepKey]] = one.Metadata.Name
	}
	return names
}

// endsOf waits until Jobs have ended, and returns their results by step.
func (s *testNamespace) endsOf(jobs map[string]string) map[string]string {
	s.t.Helper()
	ends := map[string]string{}
	eventually(s.t, func() (string, error) {
		all, err := list[workload](s.name, "jobs")
		for _, one := range all {
			if step := one.Metadata.Annotations[contract.StepKey]; one.Metadata.Name == jobs[step] {
				ends[step] = one.end()
			}
		}
		for step, end := range ends {
			if end == "" {
				return "the end of " + step, err
			}
		}
		return "", err
	})
	return ends
}

// messageOf returns the termination messages of the Pods of a Job.
func (s *testNamespace) messageOf(name string) string {
	s.t.Helper()
	pods, err := list[pod](s.name, "pods", "--selector", "batch.kubernetes.io/job-name="+name)
	require.NoError(s.t, err)
	var all strings.Builder
	for _, one := range pods {
		for _, container := range append(one.Status.InitContainerStatuses, one.Status.ContainerStatuses...) {
			if end := container.State.Terminated; end != nil {
				all.WriteString(end.Message)
			}
		}
	}
	return all.String()
}

// outputManager waits for the output manager of a sandbox's Pod and returns its process id. Its cgroup and that of the
// runner have the same parent, that of the Pod. The node runs on this machine.
func (s *testNamespace) outputManager(sandbox string) (found int) {
	s.t.Helper()
	pod := podCgroup(s.t, s.runner(sandbox))
	eventually(s.t, func() (string, error) {
		folders, err := filepath.Glob("/proc/[0-9]*")
		require.NoError(s.t, err)
		for _, folder := range folders {
			command, _ := os.ReadFile(folder + "/cmdline")
			id, err := strconv.Atoi(filepath.Base(folder))
			require.NoError(s.t, err)
			if string(command) == contract.HelperBinary+"\x00"+contract.HelperOutputs+"\x00" && podCgroup(s.t, id) == pod {
				found = id
				return "", nil
			}
		}
		return "the output manager of " + sandbox, nil
	})
	return found
}

// podCgroup returns the memory cgroup of a process's Pod.
func podCgroup(t *testing.T, pid int) string {
	t.Helper()
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cgroup")
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, "/pod") {
			return filepath.Dir(strings.TrimSpace(line[strings.LastIndex(line, ":")+1:]))
		}
	}
	return ""
}
