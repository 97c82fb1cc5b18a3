package render

import (
	"encoding/json"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
)

// environment returns the variables of main: those that every script gets, then the inputs. Outputs of other steps come
// by reference, set by the kubelet after the init container saw them.
func (r *renderer) environment(s *step) []corev1.EnvVar {
	const own = 4 // those of contract.StepVariables
	env := append(make([]corev1.EnvVar, 0, own+len(s.spec.Inputs)),
		r.variable(contract.SandboxIDVariable, contract.SandboxIDVariable, r.SandboxID),
		r.variable(contract.SandboxNameVariable, contract.SandboxNameVariable, r.Sandbox),
		r.variable(contract.RoutingKeyVariable, contract.RoutingKeyVariable, r.RoutingKey),
		r.variable(contract.ResourceNameVariable, contract.ResourceNameVariable, r.Resource),
	)
	for i := range s.spec.Inputs {
		input := &s.spec.Inputs[i]
		name := input.Env()
		switch {
		case name == "" || slices.ContainsFunc(env[:own], func(v corev1.EnvVar) bool { return v.Name == name }):
		case input.ValueFromSandbox:
			env = append(env, r.variable(name, input.Name, r.Params[input.Name]))
		default:
			env = append(env, r.outputVariable(name, s, input))
		}
	}
	return env
}

// variable is a variable with a value as it stands. Engines that replace something in texts read it from the ConfigMap of
// the resource's params, where it has the key.
func (r *renderer) variable(name, key, value string) corev1.EnvVar {
	if r.traits.Expansion == nil {
		return Variable(name, value)
	}
	return corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{ConfigMapKeyRef: &corev1.ConfigMapKeySelector{
		Key: key, LocalObjectReference: corev1.LocalObjectReference{Name: r.paramsName},
	}}}
}

// Variable is a variable with a value as it stands: Kubernetes expands $(NAME) and makes one $ of two.
func Variable(name, value string) corev1.EnvVar {
	if strings.IndexByte(value, '$') >= 0 {
		value = strings.ReplaceAll(value, "$", "$$")
	}
	return corev1.EnvVar{Name: name, Value: value}
}

func (r *renderer) outputVariable(name string, s *step, input *v1alpha1.Input) corev1.EnvVar {
	return corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
		Key: input.ValueFromStep.Output, LocalObjectReference: corev1.LocalObjectReference{
			Name: r.secretName(producerOf(s, input)),
		},
	}}}
}

// producerOf returns the step whose output an input reads.
func producerOf(s *step, input *v1alpha1.Input) *step {
	i := slices.IndexFunc(s.producers, func(from *step) bool { return from.spec.Name == input.ValueFromStep.Name })
	return s.producers[i] // the checks refuse an input without one
}

// planEscapes keep engines from replacing anything in a plan: in JSON, "{{" and "$" are in strings alone.
var planEscapes = strings.NewReplacer("{{", `{\u007b`, "$", `\u0024`)

func (r *renderer) planVariable(plan contract.Plan) corev1.EnvVar {
	text, err := json.Marshal(plan)
	if err != nil {
		panic(err) // strings and numbers alone
	}
	if r.traits.Expansion != nil {
		return Variable(contract.PlanVariable, planEscapes.Replace(string(text)))
	}
	return Variable(contract.PlanVariable, string(text))
}

// plan returns the plan for the helpers of a step.
func (r *renderer) plan(s *step) contract.Plan {
	plan := contract.Plan{
		Step:                s.spec.Name,
		Generation:          r.generations[s.ref],
		StartTimeoutSeconds: r.options.StartTimeoutSeconds,
		TimeoutSeconds:      r.timeout(),
		Attempts:            r.options.Retries + 1,
		Created:             r.isUsed(s, "", r.namespace),
	}
	r.limitWait(&plan, s.producers)
	for _, from := range s.producers {
		producer := contract.Producer{Step: from.spec.Name, Inputs: r.inputsFrom(s, from), Ended: r.hasEnded(from)}
		if from.ref.Phase == s.ref.Phase {
			producer.Generation = r.generations[from.ref]
		}
		plan.Producers = append(plan.Producers, producer)
	}
	for _, output := range s.spec.Outputs {
		plan.Outputs = append(plan.Outputs, contract.Output{
			Name: output.Name, Path: output.ValueFromPath, Workloads: r.isUsed(s, output.Name, r.namespace),
		})
	}
	return plan
}

// hasEnded reports whether a step has ended when a task starts that waits for it.
func (r *renderer) hasEnded(s *step) bool {
	_, isTask := r.tasks[s.ref]
	return isTask && !r.traits.Waits
}

// inputsFrom lists the inputs that a step reads from another, with the files to write.
func (r *renderer) inputsFrom(s, producer *step) []contract.Input {
	var inputs []contract.Input
	for i := range s.spec.Inputs {
		input := &s.spec.Inputs[i]
		if from := input.ValueFromStep; from != nil && from.Name == producer.spec.Name {
			read := contract.Input{Output: from.Output}
			if input.Path() != "" && !r.traits.MountsOutputs {
				read.File = input.Name
			}
			if name := input.Env(); name != "" && !slices.Contains(contract.StepVariables(), name) {
				read.Variable, read.Name = name, input.Name
			}
			inputs = append(inputs, read)
		}
	}
	return inputs
}
