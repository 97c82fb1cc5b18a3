package pack

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	v1 "github.com/opencontainers/image-spec/specs-go/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/resource-plugins/krm-functions/stacks/imageref"
	"github.com/resource-plugins/krm-functions/stacks/registry"
)

// Form is the format of a package.
type Form string

// The forms of packages.
const (
	// FormRegistry is a `.registry` folder, as crossplane v0.3 to v0.10 read it.
	FormRegistry Form = "registry"
	// FormXPkg is the file package.yaml of today's packages.
	FormXPkg Form = "xpkg"
)

// StreamFile is the file of today's packages: a stream of YAML documents at the root of an image.
const StreamFile = "package.yaml"

// Contents holds a package that was read.
type Contents struct {
	// Path is the folder `.registry`, the folder of package.yaml, or the OCI layout or tar with the files. If that holds
	// several packages, the image is appended.
	Path string
	// Form is the format of the files.
	Form Form
	// Files are the files of a `.registry` folder, with paths relative to it, or only package.yaml of an xpkg.
	Files registry.Files
	// Image is the repository of the image with its registry, empty if it is unknown.
	Image string
	// Tag is the tag of the image, empty if it is unknown.
	Tag string
	// Digest is the digest of the image's manifest, empty if it is unknown.
	Digest string
}

// Reference returns the image with its tag and digest, as far as they are known. It is empty if the image is unknown.
func (c *Contents) Reference() string {
	if c.Image == "" {
		return ""
	}
	reference := c.Image
	if c.Tag != "" {
		reference += ":" + c.Tag
	}
	if c.Digest != "" {
		reference += "@" + c.Digest
	}
	return reference
}

// SetReference sets the image. If the reference has no digest, a known digest is kept.
func (c *Contents) SetReference(text string) {
	image, tag, digest := imageref.Split(text)
	c.Image, c.Tag, c.Digest = image, tag, cmp.Or(digest, c.Digest)
}

// Name returns the name of the package for users: the last path element of the image, or else of the folder that holds
// `.registry`, or of the layout or tar.
func (c *Contents) Name() string {
	if c.Image != "" {
		return path.Base(c.Image)
	}
	file := path.Base(c.Path)
	if file == registry.Folder {
		file = path.Base(path.Dir(c.Path))
	}
	name := strings.ToLower(strings.TrimSuffix(file, path.Ext(file)))
	if len(validation.IsDNS1123Subdomain(name)) > 0 {
		return ""
	}
	return name
}

// ErrNoPackage is the error of Read if it finds no package.
var ErrNoPackage = errors.New("must be a package: a .registry folder, package.yaml, or an OCI layout or a tar of docker " +
	"save with an image that has one of them")

// ReadPath reads the packages at a path on disk, see Read. Links must not lead out of a folder.
func ReadPath(name string) ([]*Contents, error) {
	clean := filepath.ToSlash(filepath.Clean(name))
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("%q must be a package that can be read: %w", name, registry.Reason(err))
	}
	folder, file := clean, "."
	if !info.IsDir() {
		folder, file = filepath.Dir(name), filepath.Base(name)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	return Read(root.FS(), file, clean)
}

// Read reads the packages at a path in files, for which messages use the name shown. The path is one of
//
//   - a `.registry` folder, the folder that holds it, or a copy of it under another name,
//   - package.yaml, or the folder that holds it,
//   - an OCI layout: a folder or a tar,
//   - the tar that `docker save` or `crossplane xpkg build` writes.
//
// A layout or tar may hold several packages; images without a package are skipped. Read returns ErrNoPackage if it finds no
// package. The error for a path that cannot be read is one line. All content is verified by its size and digest, as far as
// the path has them. Nothing is written to disk.
func Read(files fs.FS, at, shown string) ([]*Contents, error) {
	packages, err := read(files, at, path.Base(shown))
	if err == nil && len(packages) == 0 {
		err = ErrNoPackage
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shown, err)
	}
	for _, c := range packages {
		if c.Path = path.Join(shown, c.Path); len(packages) > 1 {
			c.Path = path.Join(c.Path, cmp.Or(c.label(), c.Digest))
		}
	}
	return packages, nil
}

// label returns the image with its tag, as far as they are known.
func (c *Contents) label() string {
	if c.Image != "" && c.Tag != "" {
		return c.Image + ":" + c.Tag
	}
	return c.Image + c.Tag
}

func read(files fs.FS, at, base string) ([]*Contents, error) {
	info, err := fs.Stat(files, at)
	if err != nil {
		return nil, registry.Reason(err)
	}
	if !info.IsDir() {
		return readFile(files, at, info.Size())
	}
	if files, err = fs.Sub(files, at); err != nil {
		return nil, err
	}
	switch {
	case base == registry.Folder:
		return readRegistry(files, ".")
	case IsLayout(files):
		l := &layout{files: files, limits: newBudget()}
		return l.read()
	case exists(files, registry.Folder):
		return readRegistry(files, registry.Folder)
	case exists(files, StreamFile):
		return read(files, StreamFile, StreamFile)
	case registry.Is(files):
		return readRegistry(files, ".")
	}
	return nil, nil
}

// IsLayout reports whether a folder is an OCI layout.
func IsLayout(folder fs.FS) bool { return exists(folder, v1.ImageLayoutFile) }

func exists(files fs.FS, name string) bool {
	_, err := fs.Stat(files, name)
	return err == nil
}

// IsArchive reports whether a file is a tar or compressed, regardless of its name.
func IsArchive(files fs.FS, name string) bool {
	file, err := registry.OpenRegular(files, name)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	begin := make([]byte, tarBlock)
	n, err := io.ReadFull(file, begin)
	return (err == nil || errors.Is(err, io.ErrUnexpectedEOF)) && isTar(begin[:n])
}

// readRegistry reads a `.registry` folder in files.
func readRegistry(files fs.FS, folder string) ([]*Contents, error) {
	read, err := registry.ReadFolder(files, folder)
	if err != nil {
		return nil, err
	}
	contents := &Contents{Form: FormRegistry, Files: read}
	if folder != "." {
		contents.Path = folder
	}
	return []*Contents{contents}, nil
}

// readFile reads a tar or package.yaml.
func readFile(files fs.FS, name string, size int64) ([]*Contents, error) {
	file, err := registry.OpenRegular(files, name)
	if err != nil {
		return nil, registry.Reason(err)
	}
	defer func() { _ = file.Close() }()
	if !IsArchive(files, name) {
		text, err := registry.ReadLimited(file, registry.MaxPackage)
		if err != nil || bytes.IndexByte(text, 0) >= 0 {
			return nil, err
		}
		return []*Contents{{Form: FormXPkg, Files: registry.Files{StreamFile: text}}}, nil
	}
	if direct, ok := file.(io.ReaderAt); ok {
		begin := make([]byte, len(zstdMagic))
		if _, err := direct.ReadAt(begin, 0); err == nil && !isCompressed(begin) {
			return readTar(direct, size)
		}
	}
	text, err := readWhole(file)
	if err != nil {
		return nil, err
	}
	return readTar(bytes.NewReader(text), int64(len(text)))
}

// readTar reads the tar of an OCI layout or of docker save.
func readTar(from io.ReaderAt, size int64) ([]*Contents, error) {
	limits := newBudget()
	files, err := openArchive(from, size, limits)
	if err != nil {
		return nil, err
	}
	l := &layout{files: files, limits: limits}
	images, err := l.readSaved()
	switch {
	case err != nil:
		return nil, err
	case IsLayout(files):
		return l.read()
	case images == nil:
		return nil, fmt.Errorf("must have %s or %s: %w", v1.ImageLayoutFile, savedFile, ErrNoPackage)
	}
	return l.saved(images)
}
