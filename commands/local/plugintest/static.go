package plugintest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
)

// static returns the checks of a plugin that do not run it.
func (s *Suite) static(t *test) []Check {
	return []Check{
		t.static(v1alpha1.CheckInputsRead, s.unread[t.plugin.Item]),
		t.static(v1alpha1.CheckOutputsRead, s.unreadOutputs(t)),
		t.static(v1alpha1.CheckInputsDeclared, undeclared(t.plugin)),
	}
}

func (t *test) static(id string, messages []string) Check {
	check := Check{Test: t.Name, ID: id, Result: Passed, Messages: messages}
	switch {
	case slices.Contains(t.Spec.Skip, id):
		check.Result, check.Messages = Skipped, []string{skippedByTest}
	case len(messages) > 0:
		check.Result = Failed
	}
	return check
}

// unreadOutputs returns a message for each output that no step of the plugin, no sandbox of the list, and no expectation or
// script of the test reads.
func (s *Suite) unreadOutputs(t *test) []string {
	read := map[string]bool{}
	for _, step := range document.Steps(&t.plugin.Spec) {
		for _, in := range step.Inputs {
			if in.ValueFromStep != nil {
				read[in.ValueFromStep.Key()] = true
			}
		}
	}
	for _, sandbox := range s.sandboxes {
		for _, used := range usedBy(sandbox, &t.plugin.Spec, t.resourceName(), t.Spec.Plugin) {
			read[used] = true
		}
	}
	var messages []string
	for ref, step := range document.Steps(&t.plugin.Spec) {
		for i, out := range step.Outputs {
			name := key(step.Name, out.Name)
			if !read[name] && !t.expects(step.Name, out.Name) {
				messages = append(messages, fmt.Sprintf(
					"%s: output %q is never read: read it in a step, a sandbox or an expectation, or remove it", ref.Output(i), name))
			}
		}
	}
	return messages
}

// expects reports whether a case has an expectation for an output.
func (t *test) expects(step, output string) bool {
	name := variable("OUTPUT", key(step, output))
	for i := range t.Spec.Cases {
		for _, phase := range v1alpha1.Phases {
			expected := t.Spec.Cases[i].Expectation(phase)
			isListed := slices.ContainsFunc(expected.Outputs, func(e v1alpha1.OutputExpectation) bool {
				return e.Step == step && e.Output == output
			})
			if isListed || strings.Contains(expected.Check, name) {
				return true
			}
		}
	}
	return false
}

// usedBy returns the outputs of a plugin that the workloads of a sandbox use.
func usedBy(sandbox *document.Sandbox, plugin *v1alpha1.ResourcePluginSpec, bare, reference string) []string {
	resources := map[string]bool{}
	wanted, err := document.ParsePluginReference(reference)
	if err == nil {
		bare = wanted.Bare
	}
	for _, resource := range sandbox.Spec.Resources {
		named, err := document.ParsePluginReference(resource.Plugin)
		resources[resource.Name] = err == nil && named.Bare == bare
	}
	var used []string
	for _, from := range resourceOutputs(&sandbox.Spec) {
		if !resources[from.Name] {
			continue
		}
		for _, out := range document.OutputsOf(plugin, from.OutputKey) {
			used = append(used, out.Key())
		}
	}
	return used
}

// resourceOutputs returns the outputs of resources in variables and files of a sandbox's workloads.
func resourceOutputs(sandbox *v1alpha1.SandboxSpec) []*v1alpha1.ResourceOutput {
	var all []*v1alpha1.ResourceOutput
	var variables []v1alpha1.Env
	for _, fork := range sandbox.Forks {
		if fork.Customizations != nil {
			variables = append(variables, fork.Customizations.Env...)
		}
	}
	for _, local := range sandbox.Local {
		variables = append(variables, local.Env...)
		for _, file := range local.Files {
			if file.ValueFrom != nil && file.ValueFrom.Resource != nil {
				all = append(all, file.ValueFrom.Resource)
			}
		}
	}
	for _, variable := range variables {
		if variable.ValueFrom != nil && variable.ValueFrom.Resource != nil {
			all = append(all, variable.ValueFrom.Resource)
		}
	}
	return all
}
