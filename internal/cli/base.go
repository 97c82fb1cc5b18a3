package cli

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/internal/template"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Revision is the files of a git revision; load.OpenRevision returns one.
type Revision interface {
	fs.FS
	// Path returns where in the revision a path of the file system is.
	Path(file string) (string, error)
	// Close ends what was started to read them.
	Close() error
}

// Base is an older state of the documents.
type Base struct {
	// List holds the older documents, without those that could not be read.
	List *krm.ResourceList
	// Partial reports that not all current documents could be read: what seems to be gone may be in one of those.
	Partial bool

	origins map[*yaml.Node][]template.Origin
	unread  krm.Results
}

// Origins returns where the parts of a value came from that a template filled in, of a current or an older document.
func (b *Base) Origins(value *yaml.Node) []template.Origin { return b.origins[value] }

// base reads the older state that the user names, nil if there is none. The same variables are filled in.
func (r *run) base(current *load.Package) (*Base, error) {
	options := load.Options{Values: r.Set, KeepUnset: true, EmbedOutside: r.AllowEmbedOutside, Input: r.stdin}
	paths := []string{r.Base}
	switch {
	case r.Base == "" && r.BaseRef == "":
		return nil, nil
	case r.BaseRef != "":
		revision, err := r.OpenRevision(r.BaseRef)
		if err != nil {
			return nil, fmt.Errorf("--base-ref: %w", err)
		}
		defer func() { _ = revision.Close() }()
		paths = make([]string, len(r.paths))
		for i, file := range r.paths {
			if paths[i], err = revision.Path(file); err != nil {
				return nil, fmt.Errorf("--base-ref: %w", err)
			}
		}
		options.Files, options.Label = revision, r.BaseRef+":"
	}
	older, err := load.Read(paths, options)
	if err != nil {
		return nil, fmt.Errorf("--base: %w", err)
	}
	return newBase(current, older), nil
}

func newBase(current, older *load.Package) *Base {
	b := &Base{List: krm.NewList(), Partial: current.Findings.Failed(), origins: map[*yaml.Node][]template.Origin{}}
	for _, d := range slices.Concat(current.Documents, older.Documents) {
		maps.Copy(b.origins, d.Origins)
	}
	for _, d := range older.Documents {
		if !slices.ContainsFunc(d.Problems, func(p strictyaml.Problem) bool { return p.Severity == krm.Error }) {
			b.List.Append(d.Item)
		}
	}
	for _, result := range older.Results() {
		if result.Severity == krm.Error {
			result.Severity, result.Message = krm.Warning, "the older state cannot be compared: "+result.Message
			b.unread = append(b.unread, result)
		}
	}
	return b
}
