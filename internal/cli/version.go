package cli

import "runtime/debug"

// Version is what a release build stamps, with -ldflags "-X …/internal/cli.Version=v0.1.0".
var Version string

// BuildVersion returns the stamped version, or what the Go toolchain knows of the build.
func BuildVersion() string {
	if Version != "" {
		return Version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
