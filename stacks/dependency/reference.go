package dependency

import (
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/resource-plugins/krm-functions/internal/document"
)

// pins reports whether a selector means one version, whatever else is published: a version in full, or a tag that is no
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

// parseTag reads a tag that is a version: strict semver, or v and that.
func parseTag(text string) (*semver.Version, error) {
	return document.ParseStrictVersion(strings.TrimPrefix(text, "v"))
}
