package dependency

import (
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/resource-plugins/krm-functions/internal/document"
)

// pins reports whether a selector means one version, whatever else is published: a full version, or a tag that is not a
// version range. A bare reference and Latest mean the highest release.
func pins(selector string) bool {
	if selector == "" || selector == document.LatestVersion {
		return false
	}
	if _, err := parseTag(strings.TrimSpace(strings.TrimPrefix(selector, "="))); err == nil {
		return true
	}
	_, err := semver.NewConstraint(selector)
	return err != nil
}

// parseTag parses a tag that is a version: strict semver, optionally prefixed with v.
func parseTag(text string) (*semver.Version, error) {
	return document.ParseStrictVersion(strings.TrimPrefix(text, "v"))
}
