package status

import (
	"fmt"
	"strings"
)

// KeepsFromRunning are the objects that keep the step from running again, as kubectl takes them: its workload, and the
// Secret in which it has published. They are nil if the workload does not exist.
func (s *Step) KeepsFromRunning() []string {
	if s.task == nil || s.task.isMissing {
		return nil
	}
	objects := s.task.objects()
	if secret := s.task.output(); secret != "" && (s.State == Ready || s.State == Stale) {
		objects = append(objects, secretObject(secret))
	}
	return objects
}

// runAgain explains how to run a task again: delete its workload and the given objects, then apply.
func runAgain(t *task, with ...string) string {
	return fmt.Sprintf("to run it again: kubectl delete -n %s %s, then apply", t.Namespace,
		strings.Join(append(t.objects(), with...), " "))
}
