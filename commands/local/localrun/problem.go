package localrun

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// problem is a fault of the pod template of a step, in a field.
type problem struct{ step, field, message string }

// problems are the faults of one step or of several, which often have the same template.
type problems []problem

func (p *problems) add(step, field, message string) {
	*p = append(*p, problem{step, field, message})
}

// err returns an error for each message, such as that of a missing Secret, with the steps and the first field that have it.
func (p problems) err() error {
	var messages []string
	steps, fields := map[string][]string{}, map[string][]string{}
	add := func(to map[string][]string, message, value string) {
		if !slices.Contains(to[message], value) {
			to[message] = append(to[message], value)
		}
	}
	for _, one := range p {
		if steps[one.message] == nil {
			messages = append(messages, one.message)
		}
		add(steps, one.message, strconv.Quote(one.step))
		add(fields, one.message, one.field)
	}
	errs := make([]error, len(messages))
	for i, message := range messages {
		of := "step"
		if len(steps[message]) > 1 {
			of = "steps"
		}
		errs[i] = fmt.Errorf("%s %s: podTemplateOverlay: %s: %s",
			of, shortened(steps[message], 3), shortened(fields[message], 1), message)
	}
	return errors.Join(errs...)
}

// shortened lists the first texts, and how many more there are.
func shortened(texts []string, most int) string {
	if len(texts) <= most {
		return strings.Join(texts, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(texts[:most], ", "), len(texts)-most)
}
