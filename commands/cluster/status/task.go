package status

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/engine"
	"github.com/resource-plugins/krm-functions/internal/engines"
)

// task is a step or a helper as a task of a workload.
type task struct {
	*engine.State

	// isMissing is set if its workload should exist but does not.
	isMissing bool
}

// identity identifies an object.
type identity struct{ kind, namespace, name string }

func (t *task) identity() identity { return identity{t.Kind.Name, t.Namespace, t.Name} }

// runner identifies the creator of a Pod: a workload, and its task if it has several.
type runner struct {
	identity
	task string
}

func (t *task) runner() runner { return runner{t.identity(), t.Task} }

// runnerOf returns the creator of a Pod, or the Pod itself if no workload created it.
func runnerOf(p *corev1.Pod) runner {
	for _, e := range engines.All() {
		if owner, isOwn := e.Owner(p); isOwn {
			return runner{identity{owner.Kind, p.Namespace, owner.Name}, owner.Task}
		}
	}
	return runner{identity{podKind, p.Namespace, p.Name}, ""}
}

// tasks returns the tasks of all workloads.
func (o *Objects) tasks() []*task {
	var all []*task
	for _, e := range engines.All() {
		for _, state := range e.States(o.objects[e]) {
			all = append(all, &task{State: state})
		}
	}
	return all
}

// isOfEngine reports whether the workload runs all tasks of a phase.
func (t *task) isOfEngine() bool { return t.Task != "" }

func (t *task) phase() string { return t.Labels[contract.PhaseKey] }

// generation identifies the content of the step: it changes with each render that changes the step.
func (t *task) generation() string { return t.Annotations[contract.GenerationKey] }

func (t *task) helper() string { return t.Labels[contract.HelperKey] }

func (t *task) copyTo() string { return t.Annotations[contract.CopyToKey] }

func (t *task) output() string { return t.Secrets[contract.OutputSecretKey] }

// publishesTo reports whether the task writes the outputs of a step, or of an OutputSecret in another namespace, to a
// Secret.
func (t *task) publishesTo(s *outputSecret) bool {
	return t.output() == s.Name && t.outputNamespace() == s.Namespace
}

func (t *task) outputNamespace() string { return cmp.Or(t.copyTo(), t.Namespace) }

// inputs returns the names of the Secrets that the task reads.
func (t *task) inputs() []string {
	var names []string
	for _, key := range slices.Sorted(maps.Keys(t.Secrets)) {
		if strings.HasPrefix(key, inputSecretPrefix) && t.Secrets[key] != "" {
			names = append(names, t.Secrets[key])
		}
	}
	return names
}

// reads returns the names of the Secrets that the task reads, and for each the annotation that its own Secret has about it.
// The order is that of the template.
func (t *task) reads() iter.Seq2[string, string] {
	return func(yield func(name, readKey string) bool) {
		for _, key := range slices.Sorted(maps.Keys(t.Secrets)) {
			number, isInput := strings.CutPrefix(key, inputSecretPrefix)
			i, err := strconv.Atoi(number)
			if isInput && err == nil && t.Secrets[key] != "" && !yield(t.Secrets[key], contract.ReadKey(i)) {
				return
			}
		}
	}
}

// objects returns the workload as an argument of kubectl, if it exists.
func (t *task) objects() []string {
	if t.isMissing {
		return nil
	}
	return []string{t.Object()}
}

// inputSecretPrefix is the common prefix of the annotations that contract.InputSecretKey returns.
var inputSecretPrefix = strings.TrimSuffix(contract.InputSecretKey(0), "0")

// outputKeys returns the keys that the Secret of the task has if it is published.
func (t *task) outputKeys() (keys []string) {
	for _, output := range t.Plan.Outputs {
		keys = append(keys, output.Name)
		if output.Workloads {
			keys = append(keys, contract.WorkloadKey(output.Name, t.generation()))
		}
	}
	if t.Plan.Created {
		keys = append(keys, contract.CreatedKey(t.generation()))
	}
	return keys
}

// copiedKeys returns the keys that copies of a Secret have.
func (t *task) copiedKeys(secret string) (keys []string) {
	for i, producer := range t.Plan.Producers {
		if t.Secrets[contract.InputSecretKey(i)] != secret {
			continue
		}
		for _, input := range producer.Inputs {
			if input.Output != "" {
				keys = append(keys, input.Output)
			}
			if input.Workloads {
				keys = append(keys, contract.WorkloadKey(input.Output, producer.Generation))
			}
		}
	}
	return keys
}

// dependsOn returns the steps that this one waits for.
func (t *task) dependsOn() []string {
	steps := t.Annotations[contract.DependsOnKey]
	if steps == "" {
		return nil
	}
	return strings.Split(steps, ",")
}

// step returns the name of the step or helper.
func (t *task) step() string {
	if helper := t.helper(); helper != "" {
		return helper
	}
	return t.Labels[contract.StepKey]
}

// part identifies a task within its resource. Among tasks of the same render it is unique.
type part struct{ phase, step, helper, copyTo, output, namespace string }

func (t *task) part() part {
	p := part{t.phase(), t.Labels[contract.StepKey], t.helper(), t.copyTo(), "", t.Namespace}
	if t.helper() != "" {
		p.output = t.output() // of an OutputSecret
	}
	return p
}

// workloadsOf returns the first task of each workload, in their order.
func workloadsOf(tasks []*task) []*task {
	seen := map[identity]bool{}
	var first []*task
	for _, t := range tasks {
		if !seen[t.identity()] {
			seen[t.identity()] = true
			first = append(first, t)
		}
	}
	return first
}

// Name is the name of the step in its resource, or of the helper.
func (s *Step) Name() string { return s.Step[strings.LastIndexByte(s.Step, '/')+1:] }

// LogArguments are the arguments of kubectl for the logs of the step; nil if its workload does not exist.
func (s *Step) LogArguments() []string {
	if s.task == nil || s.task.isMissing {
		return nil
	}
	return s.task.LogArguments()
}
