package validate

import (
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

var fixtureForm = Rule{
	ID: "fixture-form", Severity: krm.Error,
	Summary: "A fixture has an image, a command or both, no empty word in front of a command, and a port from 1 to 65535.",
	Why:     "There would be nothing to run, or nothing to connect to.",
	Sources: []string{},
	Example: "spec.fixtures[1].command: []",
	checks: []check{pluginTestCheck(func(r *Rule, t *pluginTest) {
		for i, fixture := range t.Spec.Fixtures {
			path := fixturePath(i)
			switch {
			case fixture.Image == "" && len(fixture.Command) == 0:
				t.Report(r, path, "must have an image, for a container, or a command that runs on this machine")
			case len(fixture.Command) > 0 && fixture.Command[0] == "":
				t.Report(r, path.Key("command").Index(0), "must name a program")
			}
			if len(fixture.Ready) > 0 && fixture.Ready[0] == "" {
				t.Report(r, path.Key("ready").Index(0), "must name a program")
			}
			if fixture.Port != 0 {
				t.Must(r, path.Key("port"), "", checkPort(fixture.Port))
			}
		}
	})},
}
