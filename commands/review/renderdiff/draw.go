package renderdiff

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/diagram"
	"github.com/resource-plugins/krm-functions/internal/document"
)

// ErrNothingRuns is the error of Draw if no step runs.
var ErrNothingRuns = errors.New("no step runs: there is nothing to draw")

// drawing is a plugin with the steps that run, and the resources that run them.
type drawing struct {
	of        *step
	marks     map[string]diagram.Mark
	resources []string
}

// Draw draws the plugins whose steps run, and marks these. It is an error if a plugin's document is not known.
func (r *Report) Draw(format diagram.Format) ([]byte, error) {
	var pictures []*diagram.Picture
	for _, one := range r.drawings() {
		spec := r.compare.after.plugin(one.of)
		if spec == nil {
			return nil, fmt.Errorf("the graph needs the document of plugin %q, which is not among those of %s",
				one.of.plugin, r.After)
		}
		title := one.of.plugin + ": " + one.resources[0]
		if more := len(one.resources) - 1; more > 0 {
			title += fmt.Sprintf(" and %d more", more)
		}
		picture, problems := diagram.NewMarked(&document.Plugin{Name: title, Spec: *spec}, one.marks)
		if len(problems) > 0 {
			return nil, errors.New(problems[0].String())
		}
		pictures = append(pictures, picture)
	}
	if len(pictures) == 0 {
		return nil, ErrNothingRuns
	}
	return diagram.Draw(format, pictures)
}

// drawings returns the pictures to draw, one for all resources with the same plugin and the same steps that run.
func (r *Report) drawings() (all []*drawing) {
	known := map[string]*drawing{}
	for _, sandbox := range slices.Sorted(maps.Keys(r.compare.changed)) {
		resources := r.compare.changed[sandbox].resources
		for _, name := range slices.Sorted(maps.Keys(resources)) {
			one := marked(resources[name].steps)
			if one == nil {
				continue
			}
			parts := append(make([]string, 0, 2+2*len(one.marks)), one.of.plugin, one.of.digest)
			for _, step := range slices.Sorted(maps.Keys(one.marks)) {
				parts = append(parts, step, string(one.marks[step]))
			}
			key := strings.Join(parts, "\x00")
			if known[key] == nil {
				known[key] = one
				all = append(all, one)
			}
			known[key].resources = append(known[key].resources, sandbox+"/"+name)
		}
	}
	return all
}

// marked returns the steps that run, nil if none does.
func marked(steps []*stepChange) *drawing {
	one := &drawing{marks: map[string]diagram.Mark{}}
	for _, step := range steps {
		switch step.run {
		case First:
			one.marks[step.new.step] = diagram.Runs
		case Again:
			one.marks[step.new.step] = diagram.RunsAgain
		case No, Gone:
			continue
		}
		one.of = step.new
	}
	if one.of == nil {
		return nil
	}
	return one
}
