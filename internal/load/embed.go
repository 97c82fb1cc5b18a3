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

// embedFolder reads the files that a document embeds, from the folder of the document. It is a template.Files.
type embedFolder struct {
	path    string
	outside bool  // files outside of the folder may be read
	files   fs.FS // instead of the file system

	root *os.Root
	read map[string][]byte // by the path that messages show
}

func (f *embedFolder) close() {
	if f.root != nil {
		_ = f.root.Close()
	}
}

// Embed reads a file of the folder. As with the vendor's tool, an absolute path is below the folder, too.
func (f *embedFolder) Embed(name string) (content []byte, display string, err error) {
	below := path.Clean(strings.TrimLeft(filepath.ToSlash(name), "/"))
	display = path.Join(f.path, below)
	if content, ok := f.read[display]; ok {
		return content, display, nil
	}
	if !f.outside && !filepath.IsLocal(below) {
		return nil, display, errOutside
	}
	file, err := f.open(below, display)
	if err != nil {
		return nil, display, embedError(display, err)
	}
	defer func() { _ = file.Close() }()
	content, err = io.ReadAll(io.LimitReader(file, template.MaxFile+1))
	if err == nil && len(content) > template.MaxFile {
		err = fmt.Errorf("must not be larger than %d bytes", template.MaxFile)
	}
	if err != nil {
		return nil, display, embedError(display, err)
	}
	if f.read == nil {
		f.read = map[string][]byte{}
	}
	f.read[display] = content
	return content, display, nil
}

var errOutside = errors.New("the file must be below the folder of the document, " +
	"unless allowEmbedOutside (--allow-embed-outside) is set")

func (f *embedFolder) open(below, display string) (file fs.File, err error) {
	switch {
	case f.files != nil:
		if err := regular(fs.Stat(f.files, display)); err != nil {
			return nil, err
		}
		return f.files.Open(display)
	case f.outside:
		if err := regular(os.Stat(display)); err != nil {
			return nil, err
		}
		return os.Open(display)
	case f.root == nil:
		if f.root, err = os.OpenRoot(f.path); err != nil {
			return nil, err
		}
	}
	if err := regular(f.root.Stat(below)); err != nil {
		return nil, err
	}
	return f.root.Open(below)
}

// regular is an error for what could block or never end, such as a pipe.
func regular(info fs.FileInfo, err error) error {
	if err == nil && !info.Mode().IsRegular() {
		return errors.New("must be a regular file")
	}
	return err
}

// embedError words what is wrong with an embedded file.
func embedError(display string, err error) error {
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
