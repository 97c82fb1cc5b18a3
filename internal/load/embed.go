package load

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"go.yaml.in/yaml/v3"
)

// inserts holds the state that the directives of all documents of a Read share. Its methods may be called concurrently.
type inserts struct {
	size  atomic.Int64 // of the inserted text
	files sync.Map     // of embedKey to func() ([]byte, error)
	trees sync.Map     // of the path of a file to func() (*yaml.Node, error)
}

// embedKey is an embedded file: a link may be allowed from one folder, and lead out of another one.
type embedKey struct{ folder, name string }

// add counts text that is inserted. Nothing else is to be done after its error.
func (i *inserts) add(text string) error {
	if i == nil {
		return nil
	}
	i.size.Add(int64(len(text)))
	return i.err()
}

// err is nil unless too much text was inserted.
func (i *inserts) err() error {
	if i.size.Load() <= MaxInsertedTotal {
		return nil
	}
	return fmt.Errorf("directives must not give more than %d bytes in all documents together: "+
		"read fewer documents at once, or put the files into images", MaxInsertedTotal)
}

// tree returns a tree of the text of a file, or of a variable if file is empty. A file is parsed once.
func (i *inserts) tree(file string, text []byte) (*yaml.Node, error) {
	if i == nil || file == "" {
		return parseInserted(file, text)
	}
	parsed, _ := i.trees.LoadOrStore(file, sync.OnceValues(func() (*yaml.Node, error) { return parseInserted(file, text) }))
	root, err := parsed.(func() (*yaml.Node, error))()
	if err != nil {
		return nil, err
	}
	return clone(root), nil
}

// clone returns a copy of a tree without aliases.
func clone(node *yaml.Node) *yaml.Node {
	copied := *node
	copied.Content = slices.Clone(node.Content)
	for i, content := range node.Content {
		copied.Content[i] = clone(content)
	}
	return &copied
}

// embedFolder reads the files that a document embeds, from the folder of the document. It is an Embedder.
type embedFolder struct {
	path    string
	outside bool // files outside of the folder may be read
	files   fs.FS
	read    map[string][]byte // by the path that messages show
	shared  *inserts
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
	once, _ := f.shared.files.LoadOrStore(embedKey{f.path, name},
		sync.OnceValues(func() ([]byte, error) { return f.readFile(name, display) }))
	if content, err = once.(func() ([]byte, error))(); err != nil {
		return nil, display, embedError(display, err)
	}
	if f.read == nil {
		f.read = map[string][]byte{}
	}
	f.read[display] = content
	return content, display, nil
}

func (f *embedFolder) readFile(name, display string) ([]byte, error) {
	file, err := f.open(name, display)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(io.LimitReader(file, MaxEmbedded+1))
	if err == nil && len(content) > MaxEmbedded {
		err = fmt.Errorf("must not be larger than %d bytes", MaxEmbedded)
	}
	return content, err
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

// regular returns an error for a file that could block or never end, such as a pipe.
func regular(info fs.FileInfo, err error) error {
	if err == nil && !info.Mode().IsRegular() {
		return errors.New("must be a regular file")
	}
	return err
}

// embedError returns the error for a file that cannot be embedded.
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
