//go:build !linux

package process

// Main runs a step if a program that uses the engine was started for that: only on Linux.
func Main([]string) (exitCode int, isStep bool) { return 0, false }
