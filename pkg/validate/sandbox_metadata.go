package validate

import (
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

var sandboxName = Rule{
	ID: "sandbox-name", Severity: krm.Error,
	Summary: "A sandbox's name has letters, digits and inner dashes, starts with a letter, and has at most 30 bytes.",
	Why:     "The name identifies the sandbox and becomes part of host names.",
	Example: "metadata.name: feature_x",
	checks:  []check{sandboxCheck(func(r *Rule, s *sandbox) { s.Must(r, namePath, "name", checkName(s.Name)) })},
}

// checkName checks the name of a sandbox or of a route group.
func checkName(name string) string {
	if name == "" {
		return "must not be empty"
	}
	return document.CheckIdentifier(name)
}

var duplicateSandbox = Rule{
	ID: "duplicate-sandbox", Severity: krm.Error,
	Summary: "A cluster has one sandbox of a name; the case of letters does not count.",
	Why:     "Signadot folds names to lower case: the second document would replace the first.",
	Example: "metadata.name: FEATURE-X",
	checks: []check{listCheck{contract.Sandbox, func(r *Rule, d *documents) {
		for s, other := range repeated(d.sandboxes, (*sandbox).identity) {
			s.Report(r, namePath, "sandbox %q is given twice: %q%s is the same one in cluster %q; rename one of them",
				s.Name, other.Name, Origin(other.Item), s.Spec.Cluster)
		}
	}}},
}

func (s *sandbox) identity() identity { return identity{s.LowerName(), s.Spec.Cluster} }

// sandboxState is about the annotation resourceplugins.dev/state.
var sandboxState = Rule{
	ID: "sandbox-state", Severity: krm.Error,
	Summary: `The annotation resourceplugins.dev/state of a sandbox or a route group is "absent" or "present", if it is set.`,
	Why:     "Any other value does not say whether the document is to be torn down: all functions refuse it.",
	Sources: []string{},
	Example: `metadata.annotations: {resourceplugins.dev/state: Absent}`,
	checks: []check{
		sandboxCheck(func(r *Rule, s *sandbox) { s.state(r) }),
		routeGroupCheck(func(r *Rule, g *routeGroup) { g.state(r) }),
	},
}

var skippedStep = Rule{
	ID: "skipped-step", Severity: krm.Error,
	Summary: "The annotation resourceplugins.dev/skip-delete of a sandbox lists RESOURCE/STEP of its resources.",
	Why:     "The delete steps that are given up must be those that are meant: render functions refuse others.",
	Sources: []string{},
	Example: `metadata.annotations: {resourceplugins.dev/skip-delete: drop}`,
	checks: []check{sandboxCheck(func(r *Rule, s *sandbox) {
		text, _ := s.item.Annotation(contract.SkipDeleteKey)
		if _, err := document.SkippedSteps(text, &s.Spec); err != nil {
			s.Report(r, document.SkipDeletePath(), "%v", err)
		}
	})},
}

var forkStart = Rule{
	ID: "fork-start", Severity: krm.Error,
	Summary: "The annotation resourceplugins.dev/fork-start of a sandbox is after-create.",
	Why:     "A misspelled value would let forks start before the create steps are done: render functions refuse it.",
	Sources: []string{},
	Example: `metadata.annotations: {resourceplugins.dev/fork-start: later}`,
	checks: []check{sandboxCheck(func(r *Rule, s *sandbox) {
		if _, err := s.ForksLast(); err != nil {
			s.Report(r, document.ForkStartPath(), "%v", err)
		}
	})},
}

func (c *Document) state(r *Rule) {
	if _, err := document.IsAbsent(c.item); err != nil {
		c.Report(r, document.StatePath(), "%v", err)
	}
}
