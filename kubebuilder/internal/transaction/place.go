package transaction

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
)

// check returns an error unless a path stays in the folder on every operating system.
func (c change) check() error {
	if problem := v1alpha1.CheckUniversePath(c.Path); problem != "" {
		return fmt.Errorf("the path of a file %s", problem)
	}
	return nil
}

// checkPlaces returns an error unless each file can be changed without following links, and no new file or folder has the
// name of another one on a file system that ignores case or the form of Unicode.
func checkPlaces(root *os.Root, changes []change) error {
	folded := names{root: root, known: map[string]*entries{}}
	stays := map[string]bool{} // by path that changes
	for _, c := range changes {
		stays[c.Path] = c.After != ""
	}
	for _, c := range changes {
		if err := c.check(); err != nil {
			return err
		}
		if err := checkAbove(root, c.Path, stays); err != nil {
			return err
		}
		if c.After == "" {
			continue
		}
		if err := folded.add(c.Path); err != nil {
			return err
		}
	}
	return nil
}

// checkPlace returns an error if something above a file is not a folder.
func checkPlace(root *os.Root, name string) error { return checkAbove(root, name, nil) }

// checkAbove is checkPlace once files are written, which stay, and others are removed.
func checkAbove(root *os.Root, name string, stays map[string]bool) error {
	for i, r := range name {
		if r != '/' {
			continue
		}
		info, err := root.Lstat(name[:i])
		written, changes := stays[name[:i]]
		switch {
		case changes && !written:
			return nil
		case written && errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("%s must be in a folder, but %s is not one", name, name[:i])
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case !info.IsDir():
			return fmt.Errorf("%s must be in a folder, but %s is not one", name, name[:i])
		}
	}
	return nil
}

// names are the names in folders.
type names struct {
	root  *os.Root
	known map[string]*entries
}

// entries are the names in a folder: as they are, and by their form on a file system that ignores case.
type entries struct {
	exact  map[string]bool
	folded map[string]string
}

func (e *entries) add(name string) { e.exact[name], e.folded[fold(name)] = true, name }

// fold returns the form in which names are the same that a file system takes for one.
func fold(name string) string { return norm.NFC.String(cases.Fold().String(norm.NFC.String(name))) }

// add adds a path, or returns an error if it, or a folder above it, is new beside a name that differs in case only.
func (n names) add(name string) error {
	folder := "."
	for part := range strings.SplitSeq(name, "/") {
		known, err := n.in(folder)
		if err != nil {
			return err
		}
		at := path.Join(folder, part)
		if other, exists := known.folded[fold(part)]; exists && !known.exact[part] {
			return fmt.Errorf("%s must not be beside %s: they are one file on other systems", at, path.Join(folder, other))
		}
		known.add(part)
		folder = at
	}
	return nil
}

// in returns the names in a folder.
func (n names) in(folder string) (*entries, error) {
	if known := n.known[folder]; known != nil {
		return known, nil
	}
	known := &entries{exact: map[string]bool{}, folded: map[string]string{}}
	n.known[folder] = known
	opened, err := n.root.Open(folder)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return known, nil // a file in its place is reported when the folder is made
	}
	if err != nil {
		return nil, err
	}
	all, err := opened.Readdirnames(-1)
	for _, name := range all {
		known.add(name)
	}
	if errors.Is(err, syscall.ENOTDIR) {
		err = nil
	}
	return known, errors.Join(err, opened.Close())
}
