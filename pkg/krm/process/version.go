package process

import "runtime/debug"

// Release is the version that a release build stamps with -ldflags "-X …/pkg/krm/process.Release=v0.1.0".
var Release string

// version returns the release, or what the Go toolchain knows of the build.
func version() string {
	if Release != "" {
		return Release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
