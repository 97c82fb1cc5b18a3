package renderdiff

import (
	"cmp"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
)

// comparison finds the reasons why a step runs again. The parts of a generation are found in these places:
//
//	script        the ConfigMap behind the volume of the script
//	image         of the container main
//	params        variables of main, and the ConfigMap behind the volume of the params
//	inputs        variables from Secrets, mounts and the plan's producers; by the plugins' documents, if they are known
//	outputs       the plan
//	producers     their generations in the plan, or on their Secrets
//	overlay       by the plugins' documents, if they are known; else the rest of the Pod template
//
// Parts that are only in the documents are found by elimination.
type comparison struct {
	*compare

	old, new *step
	reasons  []Reason
	// overlayVariables are the variables with a value that certainly come from the overlay.
	overlayVariables map[string]bool
	// hidden is set if a part of the step could not be compared.
	hidden bool
}

// run returns whether and why a step runs.
func (c *compare) run(before, after *step) (Run, []Reason) {
	if before == nil {
		return First, nil
	}
	if after == nil {
		return Gone, nil
	}
	d := &comparison{compare: c, old: before, new: after, overlayVariables: map[string]bool{}}
	switch same := before.generation == after.generation; {
	case same && !d.losesTrack():
		d.addRendering()
		return No, nil
	case before.job == nil:
		d.cannot("step %s/%s of %s/%s except its generation, since %s does not have its %s", after.phase, after.step,
			after.sandbox, after.resource, c.before.name, after.workload())
		return Again, []Reason{{Kind: ReasonUnknown}}
	case after.job == nil:
		return Again, []Reason{{Kind: ReasonUnknown}}
	case same:
		d.track()
	default:
		d.track()
		d.generation()
	}
	return Again, d.reasons
}

// losesTrack reports whether the new render has no record that the step ran.
func (d *comparison) losesTrack() bool {
	switch {
	case d.old.job == nil:
		return false
	case d.new.publishes():
		return !d.old.publishes() || d.old.namespace != d.new.namespace
	}
	return d.old.identity != d.new.identity
}

// track adds the reasons why a step with the same generation runs again.
func (d *comparison) track() {
	from, to := d.old.namespace, d.new.namespace
	if from != to {
		d.add(Reason{Kind: ReasonNamespace, Before: cmp.Or(from, "default"), After: cmp.Or(to, "default")})
	}
	switch {
	case d.old.generation != d.new.generation:
	case !d.new.publishes():
		d.reasons = append(d.reasons, d.jobReasons()...)
	case !d.old.publishes():
		d.add(Reason{Kind: ReasonSecret})
	}
}

func (d *comparison) add(reasons ...Reason) { d.reasons = append(d.reasons, reasons...) }

// cannot records a part that cannot be compared.
func (d *comparison) cannot(format string, args ...any) {
	d.hidden = true
	d.report.NotCompared = append(d.report.NotCompared, fmt.Sprintf(format, args...))
}

// generation adds the reasons for a different generation.
func (d *comparison) generation() {
	before := len(d.reasons)
	d.identity()
	d.script()
	if from, to := d.old.main().Image, d.new.main().Image; from != to {
		d.add(Reason{Kind: ReasonImage, Before: from, After: to})
	}
	d.values()
	was, is := d.plugin(d.old), d.plugin(d.new)
	if was != nil && is != nil {
		d.inputsOf(stepOf(was, d.old), stepOf(is, d.new))
	} else {
		d.inputs(namesOf(was, d.old), namesOf(is, d.new))
	}
	d.outputs()
	d.producers()
	d.overlay(was, is, len(d.reasons) == before)
	switch {
	case d.hidden:
		d.add(Reason{Kind: ReasonUnknown})
	case len(d.reasons) > before:
	default: // a part of the overlay that the Pod does not show
		d.add(Reason{Kind: ReasonOverlay})
	}
}

// plugin returns the plugin that a step was rendered from, of either side's documents; nil if it is not known.
func (d *comparison) plugin(of *step) *v1alpha1.ResourcePluginSpec {
	if spec := d.before.plugin(of); spec != nil {
		return spec
	}
	return d.after.plugin(of)
}

// identity compares the variables that every script gets.
func (d *comparison) identity() {
	for _, one := range []struct {
		variable string
		kind     ReasonKind
	}{{contract.SandboxIDVariable, ReasonSandboxID}, {contract.RoutingKeyVariable, ReasonRoutingKey}} {
		if variable(d.old.main(), one.variable) != variable(d.new.main(), one.variable) {
			d.add(Reason{Kind: one.kind})
		}
	}
}

// variable returns the value of a variable, empty if the container does not have it.
func variable(container *corev1.Container, name string) string {
	for _, v := range container.Env {
		if v.Name == name {
			return valueOf(v)
		}
	}
	return ""
}

// script compares the scripts. ConfigMaps of the same name have the same scripts.
func (d *comparison) script() {
	oldMap, oldKey := d.old.configMap(contract.ScriptVolume)
	newMap, newKey := d.new.configMap(contract.ScriptVolume)
	if oldMap == newMap && oldKey == newKey {
		return
	}
	was, isOld := d.content(d.before, d.old, oldMap, oldKey, "scripts")
	is, isNew := d.content(d.after, d.new, newMap, newKey, "scripts")
	if isOld && isNew && was != is {
		d.add(Reason{Kind: ReasonScript})
	}
}

// content returns the value of a key of a ConfigMap.
func (d *comparison) content(side *state, of *step, name, key, what string) (string, bool) {
	o := side.find(kindConfigMap, of.namespace, name)
	if o == nil {
		d.cannot("%s, since %s does not have ConfigMap %q", what, side.name, name)
		return "", false
	}
	return o.data[key], true
}

// outputs compares the outputs of the steps.
func (d *comparison) outputs() {
	paths := func(outputs []contract.Output) (map[string]string, []string) {
		found := map[string]string{}
		order := make([]string, len(outputs))
		for i, output := range outputs {
			found[output.Name], order[i] = output.Path, output.Name
		}
		return found, order
	}
	was, oldOrder := paths(d.old.plan.Outputs)
	is, newOrder := paths(d.new.plan.Outputs)
	d.named(ReasonOutput, was, is, oldOrder, newOrder)
}

// reordered is the Reason.Change of the same inputs or outputs in a different order, which generations depend on.
const reordered = "reordered"

// named compares definitions by name, and if they are the same, their order.
func (d *comparison) named(kind ReasonKind, older, newer map[string]string, oldOrder, newOrder []string) {
	before := len(d.reasons)
	for _, name := range newOrder {
		was, found := older[name]
		switch {
		case !found:
			d.add(Reason{Kind: kind, Name: name, Change: string(Added)})
		case was != newer[name]:
			d.add(Reason{Kind: kind, Name: name, Change: string(Changed)})
		}
	}
	for _, name := range oldOrder {
		if _, found := newer[name]; !found {
			d.add(Reason{Kind: kind, Name: name, Change: string(Removed)})
		}
	}
	if len(d.reasons) == before && !slices.Equal(oldOrder, newOrder) {
		d.add(Reason{Kind: kind, Change: reordered})
	}
}

// producers compares the generations of the steps whose outputs are read. A producer that is added or removed is reported
// as an input.
func (d *comparison) producers() {
	old := map[string]string{}
	for i, producer := range d.old.plan.Producers {
		old[producer.Step] = d.before.producerGeneration(d.old, i)
	}
	for i, producer := range d.new.plan.Producers {
		was, found := old[producer.Step]
		generation := d.after.producerGeneration(d.new, i)
		switch {
		case !found:
		case was == "" || generation == "":
			side := d.after
			if was == "" {
				side = d.before
			}
			d.cannot("whether step %s of %s/%s ran again, since %s does not have its Secret", producer.Step,
				d.new.sandbox, d.new.resource, side.name)
		case was != generation:
			d.add(Reason{Kind: ReasonProducer, Name: producer.Step})
		}
	}
}

// stepOf returns a plugin's document of a step, nil if it has none.
func stepOf(spec *v1alpha1.ResourcePluginSpec, of *step) *v1alpha1.Step {
	if spec == nil {
		return nil
	}
	steps := spec.Workflow(of.phase)
	for i := range steps {
		if steps[i].Name == of.step {
			return &steps[i]
		}
	}
	return nil
}
