package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/internal/status"
)

// pollInterval is the time between two looks at the cluster.
const pollInterval = 2 * time.Second

// await returns the state of a render, with --wait the first that is final or that of the end of the timeout. After the
// first look, kubectl may fail: API servers restart.
func (f *statusFlags) await(render *status.Render, shown changes) (*status.Report, error) {
	end := time.Now().Add(f.timeout)
	found, err := f.look(render)
	if err != nil || !f.wait {
		return found, err
	}
	for {
		if err == nil {
			for _, step := range found.Steps {
				shown.show(step.Step+" "+step.Object, strings.Join(texts(step), "  "))
			}
			if found.Status == status.Ready || found.Status.NeedsUser() {
				return found, nil
			}
		} else {
			shown.show("kubectl", err.Error())
		}
		if time.Until(end) < pollInterval {
			return found, err
		}
		time.Sleep(pollInterval)
		var next *status.Report
		if next, err = f.look(render); err == nil {
			found = next
		}
	}
}

// look returns the present state of a render. kubectl reads one object after the other, so a step that publishes meanwhile
// can seem to have ended without its outputs: what needs the user is looked at twice.
func (f *statusFlags) look(render *status.Render) (*status.Report, error) {
	var found *status.Report
	for range 2 {
		live, err := f.kubectl.run(render.Query(), "get", "-f", "-", "--ignore-not-found", "-o", "json")
		if err != nil {
			return nil, err
		}
		if found, err = render.Judge(live); err != nil || !found.Status.NeedsUser() {
			return found, err
		}
	}
	return found, nil
}

// changes prints what has changed since the last look, a line for each.
type changes struct {
	out  io.Writer
	name string
	last map[string]string
}

func (c changes) show(key, text string) {
	if c.last[key] != text {
		c.last[key] = text
		_, _ = fmt.Fprintf(c.out, "%s: %s\n", c.name, report.Printable(strings.TrimSpace(text)))
	}
}
