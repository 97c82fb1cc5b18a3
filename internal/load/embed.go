package load

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
)

// embedFolder reads the files that a document embeds, from the folder of the document. It is a Embedder.
type embedFolder struct {
	path    string
	outside bool // files outside of the folder may be read
	files   fs.FS
	read    map[string][]byte // by the path that messages show
}

// Embed reads a file of the folder. As with the vendor's tool, an absolute path is below the folder, too.
func (f *embedFolder) Embed(name string) (content []byte, display string, err error) {
	name = path.Clean(strings.TrimLeft(filepath.ToSlash(name), "/"))
	display = path.Join(f.path, name)
	if content, ok := f.read[display]; ok {
		return content, display, nil
	}
	if !f.outside && !filepath.IsLocal(name) {
		return nil, display, errOutside
	}
	file, err := f.open(name, display)
	if err != nil {
		return nil, display, embedError(display, err)
	}
	defer func() { _ = file.Close() }()
	content, err = io.ReadAll(io.LimitReader(file, MaxEmbedded+1))
	if err == nil && len(content) > MaxEmbedded {
		err = fmt.Errorf("must not be larger than %d bytes", MaxEmbedded)
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

func (f *embedFolder) open(name, display string) (file fs.File, err error) {
	files := f.files
	if f.outside {
		name = display
	} else if files, err = below(files, f.path); err != nil {
		return nil, err
	}
	if err := regular(fs.Stat(files, name)); err != nil {
		return nil, err
	}
	return files.Open(name)
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
