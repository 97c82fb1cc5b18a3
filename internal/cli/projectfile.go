package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// ProjectFile is the name of the project file.
const ProjectFile = "rplug.yaml"

// Project is a project file, which holds settings that would otherwise be repeated as flags. Its methods may also be
// called on nil, which means that no project file is used.
type Project struct {
	v1alpha1.Project
	// File is its path: from the folder that it was looked for from if that path is relative.
	File string

	root *yaml.Node
	top  string // the folder that paths must not leave
}

// FindProject reads the project file of a folder: the one in it, or the next one above it up to the top of its git
// repository. It returns nil if it finds no project file. Outside of a repository, the folders above may belong to other
// users, so they are not searched. The file may set levels for rules of the extensions, too.
func FindProject(folder string, extensions ...validate.Extension) (*Project, error) {
	absolute, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	if target, err := filepath.EvalSymlinks(absolute); err == nil && folder == "." {
		absolute = target // of a folder that a link led to, ".." is the folder above it
	}
	top := load.TopLevel(absolute)
	for at := absolute; ; at, folder = filepath.Dir(at), filepath.Join(folder, "..") {
		file := filepath.Join(folder, ProjectFile)
		if _, err := os.Lstat(filepath.Join(at, ProjectFile)); err == nil {
			return readProject(file, at, top, extensions)
		}
		if at == top || top == "" {
			return nil, nil
		}
	}
}

// readProject reads a project file of a folder.
func readProject(file, folder, top string, extensions []validate.Extension) (*Project, error) {
	if top == "" {
		top = folder
	}
	p := &Project{File: filepath.ToSlash(file), top: top}
	var d projectDocument
	var err error
	if p.root, err = decodeFile(p.File, &d); err != nil {
		return nil, err
	}
	p.Project = d.Project
	if err := p.check(d, extensions); err != nil {
		return nil, err
	}
	return p, nil
}

// Place returns where a field of the file is, as FILE:LINE.
func (p *Project) Place(path krm.Path) string { return placeOf(p.File, p.root, path) }

// Name returns the path of the file for messages; empty without a project file.
func (p *Project) Name() string {
	if p == nil {
		return ""
	}
	return p.File
}

// Exclusions returns the patterns of files that are excluded when folders are read.
func (p *Project) Exclusions() []load.Exclusion {
	if p == nil || len(p.Exclude) == 0 {
		return nil
	}
	return []load.Exclusion{{Patterns: p.Exclude, From: filepath.Dir(p.File), Source: p.File}}
}

// placeOf returns the place of a field of a file, or the file's first line if the field is missing.
func placeOf(file string, root *yaml.Node, path krm.Path) string {
	line := 1
	if node, found := path.Find(root); found {
		line = node.Line
	}
	return fmt.Sprintf("%s:%d", file, line)
}
