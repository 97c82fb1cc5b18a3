//go:build !linux

package process

// Main runs a step if the engine has started the program for that, which it does only on Linux.
func Main([]string) (exitCode int, isStep bool) { return 0, false }
