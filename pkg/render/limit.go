package render

import (
	"strings"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Limits of Linux and Kubernetes that a param can run into.
const (
	maxVariable    = 128<<10 - 1 // bytes of NAME=VALUE: MAX_ARG_STRLEN without the last NUL
	maxEnvironment = 1 << 20     // bytes of all variables: half of what exec takes with the usual stack of 8 MiB
	maxObject      = 1400 << 10  // bytes of a workload's spec: etcd takes 1.5 MiB a request
	maxAnnotations = 256 << 10   // bytes of all annotations of an object
)

// checkParams checks a resource's params against the limits of variables.
func (c *compiledPhase) checkParams(params map[string]string) (problems []strictyaml.Problem) {
	for _, ref := range c.order {
		if ref.Phase != c.phase {
			continue
		}
		step := c.steps[ref].spec
		size := 0
		for i := range step.Inputs {
			input := &step.Inputs[i]
			name, value := input.Env(), params[input.Name]
			if !input.ValueFromSandbox || name == "" {
				continue
			}
			size += len(name) + len(value)
			at := krm.Path("params").Key(input.Name)
			if longest := maxVariable - len(name) - 1; len(value) > longest {
				problems = append(problems, strictyaml.Error(at,
					"must have at most %d bytes to be a variable, not %d: the plugin must read it as a file (as.path) only",
					longest, len(value)))
			} else if strings.IndexByte(value, 0) >= 0 {
				problems = append(problems, strictyaml.Error(at, "must not hold a NUL character: no variable can"))
			}
		}
		if size > maxEnvironment {
			problems = append(problems, strictyaml.Error("params", "must have at most %d bytes together as variables of step %q, "+
				"not %d: read large ones as files (as.path) only", maxEnvironment, step.Name, size))
		}
	}
	return problems
}

// checkSize reports a workload that the API server would not store.
func (r *renderer) checkSize(step string, size int, annotations map[string]string) {
	if size > maxObject {
		r.report("", "step %q must have a spec of at most %d bytes, not %d: read large params as files (as.path) only",
			step, maxObject, size)
	}
	total := 0
	for key, value := range annotations {
		total += len(key) + len(value)
	}
	if total > maxAnnotations {
		r.report("", "step %q must have annotations of at most %d bytes, not %d: shorten those of the overlay",
			step, maxAnnotations, total)
	}
}

func (r *renderer) report(at krm.Path, format string, args ...any) {
	r.problems = append(r.problems, strictyaml.Error(at, format, args...))
}
