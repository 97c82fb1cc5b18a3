package cluster

import (
	"slices"

	"github.com/resource-plugins/krm-functions/commands/cluster/status"
	"github.com/resource-plugins/krm-functions/commands/kubectl"
	"github.com/resource-plugins/krm-functions/internal/contract"
)

// remember adds the Jobs that were removed since an earlier look, if it is known how they have ended.
func (s *source) remember(objects *status.Objects) error {
	if s.memory == nil {
		return nil
	}
	for _, namespace := range s.memory.Gone(objects) {
		get := []string{"get", "events", "-n", namespace, "--field-selector", "involvedObject.kind=Job", "-o", "json"}
		if err := s.readOrLack(objects, "Event", nil, get...); err != nil {
			return err
		}
	}
	s.memory.See(objects)
	s.memory.Restore(objects)
	return nil
}

// readHistory reads the Jobs of the sandboxes that are not in the render: those of other renders, and of the other phase.
func (s *source) readHistory(objects *status.Objects) error {
	namespaces, sandboxes := s.render.Others()
	for _, namespace := range namespaces {
		for names := range slices.Chunk(sandboxes, namesPerCall) {
			selector := selectorOf(contract.SandboxKey, names)
			text, err := s.kubectl.Run(nil, "get", "jobs", "-n", namespace, "-l", selector, "-o", "json")
			if err == nil {
				err = objects.ReadHistory(text)
			}
			if kubectl.IsForbidden(err) {
				objects.Lack("Job", "of other renders cannot be read, which may have run since: "+err.Error())
				return nil
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
