package registry

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
)

// Limits of packages. They keep memory and time small; real packages are far below them.
const (
	// MaxFile is the size of one file of a `.registry` folder, in bytes, and MaxPackage that of all files.
	MaxFile    = 16 << 20
	MaxPackage = 128 << 20
	// MaxFiles is the number of files of a package, and MaxDepth the number of elements of their paths.
	MaxFiles = 10_000
	MaxDepth = 128
	// maxLinks is how many links in a folder may lead to each other. Linux allows 40.
	maxLinks = 40
)

// Errors of files.
var (
	ErrFiles  = fmt.Errorf("must have at most %d files", MaxFiles)
	ErrDevice = errors.New("must be a file, a folder or a link")
)

// ReadLimited reads all of a file that has at most limit bytes.
func ReadLimited(r io.Reader, limit int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = TooLarge(limit)
	}
	if err != nil {
		return nil, err
	}
	return text, nil
}

// TooLarge is the error of a file with more than limit bytes.
func TooLarge(limit int64) error { return fmt.Errorf("must not be larger than %d bytes", limit) }

// OpenRegular opens a file that ends: to open a named pipe waits for a writer.
func OpenRegular(files fs.FS, name string) (fs.File, error) {
	if IsSpecial(files, name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: ErrDevice}
	}
	return files.Open(name)
}

// IsSpecial reports whether a path is, or links to, what is neither a file nor a folder. To ask for its state by fs.Stat
// could open it.
func IsSpecial(files fs.FS, name string) bool { return isSpecial(files, name, 0) }

func isSpecial(files fs.FS, name string, links int) bool {
	info, err := fs.Lstat(files, name)
	if err != nil {
		return false
	}
	if info.Mode()&fs.ModeSymlink == 0 {
		return !info.Mode().IsRegular() && !info.IsDir()
	}
	target, err := fs.ReadLink(files, name)
	if target = path.Join(path.Dir(name), target); err != nil || links == maxLinks || !fs.ValidPath(target) {
		return false // to open it is an error
	}
	return isSpecial(files, target, links+1)
}

// Reason is an error of the file system without the path.
func Reason(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
