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

// checkRequest checks a resource's params against the limits of where they go.
func (c *compiledPhase) checkRequest(r *request) []strictyaml.Problem {
	check := requestCheck{request: r, reported: map[string]bool{}}
	for _, ref := range c.order {
		if ref.Phase != c.phase {
			continue
		}
		size := 0
		for i := range c.steps[ref].spec.Inputs {
			input := &c.steps[ref].spec.Inputs[i]
			value := r.Params[input.Name]
			if !input.ValueFromSandbox || value == "" {
				continue
			}
			if name := input.Env(); name != "" {
				size += len(name) + len(value)
				check.variable(input.Name, len(name)+1+len(value), value)
			}
			if input.Path() != "" {
				check.file(input.Name, value)
			}
		}
		if size > maxEnvironment {
			check.report("params", "must have at most %d bytes together as variables of step %q, not %d: read large ones as "+
				"files (as.path) only", maxEnvironment, c.steps[ref].spec.Name, size)
		}
	}
	return check.problems
}

type requestCheck struct {
	request  *request
	reported map[string]bool
	files    map[string]bool
	total    int
	problems []strictyaml.Problem
}

// report notes a problem; of a field only the first.
func (c *requestCheck) report(at krm.Path, format string, args ...any) {
	if !c.reported[string(at)] {
		c.reported[string(at)] = true
		c.problems = append(c.problems, strictyaml.Error(at, format, args...))
	}
}

func (c *requestCheck) variable(param string, size int, value string) {
	at := krm.Path("params").Key(param)
	switch {
	case size > maxVariable:
		c.report(at, "must have at most %d bytes to be a variable, not %d: the plugin must read it as a file (as.path) only",
			maxVariable-size+len(value), len(value))
	case strings.IndexByte(value, 0) >= 0:
		c.report(at, "must not hold a NUL character: no variable can")
	}
}

func (c *requestCheck) file(param, value string) {
	if c.files == nil {
		c.files = map[string]bool{}
	}
	if c.files[param] {
		return
	}
	c.files[param] = true
	if c.total += len(param) + len(value); c.total > maxConfigMap {
		c.report("params", "must have at most %d bytes together as files, which a ConfigMap holds", maxConfigMap)
	}
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
