package engine

import (
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// Names assigns unique names to the tasks of a run. They are DNS labels.
type Names map[string]bool

// Add returns the name of a task or of a part of a workload: the name of its step in lower case, with a hash if it is taken.
func (n Names) Add(name string) string {
	unique := strings.ToLower(name)
	for n[unique] {
		unique = strings.ToLower(name) + "-" + contract.Hash("task", unique)
	}
	n[unique] = true
	return unique
}
