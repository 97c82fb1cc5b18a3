package validate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/form"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

const labelsPath krm.Path = "spec.labels"

// The labels of the pull-request integration, the only ones with the reserved prefix (Sandbox reference, spec.labels).
const (
	reservedLabels   = "signadot/"
	repoLabel        = reservedLabels + "github-repo"
	pullRequestLabel = reservedLabels + "github-pull-request"
)

// labelKey: Sandbox spec, spec.labels.
var labelKey = Rule{
	ID: "label-key", Severity: krm.Error,
	Demand:  "A label's key has 1 to 255 bytes of letters, digits, dashes and underscores.",
	Why:     "The server refuses the sandbox.",
	Example: `spec.labels: {"my label": a}`,
	sandbox: func(c *sandboxCheck) {
		c.labels(func(key, _ string) {
			if wrong := checkLabelKey(key); wrong != "" {
				c.report(labelsPath.Key(key), "label key %s", wrong)
			}
		})
	},
}

// labelKeyForm: Sandbox reference, spec.labels: real files use / and . in keys.
var labelKeyForm = Rule{
	ID: "label-key-form", Severity: krm.Warning,
	Demand:  "A label's key has no slash and no dot.",
	Why:     "The specification does not allow them, though they are in use.",
	Example: "spec.labels: {example.com/team: a}",
	sandbox: func(c *sandboxCheck) {
		c.labels(func(key, _ string) {
			if strings.ContainsAny(key, "/.") && !strings.HasPrefix(key, reservedLabels) {
				c.report(labelsPath.Key(key), "label key %q must not hold a slash or a dot by the specification: use dashes", key)
			}
		})
	},
}

// labelValue: Sandbox spec, spec.labels.
var labelValue = Rule{
	ID: "label-value", Severity: krm.Error,
	Demand:  "A label's value has 1 to 255 bytes.",
	Why:     "The server refuses the sandbox.",
	Example: `spec.labels: {team: ""}`,
	sandbox: func(c *sandboxCheck) {
		c.labels(func(key, value string) {
			if value == "" {
				c.report(labelsPath.Key(key), "label value must not be empty")
			} else if wrong := checkLength(value); wrong != "" {
				c.report(labelsPath.Key(key), "label value %s", wrong)
			}
		})
	},
}

// labelReserved: Sandbox reference, spec.labels: the prefix is reserved for the pull-request pair, both together.
var labelReserved = Rule{
	ID: "label-reserved", Severity: krm.Error,
	Demand:  "Of labels that begin with signadot/ there are only github-repo and github-pull-request, both together.",
	Why:     "The prefix is reserved, and each of the two means nothing without the other.",
	Example: "spec.labels: {signadot/github-repo: a/b}",
	sandbox: func(c *sandboxCheck) {
		other := map[string]string{repoLabel: pullRequestLabel, pullRequestLabel: repoLabel}
		c.labels(func(key, _ string) {
			switch needed, known := other[key]; {
			case !strings.HasPrefix(key, reservedLabels):
			case !known:
				c.report(labelsPath.Key(key), "label key %q must not begin with %q: the prefix is reserved", key, reservedLabels)
			case !has(c.Spec.Labels, needed):
				c.report(labelsPath.Key(key), "label %q must be given together with %q", key, needed)
			}
		})
	},
}

func has(labels map[string]string, key string) bool {
	_, ok := labels[key]
	return ok
}

// labels calls do for each label, sorted by key.
func (c *sandboxCheck) labels(do func(key, value string)) {
	for _, key := range slices.Sorted(maps.Keys(c.Spec.Labels)) {
		do(key, c.Spec.Labels[key])
	}
}

// checkLabelKey checks a label's key (Sandbox spec, spec.labels). Slashes and dots, which are in real files, pass.
func checkLabelKey(key string) string {
	odd := func(r rune) bool { return !form.Alphanumeric(r) && !strings.ContainsRune("-_/.", r) }
	switch {
	case key == "":
		return "must not be empty"
	case strings.IndexFunc(key, odd) >= 0:
		return fmt.Sprintf("must hold letters, digits, dashes and underscores only, not as %q does", key)
	default:
		return checkLength(key)
	}
}
