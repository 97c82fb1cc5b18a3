package history

import (
	"bytes"
	"crypto/sha256"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/commands/lifecycle/undo"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
)

// Document is a sandbox or a route group in one state of a file.
type Document struct {
	// ID identifies the document through its life; see ID.
	ID string
	// IsAbsent means that it is marked for teardown.
	IsAbsent bool
	// Sandbox is its spec if it is a sandbox, otherwise nil, and Spec the digest by which a cluster knows it.
	Sandbox *v1alpha1.SandboxSpec
	Spec    string

	digest [sha256.Size]byte // of all fields, not of comments and format
}

// ID returns the identity of a sandbox or a route group: for a sandbox its cluster and id, so that the same id in
// another cluster is another sandbox; for a route group its cluster and name. It returns false for other documents, and
// if a value is not known, such as that of a variable.
func ID(d load.Document) (string, bool) {
	found, ok := read(d)
	return found.ID, ok
}

func read(d load.Document) (found Document, ok bool) {
	if d.Item.APIVersion() != contract.APIVersion || strings.Contains(d.Item.Name(), "@{") {
		return found, false
	}
	switch d.Item.Kind() {
	case contract.Sandbox:
		s, _ := document.ReadSandbox(d.Item)
		id, err := s.ID()
		if err != nil || s.Spec.Cluster == "" || s.Name == "" || strings.Contains(s.Spec.Cluster, "@{") {
			return found, false
		}
		// Two clusters may have sandboxes with the same annotated id.
		found.ID, found.Sandbox = contract.Sandbox+"/"+s.Spec.Cluster+"/"+id, &s.Spec
	case contract.RouteGroup:
		g, _ := document.ReadRouteGroup(d.Item)
		if g.Name == "" || strings.Contains(g.Spec.Cluster, "@{") {
			return found, false
		}
		found.ID = contract.RouteGroup + "/" + g.Spec.Cluster + "/" + g.Name
	default:
		return found, false
	}
	absent, err := document.IsAbsent(d.Item)
	text, wrong := d.Item.RNode().MarshalJSON()
	if err != nil || wrong != nil {
		return found, false
	}
	found.IsAbsent, found.digest = absent, sha256.Sum256(text)
	if found.Sandbox != nil {
		found.Spec, err = undo.DocumentDigest(text)
	}
	return found, err == nil
}

// blob is a file of a commit. Its meaning depends on its path: its extension, and the files that it embeds.
type blob struct{ id, path string }

// content is the content of a file.
type content struct {
	documents []*Document
	// unread is the text of a file that has documents which are not known, or is not valid.
	unread []byte
}

// find returns the documents with an id, and whether there may be others.
func (c content) find(id, name string) (found []*Document, isUnsure bool) {
	for _, d := range c.documents {
		if d.ID == id {
			found = append(found, d)
		}
	}
	return found, len(c.unread) > 0 && mayName(c.unread, name)
}

// mayName reports whether a text may have a document of a name: it is written there, or templates make it.
func mayName(text []byte, name string) bool {
	return bytes.Contains(bytes.ToLower(text), []byte(strings.ToLower(name))) || bytes.Contains(text, []byte("@{"))
}

// isDocumentFile reports whether folders are read with files of a name.
func isDocumentFile(name string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, strings.ToLower(path.Ext(name)))
}

// content reads a file of a commit; none has nothing. The error is that Git lacks it.
func (h *History) content(id, name string) (content, error) {
	if id == "" {
		return content{}, nil
	}
	key := blob{id, name}
	if known, ok := h.cache[key]; ok {
		return known, nil
	}
	text, err := h.objects.Read(id)
	if err != nil {
		return content{}, err
	}
	h.cache[key] = h.parse(name, text)
	return h.cache[key], nil
}

// ReadText reads the documents of a text as those of a file. Files that it embeds are not read.
func ReadText(name string, text []byte, options load.Options) (*load.Package, error) {
	options.Files, options.KeepUnset = oneFile{name, text}, true
	options.Input, options.Exclude, options.Progress, options.Kustomize, options.Formats = nil, nil, nil, nil, nil
	return load.Read([]string{name}, options)
}

// parse reads a text. A commit changes few of the documents of a file, so those that were read before are not read again, as
// long as all documents are valid.
func (h *History) parse(name string, text []byte) (c content) {
	texts := split(name, text)
	if len(texts) < 2 {
		return h.parseAll(name, text)
	}
	for _, one := range texts {
		key := part{name, sha256.Sum256(one)}
		known, ok := h.parts[key]
		if !ok {
			known = h.parseAll(name, one)
			h.parts[key] = known
		}
		if len(known.unread) > 0 {
			return h.parseAll(name, text)
		}
		c.documents = append(c.documents, known.documents...)
	}
	return c
}

// part is a document of a file.
type part struct {
	name   string
	digest [sha256.Size]byte
}

// split splits a text into its YAML documents. A text that is not YAML, or has other markers than `---`, stays whole.
func split(name string, text []byte) (texts [][]byte) {
	hasDirective := bytes.HasPrefix(text, []byte("%")) || bytes.Contains(text, []byte("\n%"))
	if strings.EqualFold(path.Ext(name), ".json") || hasDirective || bytes.Contains(text, []byte("...")) ||
		bytes.IndexByte(text, '\r') >= 0 {
		return [][]byte{text}
	}
	for {
		end := bytes.Index(text, []byte("\n---\n"))
		if end < 0 {
			return append(texts, text)
		}
		texts = append(texts, text[:end+1])
		text = text[end+1:]
	}
}

func (h *History) parseAll(name string, text []byte) (c content) {
	if !bytes.Contains(bytes.ToLower(text), []byte("spec")) {
		return content{}
	}
	all, err := ReadText(name, text, h.options)
	if err != nil || all.Findings.Failed() {
		c.unread = text
	}
	if err != nil {
		return c
	}
	for _, d := range all.Documents {
		found, ok := read(d)
		isKnown := !slices.ContainsFunc(d.Problems, strictyaml.Problem.IsError)
		switch {
		case ok:
			c.documents = append(c.documents, &found)
			if !isKnown { // an embedded file is not read: only the id and the text are known
				found.digest = sha256.Sum256(append([]byte("with problems\n"), text...))
				found.Spec = ""
			}
		case d.Item.APIVersion() == contract.APIVersion &&
			(d.Item.Kind() == contract.Sandbox || d.Item.Kind() == contract.RouteGroup):
			c.unread = text
		}
	}
	return c
}

// oneFile is a file system with one file.
type oneFile struct {
	name string
	text []byte
}

func (f oneFile) Open(name string) (fs.File, error) {
	if name != f.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &opened{f, bytes.NewReader(f.text)}, nil
}

// opened is the file when it is read. It implements fs.File and fs.FileInfo.
type opened struct {
	oneFile
	*bytes.Reader
}

func (o *opened) Stat() (fs.FileInfo, error) { return o, nil }
func (o *opened) Close() error               { return nil }
func (o *opened) Name() string               { return path.Base(o.name) }
func (o *opened) Size() int64                { return int64(len(o.text)) }
func (o *opened) Mode() fs.FileMode          { return 0o644 }
func (o *opened) ModTime() time.Time         { return time.Time{} }
func (o *opened) IsDir() bool                { return false }
func (o *opened) Sys() any                   { return nil }
