package status

import (
	"bytes"
	"strings"
	"sync"
	"text/template"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

var rules = sync.OnceValues(func() (*template.Template, error) { return template.New("status").Parse(Template) })

// judge returns the states of the steps of one resource, by the rules of Template.
func judge(items []any) ([]Step, error) {
	parsed, err := rules()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := parsed.Execute(&out, map[string]any{"kind": "List", "items": items}); err != nil {
		return nil, err
	}
	var steps []Step
	for line := range strings.Lines(out.String()) {
		if step, ok := parse(strings.TrimSuffix(line, "\n")); ok {
			steps = append(steps, step)
		}
	}
	return steps, nil
}

// columns are the first columns of a line of the template: state, step, namespace and object. None contains a space.
const columns = 4

// parse reads a line that the template prints; the last one is not about a step.
func parse(line string) (step Step, ok bool) {
	fields := strings.Fields(line)
	if len(fields) < columns {
		return Step{}, false
	}
	step = Step{State: State(fields[0]), Step: fields[1], Namespace: fields[2], Object: fields[3]}
	step.Detail = strings.Join(fields[columns:], " ")
	if producers, waits := strings.CutPrefix(step.Detail, "waits for "); waits {
		step.WaitsFor = strings.Fields(producers)
	}
	return step, true
}

// attach adds what is known of the step's workload, which is one of those that exist or are rendered.
func (s *Step) attach(of resource, phase string, workloads []*workload) {
	s.Sandbox, s.Resource, s.Phase = of.sandbox, of.name, phase
	if strings.HasSuffix(s.Object, "/"+unnamed) {
		s.Object = unnamed
	}
	for _, w := range workloads {
		if w.object() != s.Object || w.Namespace != s.Namespace {
			continue
		}
		s.of = w
		s.Phase = w.phase()
		s.Helper = w.Labels[contract.HelperKey]
		s.Producers = w.dependsOn()
		if w.UID == "" && w.CreationTimestamp.IsZero() { // rendered, or of a dump without
			return
		}
		if since := w.since(); !since.IsZero() {
			s.Since = &since
		}
	}
}
