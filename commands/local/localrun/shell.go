package localrun

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
)

// Shell is a shell that runs in the place of a step: in its image or folder, with its variables, inputs and script. Only the
// steps run whose outputs the step reads. Nothing is published when the shell ends.
type Shell struct {
	// Step is STEP or RESOURCE/STEP.
	Step string
	// Stdin is the input of the shell, and Stdout its output and error output.
	Stdin, Stdout *os.File
	// Terminal means that Stdin is a terminal.
	Terminal bool
}

// shellProgram is in nearly every image.
const shellProgram = "/bin/sh"

// shellEnded is the message about the step that a shell has replaced.
const shellEnded = "a shell has run in its place, so that nothing is published"

// replaces reports whether the shell runs in the place of a step.
func (h *Shell) replaces(s *step) bool {
	return h != nil && (h.Step == s.label() || h.Step == s.name)
}

// limit removes the steps of a phase that the shell does not need.
func (h *Shell) limit(p *phase) error {
	if h == nil {
		return nil
	}
	var needed []*step
	var known []string
	for _, s := range p.steps {
		known = append(known, s.label())
		if h.replaces(s) {
			needed = append(needed, s)
		}
	}
	switch {
	case len(needed) == 0:
		return fmt.Errorf("step %q must be one of the %s phase: %s", h.Step, p.name, strings.Join(known, ", "))
	case len(needed) > 1:
		return fmt.Errorf("step %q must be one step, not %d: name it as RESOURCE/STEP", h.Step, len(needed))
	}
	for i := 0; i < len(needed); i++ {
		for _, secret := range needed[i].inputs {
			if of := p.producerOf(secret, needed[i].namespace); of != nil && !slices.Contains(needed, of) {
				needed = append(needed, of)
			}
		}
	}
	p.steps = slices.DeleteFunc(p.steps, func(s *step) bool { return !slices.Contains(needed, s) })
	return nil
}

// in returns the container of a step with the shell as its command. The folders of outputs are empty.
func (h *Shell) in(c Container) Container {
	if c.Plan != nil {
		for _, output := range c.Plan.Outputs {
			folder := path.Dir(path.Clean(output.Path))
			if folder != "/" && !slices.Contains(c.Folders, folder) {
				c.Folders = append(c.Folders, folder)
			}
		}
	}
	c.Plan, c.Command, c.Stdin, c.Terminal, c.Log = nil, []string{shellProgram}, h.Stdin, h.Terminal, h.Stdout
	if h.Terminal {
		c.Command = append(c.Command, "-i")
	}
	return c
}
