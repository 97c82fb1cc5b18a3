package registry

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
)

// Limits of packages. They bound memory and time; real packages are far below them.
const (
	// MaxFile is the maximum size of a file in a `.registry` folder, in bytes, and MaxPackage that of all its files.
	MaxFile    = 16 << 20
	MaxPackage = 128 << 20
	// MaxFiles is the maximum number of files of a package, and MaxDepth that of elements in a path.
	MaxFiles = 10_000
	MaxDepth = 128
	// maxLinks is the maximum length of a chain of links in a folder. Linux allows 40.
	maxLinks = 40
)

// Errors of files.
var (
	ErrFiles  = fmt.Errorf("must have at most %d files", MaxFiles)
	ErrDevice = errors.New("must be a file, a folder or a link")
)

// ReadLimited reads a whole file, which must have at most limit bytes.
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

// TooLarge returns the error for a file with more than limit bytes.
func TooLarge(limit int64) error { return fmt.Errorf("must not be larger than %d bytes", limit) }

// OpenRegular opens a file that is not special, see IsSpecial: opening a named pipe would wait for a writer.
func OpenRegular(files fs.FS, name string) (fs.File, error) {
	if IsSpecial(files, name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: ErrDevice}
	}
	return files.Open(name)
}

// IsSpecial reports whether a path is neither a file nor a folder, after following links. It avoids fs.Stat, which could
// open the file.
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
		return false // opening it is an error
	}
	return isSpecial(files, target, links+1)
}

// Reason returns an error of the file system without the path.
func Reason(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
