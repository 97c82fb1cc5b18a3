//go:build !unix

package external

import (
	"io/fs"
	"os/exec"
)

// isExecutable always returns true: file modes have no executable bits here.
func isExecutable(fs.FileInfo) bool { return true }

// setGroup does nothing: only the plugin itself is killed.
func setGroup(*exec.Cmd) {}

// killGroup does nothing.
func killGroup(*exec.Cmd) {}
