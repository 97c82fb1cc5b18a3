package load

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/template"
)

// folder gives a document the files beside it.
type nativeFolder struct {
	path    string
	outside bool
	files   fs.FS // instead of the file system

	root  *os.Root
	read  map[string][]byte
	named map[string][]byte // what was read, as sources are named
}

func (f *nativeFolder) close() {
	if f.root != nil {
		_ = f.root.Close()
	}
}

// Embed reads a file of the folder. An absolute path is meant below the folder too, as it is by the vendor's tool.
func (f *nativeFolder) Embed(name string) (content []byte, display string, err error) {
	below := path.Clean(strings.TrimLeft(filepath.ToSlash(name), "/"))
	display = path.Join(f.path, below)
	if content, ok := f.read[below]; ok {
		return content, display, nil
	}
	if !f.outside && !filepath.IsLocal(below) {
		return nil, display, errOutside
	}
	file, err := f.open(below, display)
	if err != nil {
		return nil, display, fileError(display, err)
	}
	defer func() { _ = file.Close() }()
	content, err = whole(file)
	if err != nil {
		return nil, display, fileError(display, err)
	}
	if f.read == nil {
		f.read, f.named = map[string][]byte{}, map[string][]byte{}
	}
	f.read[below] = content
	f.named[display] = content
	return content, display, nil
}

var (
	errOutside = errors.New("the file must be below the folder of the document, " +
		"unless allowEmbedOutside (--allow-embed-outside) is set")
	errRegular     = errors.New("must be a regular file")
	nativeErrLarge = fmt.Errorf("must not be larger than %d bytes", template.MaxFile)
)

func (f *nativeFolder) open(below, display string) (fs.File, error) {
	if f.files != nil {
		if err := regular(fs.Stat(f.files, display)); err != nil {
			return nil, err
		}
		return f.files.Open(display)
	}
	if f.outside {
		if err := regular(os.Stat(display)); err != nil {
			return nil, err
		}
		return os.Open(display)
	}
	if f.root == nil {
		root, err := os.OpenRoot(f.path)
		if err != nil {
			return nil, err
		}
		f.root = root
	}
	if err := regular(f.root.Stat(below)); err != nil {
		return nil, err
	}
	return f.root.Open(below)
}

// regular refuses what could block or never end.
func regular(info fs.FileInfo, err error) error {
	if err == nil && !info.Mode().IsRegular() {
		return errRegular
	}
	return err
}

func whole(file fs.File) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(file, template.MaxFile+1))
	if err == nil && len(content) > template.MaxFile {
		return nil, nativeErrLarge
	}
	return content, err
}

// fileError words what is wrong with an embedded file.
func fileError(display string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no file %q", display)
	case strings.Contains(err.Error(), "escapes"):
		return errOutside
	}
	return fmt.Errorf("file %q: %w", display, err)
}
