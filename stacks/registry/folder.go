package registry

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// ReadFolder reads the files of a `.registry` folder. It enforces limits, since packages are not trusted.
func ReadFolder(files fs.FS, folder string) (Files, error) {
	inside, err := fs.Sub(files, folder)
	if err != nil {
		return nil, err
	}
	read, size := Files{}, 0
	err = fs.WalkDir(inside, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && strings.Count(name, "/") >= MaxDepth {
			err = fmt.Errorf("the path must have at most %d elements", MaxDepth)
		}
		if err != nil || entry.IsDir() {
			return inFolder(folder, name, err)
		}
		if len(read) == MaxFiles {
			return ErrFiles
		}
		text, err := readPart(inside, entry, name)
		if size += len(text); err == nil && size > MaxPackage {
			err = TooLarge(MaxPackage)
		}
		read[name] = text
		return inFolder(folder, name, err)
	})
	if err != nil {
		return nil, err
	}
	return read, nil
}

// inFolder wraps an error about a file in a folder.
func inFolder(folder, name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%q: %w", path.Join(folder, name), Reason(err))
}

// readPart reads a file of a package. A link may lead only to a file in the folder.
func readPart(files fs.FS, entry fs.DirEntry, name string) ([]byte, error) {
	refusal, isLink := ErrDevice, entry.Type()&fs.ModeSymlink != 0
	if isLink {
		refusal = errFolderLink
	}
	if IsSpecial(files, name) {
		return nil, refusal
	}
	info, err := fs.Stat(files, name)
	switch {
	case err != nil && !isLink:
		return nil, err
	case err != nil || !info.Mode().IsRegular():
		return nil, refusal
	}
	file, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return ReadLimited(file, MaxFile)
}

var errFolderLink = errors.New("must link to a file of the folder: put the file into the package")
