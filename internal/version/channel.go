package version

import (
	"fmt"

	"github.com/Masterminds/semver/v3"
)

// MaxChannel is how many bytes a channel's name may have.
const MaxChannel = 63

// CheckChannel checks a channel's name: lower-case letters, digits and inner dashes, the first a letter, at most
// MaxChannel of them, and nothing that a reference would read as a version (`v1-stable`), as a range (`x`) or as Latest.
func CheckChannel(name string) error {
	_, notVersion := semver.NewVersion(name)
	_, notRange := semver.NewConstraint(name)
	switch {
	case !hasChannelForm(name):
		return fmt.Errorf("channel %q must be at most %d lower-case letters, digits and inner dashes, the first a letter",
			name, MaxChannel)
	case name == Latest:
		return fmt.Errorf("channel %q must not be defined: it is the highest version", name)
	case notVersion == nil || notRange == nil:
		return fmt.Errorf("channel %q must not read as a version or as a range: rename it", name)
	}
	return nil
}

func hasChannelForm(text string) bool {
	if text == "" || len(text) > MaxChannel || text[0] < 'a' || text[0] > 'z' || text[len(text)-1] == '-' {
		return false
	}
	for i := range len(text) {
		if c := text[i]; c != '-' && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}
