package pack

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/stacks/registry"
)

// tree holds the part of an image's file system that belongs to a package: package.yaml, and `.registry` with its content.
type tree map[string]node

// node is a folder, a file or a symbolic link.
type node struct {
	kind    byte // a type flag of package tar
	content []byte
	link    string // the target of a link
}

// layer holds the changes that a layer makes to the layers below it.
type layer struct {
	tree
	removed map[string]bool // by whiteouts, with everything below them
	opaque  map[string]bool // folders whose content in lower layers is hidden
	limits  *budget
}

// The names of whiteouts: https://github.com/opencontainers/image-spec/blob/v1.1.1/layer.md#whiteouts
const (
	whiteout       = ".wh."
	opaqueWhiteout = ".wh..wh..opq"
)

// isPart reports whether a path of an image may belong to a package.
func isPart(name string) bool {
	return name == StreamFile || name == registry.Folder || strings.HasPrefix(name, registry.Folder+"/")
}

// readLayer reads a layer's tar, which may be compressed. It reads to the end, and writes the decompressed bytes to sum.
func readLayer(r io.Reader, limits *budget, sum io.Writer) (*layer, error) {
	compressed := &meter{Reader: r}
	unzipped, err := decompress(compressed)
	if err != nil {
		return nil, err
	}
	guarded := io.TeeReader(&guard{Reader: unzipped, compressed: compressed, budget: limits}, sum)
	l := &layer{tree: tree{}, removed: map[string]bool{}, opaque: map[string]bool{}, limits: limits}
	if err := eachEntry(guarded, limits, l.entry); err != nil {
		return nil, err
	}
	if _, err := io.Copy(io.Discard, guarded); err != nil { // the bytes after the end of the tar
		return nil, damaged(err)
	}
	return l, nil
}

// entry adds an entry of the layer's tar.
func (l *layer) entry(name string, header *tar.Header, content io.Reader) error {
	folder, base := path.Split(name)
	folder = path.Clean(folder)
	if base == opaqueWhiteout && (folder == "." || isPart(folder)) {
		l.opaque[folder] = true
		return l.count()
	}
	if hidden, ok := strings.CutPrefix(base, whiteout); ok {
		if hidden = path.Join(folder, hidden); isPart(hidden) {
			l.removed[hidden] = true
		}
		return l.count()
	}
	if !isPart(name) {
		return nil
	}
	added, err := l.node(name, header, content)
	if err != nil {
		return err
	}
	if err := l.enter(folder); err != nil {
		return err
	}
	if before, twice := l.tree[name]; twice && (before.kind != tar.TypeDir || added.kind != tar.TypeDir) {
		return errTwice
	}
	l.tree[name] = added
	return l.count()
}

// node reads an entry that belongs to the package.
func (l *layer) node(name string, header *tar.Header, content io.Reader) (node, error) {
	if !fs.ValidPath(name) {
		return node{}, errors.New("the path must be UTF-8")
	}
	switch header.Typeflag {
	case tar.TypeReg:
		limit := int64(registry.MaxFile)
		if name == StreamFile {
			limit = registry.MaxPackage
		}
		text, err := registry.ReadLimited(content, limit)
		if err != nil {
			return node{}, err
		}
		return node{kind: tar.TypeReg, content: text}, l.limits.keep(len(text))
	case tar.TypeLink:
		target, ok := l.tree[path.Clean(header.Linkname)]
		if !ok || target.kind != tar.TypeReg {
			return node{}, outside(header.Linkname)
		}
		return target, nil
	case tar.TypeDir, tar.TypeSymlink:
		return node{kind: header.Typeflag, link: header.Linkname}, nil
	}
	return node{}, registry.ErrDevice
}

// enter adds the parent folders of an entry, which a tar may omit.
func (l *layer) enter(folder string) error {
	for ; folder != "."; folder = path.Dir(folder) {
		switch above, ok := l.tree[folder]; {
		case ok && above.kind != tar.TypeDir:
			return fmt.Errorf("must not be below %q, which is not a folder: build the archive again", shortened(folder))
		case ok:
			return nil
		}
		l.tree[folder] = node{kind: tar.TypeDir}
	}
	return nil
}

func (l *layer) count() error {
	if len(l.tree)+len(l.removed)+len(l.opaque) > registry.MaxFiles {
		return registry.ErrFiles
	}
	return nil
}

// add applies a layer on top of the lower ones.
func (t tree) add(l *layer) error {
	for name, added := range l.tree {
		if below, ok := t[name]; ok && (added.kind != tar.TypeDir || below.kind != tar.TypeDir) {
			l.removed[name] = true
		}
	}
	maps.DeleteFunc(t, func(name string, _ node) bool { return l.hides(name) })
	maps.Copy(t, l.tree)
	if len(t) > registry.MaxFiles {
		return registry.ErrFiles
	}
	return nil
}

// hides reports whether the layer removes a path of lower layers.
func (l *layer) hides(name string) bool {
	if l.removed[name] {
		return true
	}
	for above := path.Dir(name); ; above = path.Dir(above) {
		if l.removed[above] || l.opaque[above] {
			return true
		}
		if above == "." {
			return false
		}
	}
}

// files returns the files of the package: package.yaml if the image has it, else the files below `.registry`, with paths
// relative to that folder. It returns nil if the image has no package.
func (t tree) files() (Form, registry.Files, error) {
	if _, ok := t[StreamFile]; ok {
		text, err := t.content(StreamFile)
		return FormXPkg, registry.Files{StreamFile: text}, err
	}
	if folder, ok := t[registry.Folder]; ok && folder.kind != tar.TypeDir {
		return "", nil, fmt.Errorf("%q must be a folder", registry.Folder)
	}
	files, size := registry.Files{}, 0
	for _, name := range slices.Sorted(maps.Keys(t)) {
		below, ok := strings.CutPrefix(name, registry.Folder+"/")
		if !ok || t[name].kind == tar.TypeDir {
			continue
		}
		text, err := t.content(name)
		if err != nil {
			return "", nil, err
		}
		if size += len(text); size > registry.MaxPackage {
			return "", nil, fmt.Errorf("%q: %w", registry.Folder, registry.TooLarge(registry.MaxPackage))
		}
		files[below] = text
	}
	if len(files) == 0 {
		return "", nil, nil
	}
	return FormRegistry, files, nil
}

// contents returns the package, or nil if the image has no package. A base layer must have package.yaml.
func (t tree) contents(hasBase bool) (*Contents, error) {
	form, files, err := t.files()
	switch {
	case err != nil:
		return nil, err
	case hasBase && form != FormXPkg:
		return nil, fmt.Errorf("the layer %s: %s must have %s in its root", baseAnnotation, baseLayer, StreamFile)
	case files == nil:
		return nil, nil
	}
	return &Contents{Form: form, Files: files}, nil
}

// content returns the content of a file, or of the file that it links to.
func (t tree) content(name string) ([]byte, error) {
	at := name
	for range maxNesting {
		n := t[at]
		switch n.kind {
		case tar.TypeReg:
			return n.content, nil
		case tar.TypeDir:
			return nil, fmt.Errorf("%q must be a file, or link to one", name)
		}
		at = path.Join(path.Dir(at), n.link)
		if _, ok := t[at]; !ok || path.IsAbs(n.link) {
			return nil, fmt.Errorf("%q: %w", name, outside(n.link))
		}
	}
	return nil, fmt.Errorf("%q: %w", name, errLinks)
}

var errLinks = errors.New("too many links lead to each other: put the files into the package")

func outside(link string) error {
	return fmt.Errorf("must link to a file of the package, not to %q: put the file into the package", shortened(link))
}
