package status

// DeleteArguments are the arguments of kubectl that delete what keeps the step from running again: its workload, and the
// Secret in which it has published. They are nil if the workload does not exist.
func (s *Step) DeleteArguments() []string {
	if s.task == nil || s.task.isMissing {
		return nil
	}
	arguments := []string{"delete", "-n", s.Namespace, "--ignore-not-found", s.Object}
	if secret := s.task.output(); secret != "" && (s.State == Ready || s.State == Stale) {
		arguments = append(arguments, "secret/"+secret)
	}
	return arguments
}
