package validate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

const labelsPath krm.Path = "spec.labels"

// Labels of the pull-request integration, the only ones with the reserved prefix.
const (
	reservedLabels   = "signadot/"
	repoLabel        = reservedLabels + "github-repo"
	pullRequestLabel = reservedLabels + "github-pull-request"
)

var labelKey = Rule{
	ID: "label-key", Severity: krm.Error,
	Summary: "A label's key has 1 to 255 bytes of letters, digits, dashes and underscores.",
	Why:     "Signadot refuses the sandbox.",
	Example: `spec.labels: {"my label": a}`,
	checks: eachLabel(func(r *Rule, s *sandbox, key, _ string) {
		if wrong := checkLabelKey(key); wrong != "" {
			s.ReportKey(r, labelsPath.Key(key), "label key %s", wrong)
		}
	}),
}

var labelKeyForm = Rule{
	ID: "label-key-form", Severity: krm.Warning,
	Summary: "A label's key has no slash and no dot.",
	Why:     "The specification does not allow them, though they are in use.",
	Example: "spec.labels: {example.com/team: a}",
	checks: eachLabel(func(r *Rule, s *sandbox, key, _ string) {
		if strings.ContainsAny(key, "/.") && !strings.HasPrefix(key, reservedLabels) {
			s.ReportKey(r, labelsPath.Key(key), "label key %q must not hold a slash or a dot by the specification: use dashes", key)
		}
	}),
}

var labelValue = Rule{
	ID: "label-value", Severity: krm.Error,
	Summary: "A label's value has 1 to 255 bytes.",
	Why:     "Signadot refuses the sandbox.",
	Example: `spec.labels: {team: ""}`,
	checks: eachLabel(func(r *Rule, s *sandbox, key, value string) {
		wrong := checkLength(value)
		if value == "" {
			wrong = "must not be empty"
		}
		s.Must(r, labelsPath.Key(key), "label value", wrong)
	}),
}

var labelReserved = Rule{
	ID: "label-reserved", Severity: krm.Error,
	Summary: "Of labels that begin with signadot/ there are only github-repo and github-pull-request, both together.",
	Why:     "The prefix is reserved, and each of the two means nothing without the other.",
	Example: "spec.labels: {signadot/github-repo: a/b}",
	checks: eachLabel(func(r *Rule, s *sandbox, key, _ string) {
		other := map[string]string{repoLabel: pullRequestLabel, pullRequestLabel: repoLabel}
		needed, known := other[key]
		_, given := s.Spec.Labels[needed]
		switch {
		case !strings.HasPrefix(key, reservedLabels):
		case !known:
			s.ReportKey(r, labelsPath.Key(key), "label key %q must not begin with %q: the prefix is reserved", key, reservedLabels)
		case !given:
			s.Report(r, labelsPath.Key(key), "label %q must be given together with %q", key, needed)
		}
	}),
}

// eachLabel checks each label of a sandbox, sorted by key.
func eachLabel(do func(r *Rule, s *sandbox, key, value string)) []check {
	return []check{sandboxCheck(func(r *Rule, s *sandbox) {
		for _, key := range slices.Sorted(maps.Keys(s.Spec.Labels)) {
			do(r, s, key, s.Spec.Labels[key])
		}
	})}
}

// checkLabelKey checks the key of a label. Slashes and dots, which are in use, are allowed.
func checkLabelKey(key string) string {
	invalid := func(r rune) bool { return !document.IsAlphanumeric(r) && !strings.ContainsRune("-_/.", r) }
	switch {
	case key == "":
		return "must not be empty"
	case strings.IndexFunc(key, invalid) >= 0:
		return fmt.Sprintf("must hold letters, digits, dashes and underscores only, not as %q does", key)
	default:
		return checkLength(key)
	}
}
