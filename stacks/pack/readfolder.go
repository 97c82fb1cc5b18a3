package pack

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// readFolder reads a `.registry` folder of files.
func readFolder(files fs.FS, folder string) ([]*Contents, error) {
	contents := &Contents{Form: FormRegistry, Files: Files{}}
	if folder != "." {
		contents.Path = folder
	}
	inside, err := fs.Sub(files, folder)
	if err != nil {
		return nil, err
	}
	size := 0
	err = fs.WalkDir(inside, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && strings.Count(name, "/") >= maxDepth {
			err = fmt.Errorf("the path must have at most %d elements", maxDepth)
		}
		if err != nil || entry.IsDir() {
			return inFolder(folder, name, err)
		}
		if len(contents.Files) == maxFiles {
			return errFiles
		}
		text, err := readPart(inside, entry, name)
		if size += len(text); err == nil && size > maxPackage {
			err = tooLarge(maxPackage)
		}
		contents.Files[name] = text
		return inFolder(folder, name, err)
	})
	if err != nil {
		return nil, err
	}
	return []*Contents{contents}, nil
}

// inFolder is an error about a file of a folder.
func inFolder(folder, name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%q: %w", path.Join(folder, name), reason(err))
}

// readPart reads a file of a package. A link is followed to a file of the folder.
func readPart(files fs.FS, entry fs.DirEntry, name string) ([]byte, error) {
	refusal, isLink := errDevice, entry.Type()&fs.ModeSymlink != 0
	if isLink {
		refusal = errFolderLink
	}
	if isSpecial(files, name, 0) {
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
	return readLimited(file, maxFile)
}

var errFolderLink = errors.New("must link to a file of the folder: put the file into the package")
