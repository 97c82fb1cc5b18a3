package kubebuilder

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// Rules for the universe of messages.

var universePath = rule{
	Rule: validate.Rule{
		ID: "universe-path", Severity: krm.Error,
		Summary: "The path of a file in a response is the shortest one from the project's folder, with slashes. It leads " +
			"neither out of the project nor into a folder .git or .rplug, on any operating system.",
		Why:     "Kubebuilder writes what a response holds to any path, ../ included.",
		Example: "spec.exchanges[0].response.universe: {../Makefile: all}",
	},
	exchange: func(r *validate.Rule, p *externalPlugin, e exchange) {
		for _, name := range slices.Sorted(maps.Keys(e.response.Universe)) {
			if problem := v1alpha1.CheckUniversePath(name); problem != "" {
				p.ReportKey(r, e.responsePath.Key("universe").Key(name), "a path %s", problem)
			}
		}
		for i, name := range e.response.Deleted {
			p.Must(r, e.responsePath.Key("deleted").Index(i), "a path", v1alpha1.CheckUniversePath(name))
		}
	},
}

// projectFile is kubebuilder's own configuration of a project.
const projectFile = "PROJECT"

var universeProject = rule{
	Rule: validate.Rule{
		ID: "universe-project", Severity: krm.Error,
		Summary: "The response to init does not hold the file PROJECT.",
		Why:     "Kubebuilder writes it itself after the plugins, and fails if it exists.",
		Example: `spec.exchanges[0].response.universe.PROJECT: "3"`,
	},
	exchange: func(r *validate.Rule, p *externalPlugin, e exchange) {
		if _, found := e.response.Universe[projectFile]; found && e.request.Command == v1alpha1.CommandInit {
			p.ReportKey(r, e.responsePath.Key("universe").Key(projectFile),
				"must not be in the response to init: kubebuilder writes it")
		}
	},
}

var universeUnchanged = rule{
	Rule: validate.Rule{
		ID: "universe-unchanged", Severity: krm.Warning,
		Summary: "A response holds only files that the plugin has changed.",
		Why: "Kubebuilder sends U+FFFD for bytes that are not UTF-8: a binary file that is returned unchanged is written with " +
			"these, and is lost.",
		Example: "spec.exchanges[1].response.universe.PROJECT: \"layout:\\n- sample/v1\\nversion: \\\"3\\\"\\n\"",
	},
	exchange: func(r *validate.Rule, p *externalPlugin, e exchange) {
		for _, name := range slices.Sorted(maps.Keys(e.response.Universe)) {
			content := e.response.Universe[name]
			if before, found := e.request.Universe[name]; !found || before != content {
				continue
			}
			what := "must be left out: it is not changed"
			if strings.ContainsRune(content, utf8.RuneError) {
				what += ", and its bytes that are not UTF-8 would be lost"
			}
			p.ReportKey(r, e.responsePath.Key("universe").Key(name), "%s", what)
		}
	},
}
