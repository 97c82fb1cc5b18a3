package cli

import "runtime/debug"

// Version is the version of a release build, set with -ldflags "-X …/internal/cli.Version=v0.1.0".
var Version string

// BuildVersion returns Version, or the version that the Go toolchain recorded in the build.
func BuildVersion() string {
	if Version != "" {
		return Version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
