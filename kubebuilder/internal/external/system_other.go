//go:build !unix

package external

import (
	"io/fs"
	"os/exec"
)

// isExecutable reports whether the file may be executed, which its mode does not tell here.
func isExecutable(fs.FileInfo) bool { return true }

// ownGroup does nothing: the plugin alone is ended.
func ownGroup(*exec.Cmd) {}

// endGroup does nothing.
func endGroup(*exec.Cmd) {}
