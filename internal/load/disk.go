package load

import (
	"io/fs"
	"os"
)

// disk is the file system of the machine, with its paths.
type disk struct{}

// Open implements fs.FS.
func (disk) Open(name string) (fs.File, error) { return os.Open(name) }

// Stat implements fs.StatFS.
func (disk) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

// below returns the files of a folder. Links do not lead out of it.
func below(files fs.FS, name string) (fs.FS, error) {
	if files == (disk{}) {
		return folder(name), nil
	}
	return fs.Sub(files, name)
}

// folder is a folder of the disk. Links do not lead out of it.
type folder string

// Open implements fs.FS.
func (f folder) Open(name string) (fs.File, error) {
	root, err := os.OpenRoot(string(f))
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	return root.Open(name)
}

// Stat implements fs.StatFS.
func (f folder) Stat(name string) (fs.FileInfo, error) {
	root, err := os.OpenRoot(string(f))
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	return root.Stat(name)
}
