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

// attach adds to steps what is known of their tasks, which exist or are rendered, each to the first step that is its: the
// template keeps the order of tasks.
func attach(steps []Step, of resource, phase string, tasks []*task) {
	waiting := map[string][]*Step{}
	for i := range steps {
		s := &steps[i]
		s.Sandbox, s.Resource, s.Phase = of.sandbox, of.name, phase
		if strings.HasSuffix(s.Object, "/"+unnamed) {
			s.Object = unnamed
		}
		key := strings.Join([]string{s.Namespace, s.Object, s.name()}, " ")
		waiting[key] = append(waiting[key], s)
	}
	for _, t := range tasks {
		key := strings.Join([]string{t.Namespace, t.object(), t.step()}, " ")
		if len(waiting[key]) > 0 {
			waiting[key][0].attach(t)
			waiting[key] = waiting[key][1:]
		}
	}
}

func (s *Step) attach(t *task) {
	s.of = t
	s.Phase = t.phase()
	s.Helper = t.Labels[contract.HelperKey]
	s.Producers = t.dependsOn()
	if isRendered := t.UID == "" && t.CreationTimestamp.IsZero(); !isRendered && !t.since.IsZero() {
		since := t.since
		s.Since = &since
	}
}
