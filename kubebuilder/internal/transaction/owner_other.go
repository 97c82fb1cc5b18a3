//go:build !unix

package transaction

import "io/fs"

// isPrivate reports true: the access lists of the user's profile apply.
func isPrivate(fs.FileInfo) bool { return true }
