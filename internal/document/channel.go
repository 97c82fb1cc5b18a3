package document

import (
	"fmt"

	"github.com/Masterminds/semver/v3"
	"k8s.io/apimachinery/pkg/util/validation"
)

// CheckChannel checks a channel's name: a DNS-1035 label (at most 63 lower-case letters, digits and inner dashes, the
// first a letter) that a reference would not read as a version (`v1-stable`), as a range (`x`) or as LatestVersion.
func CheckChannel(name string) error {
	_, notVersion := semver.NewVersion(name)
	_, notRange := semver.NewConstraint(name)
	switch {
	case !hasChannelForm(name):
		return fmt.Errorf("channel %q must be at most %d lower-case letters, digits and inner dashes, the first a letter",
			name, validation.DNS1035LabelMaxLength)
	case name == LatestVersion:
		return fmt.Errorf("channel %q must not be defined: it is the highest version", name)
	case notVersion == nil || notRange == nil:
		return fmt.Errorf("channel %q must not read as a version or as a range: rename it", name)
	}
	return nil
}

func hasChannelForm(text string) bool { return len(validation.IsDNS1035Label(text)) == 0 }
