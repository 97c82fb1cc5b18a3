package renderdiff

import (
	"fmt"
	"path"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
)

// inputsOf compares the inputs of two documents, and the values of params in the Pods.
func (d *comparison) inputsOf(old, newer *v1alpha1.Step) {
	if old == nil || newer == nil {
		d.inputs(nil, nil)
		return
	}
	was, wasOrder := definitions(old)
	is, order := definitions(newer)
	d.named(ReasonInput, was, is, wasOrder, order)
	earlier := make(map[string]int, len(old.Inputs))
	for at := range old.Inputs {
		if _, isRepeated := earlier[old.Inputs[at].Name]; !isRepeated {
			earlier[old.Inputs[at].Name] = at
		}
	}
	for i := range newer.Inputs {
		input := &newer.Inputs[i]
		at, exists := earlier[input.Name]
		if !exists || !input.ValueFromSandbox || !old.Inputs[at].ValueFromSandbox {
			continue
		}
		before, isBefore := d.param(d.before, d.old, &old.Inputs[at])
		after, isAfter := d.param(d.after, d.new, input)
		if isBefore && isAfter && before != after {
			d.add(d.value(ReasonParam, input.Name, before, after))
		}
	}
}

// definitions returns the definitions of the inputs of a step by name, and the names in their order.
func definitions(of *v1alpha1.Step) (map[string]string, []string) {
	found := make(map[string]string, len(of.Inputs))
	order := make([]string, len(of.Inputs))
	for i := range of.Inputs {
		input := &of.Inputs[i]
		from := v1alpha1.StepOutput{}
		if input.ValueFromStep != nil {
			from = *input.ValueFromStep
		}
		found[input.Name] = fmt.Sprintf("%q %q %q %q", from.Name, from.Output, input.Env(), input.Path())
		order[i] = input.Name
	}
	return found, order
}

// param returns the value of a param that a step reads.
func (d *comparison) param(side *state, of *step, input *v1alpha1.Input) (string, bool) {
	if name := input.Env(); name != "" && !slices.Contains(contract.StepVariables(), name) {
		return variable(of.main(), name), true
	}
	name, _ := of.configMap(contract.ParamsVolume)
	return d.content(side, of, name, input.Name, "params")
}

// value returns the reason for a different value.
func (d *comparison) value(kind ReasonKind, name, before, after string) Reason {
	reason := Reason{Kind: kind, Name: name}
	if d.options.ShowValues {
		reason.Before, reason.After = before, after
	}
	return reason
}

// namesOf returns the names of the inputs that a document gives as variables, nil if it is not known.
func namesOf(spec *v1alpha1.ResourcePluginSpec, of *step) map[string]string {
	known := stepOf(spec, of)
	if known == nil {
		return nil
	}
	names := map[string]string{}
	for i := range known.Inputs {
		if name := known.Inputs[i].Env(); name != "" {
			names[name] = known.Inputs[i].Name
		}
	}
	return names
}

// podInput is an input as a Pod has it.
type podInput struct {
	definition string
	// value is that of a variable. file is set if the value is a file with a param.
	value        string
	isText, file bool
}

// inputs compares the inputs as the Pods have them. The maps give the names of inputs that are variables, if one of the
// documents is known.
func (d *comparison) inputs(oldNames, newNames map[string]string) {
	nameOf := func(variable string) string {
		if name := newNames[variable]; name != "" {
			return name
		}
		return oldNames[variable]
	}
	old, oldOrder := podInputs(d.old, nameOf)
	newer, newOrder := podInputs(d.new, nameOf)
	before := len(d.reasons)
	for _, key := range union(newOrder, oldOrder) {
		was, isOld := old[key]
		is, isNew := newer[key]
		kind, name := ReasonInput, strings.TrimPrefix(key, variablePrefix)
		isVariable := name != key
		if isVariable && (was.isText || is.isText) {
			if isOld && oldNames != nil || isNew && newNames != nil {
				d.overlayVariables[name] = true
				continue
			}
			kind = ReasonVariable
		}
		switch {
		case !isOld:
			d.add(Reason{Kind: kind, Name: name, Change: string(Added)})
		case !isNew:
			d.add(Reason{Kind: kind, Name: name, Change: string(Removed)})
		case was.definition != is.definition:
			d.add(Reason{Kind: kind, Name: name, Change: string(Changed)})
		default:
			d.paramValue(kind, name, was, is)
		}
	}
	if len(d.reasons) == before && !slices.Equal(oldOrder, newOrder) {
		d.add(Reason{Kind: ReasonInput, Change: reordered})
	}
}

// paramValue compares the values of an input that is defined in the same way.
func (d *comparison) paramValue(kind ReasonKind, name string, was, is podInput) {
	if kind == ReasonInput {
		kind = ReasonParam
	}
	if was.value != is.value {
		d.add(d.value(kind, name, was.value, is.value))
	} else if is.file {
		d.paramFile(name)
	}
}

// paramFile compares a param that both Pods have as a file.
func (d *comparison) paramFile(name string) {
	oldMap, _ := d.old.configMap(contract.ParamsVolume)
	newMap, _ := d.new.configMap(contract.ParamsVolume)
	if oldMap == newMap {
		return
	}
	before, isBefore := d.content(d.before, d.old, oldMap, name, "params")
	after, isAfter := d.content(d.after, d.new, newMap, name, "params")
	if isBefore && isAfter && before != after {
		d.add(d.value(ReasonParam, name, before, after))
	}
}

// variablePrefix is in front of the names of variables of which no document says which input they are. No input has it in
// its name.
const variablePrefix = "$"

// podInputs returns the inputs of a Pod by name, and their names in order. The variables of the overlay are among them.
func podInputs(of *step, nameOf func(variable string) string) (map[string]podInput, []string) {
	found := map[string]podInput{}
	var order []string
	add := func(name string, more podInput) {
		one, known := found[name]
		if !known {
			order = append(order, name)
		}
		one.definition += more.definition
		one.isText, one.file = one.isText || more.isText, one.file || more.file
		one.value += more.value
		found[name] = one
	}
	main := of.main()
	for _, mount := range main.VolumeMounts {
		name, isFile := strings.CutPrefix(mount.SubPath, inputsFolder)
		switch {
		case mount.Name == contract.ParamsVolume:
			add(mount.SubPath, podInput{definition: "param file " + mount.MountPath, file: true})
		case mount.Name == contract.IOVolume && isFile:
			add(name, podInput{definition: "file " + mount.MountPath + outputOf(of, name)})
		case contract.IsOutputsVolume(mount.Name):
			add(mount.MountPath, podInput{definition: "file of " + mount.Name + "/" + mount.SubPath})
		}
	}
	for _, v := range main.Env[min(len(main.Env), len(contract.StepVariables())):] {
		name := nameOf(v.Name)
		if name == "" {
			name = variablePrefix + v.Name
		}
		if v.ValueFrom == nil {
			add(name, podInput{definition: " variable " + v.Name, value: valueOf(v), isText: true})
		} else if producer := producerOf(of, v.ValueFrom); producer != "" {
			add(name, podInput{definition: " variable " + v.Name + producer})
		}
	}
	return found, order
}

var inputsFolder = strings.TrimPrefix(contract.InputsFolder, contract.IOFolder+"/") + "/"

// outputOf returns which output a file is, by the plan.
func outputOf(of *step, file string) string {
	for _, producer := range of.plan.Producers {
		for _, input := range producer.Inputs {
			if input.File == file {
				return " of " + path.Join(producer.Step, input.Output)
			}
		}
	}
	return ""
}

// producerOf returns the output that a variable reads, empty if it does not read one.
func producerOf(of *step, from *corev1.EnvVarSource) string {
	if from.SecretKeyRef == nil {
		return ""
	}
	for i, producer := range of.plan.Producers {
		if of.job.Template.Annotations[contract.InputSecretKey(i)] == from.SecretKeyRef.Name {
			return " of " + path.Join(producer.Step, from.SecretKeyRef.Key)
		}
	}
	return ""
}

// union returns the texts of both lists, each once.
func union(a, b []string) []string {
	all, known := slices.Clone(a), make(map[string]bool, len(a))
	for _, text := range a {
		known[text] = true
	}
	for _, text := range b {
		if !known[text] {
			all = append(all, text)
		}
	}
	return all
}
