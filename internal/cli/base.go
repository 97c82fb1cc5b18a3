package cli

import (
	"errors"
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

// Revision is the files of a git revision; package revision has them.
type Revision interface {
	fs.FS
	// Path returns where in the revision a path of the file system is.
	Path(file string) (string, error)
	// Close ends what was started to read them.
	Close() error
}

// Base is an older state of the documents.
type Base struct {
	// List holds the documents of then, without those that could not be read.
	List *krm.ResourceList
	// Partial tells that not all documents of now could be read: what seems to be gone may be in what could not.
	Partial bool

	origins map[*yaml.Node][]template.Origin
	unread  krm.Results
}

// Origins returns where the parts of a value came from that a template filled in, of a document of now or of then.
func (b *Base) Origins(value *yaml.Node) []template.Origin { return b.origins[value] }

// base reads the older state that the user names, nil where there is none. The same variables are filled in.
func (r *run) base(now *load.Package) (*Base, error) {
	options := load.Options{Values: r.Set, EmbedOutside: r.AllowEmbedOutside, Input: r.stdin}
	paths := []string{r.Base}
	switch {
	case r.Base == "" && r.BaseRef == "":
		return nil, nil
	case r.BaseRef != "":
		older, err := r.OpenRevision(r.BaseRef)
		if err != nil {
			return nil, fmt.Errorf("--base-ref: %w", err)
		}
		defer func() { _ = older.Close() }()
		if paths, err = revisionPaths(older, r.paths); err != nil {
			return nil, fmt.Errorf("--base-ref: %w", err)
		}
		options.Files, options.Label = older, r.BaseRef+":"
	}
	then, err := load.Read(paths, options)
	if err != nil {
		return nil, fmt.Errorf("--base: %w", err)
	}
	return newBase(now, then), nil
}

// revisionPaths returns where the paths of the call are in a revision.
func revisionPaths(older Revision, paths []string) ([]string, error) {
	found := make([]string, len(paths))
	for i, file := range paths {
		var err error
		if found[i], err = older.Path(file); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func newBase(now, then *load.Package) *Base {
	b := &Base{List: krm.NewList(), Partial: now.Findings.Failed(), origins: map[*yaml.Node][]template.Origin{}}
	for _, d := range slices.Concat(now.Documents, then.Documents) {
		maps.Copy(b.origins, d.Origins)
	}
	for _, d := range then.Documents {
		if !slices.ContainsFunc(d.Problems, isError) {
			b.List.Append(d.Item)
		}
	}
	for _, result := range then.Results() {
		if result.Severity == krm.Error {
			result.Severity, result.Message = krm.Warning, "the older state cannot be compared: "+result.Message
			b.unread = append(b.unread, result)
		}
	}
	return b
}

func isError(p strictyaml.Problem) bool { return p.Severity == krm.Error }

// checkBase refuses combinations that mean nothing.
func (r *run) checkBase() error {
	stdin := slices.Contains(r.paths, load.Stdin)
	switch {
	case r.Base != "" && r.BaseRef != "":
		return errors.New("--base and --base-ref must not be given together: each names the older state")
	case r.Base == load.Stdin && stdin:
		return errors.New("--base must not be the standard input where that is to be checked")
	case r.BaseRef != "" && stdin:
		return errors.New("--base-ref must come with paths of a git repository, not with the standard input")
	}
	return nil
}
