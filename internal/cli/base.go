package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/incremental"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Revision is the files of a git revision; load.OpenRevision returns one.
type Revision interface {
	fs.FS
	// Path returns where in the revision a path of the file system is.
	Path(file string) (string, error)
	// Close stops the process that reads the files.
	Close() error
}

// Base is an older state of the documents.
type Base struct {
	// List holds the older documents, without those that could not be read.
	List *krm.ResourceList
	// Elsewhere holds the documents of a revision outside of the paths, if current plugins may be from there.
	Elsewhere *krm.ResourceList
	// Today holds the current documents of the whole repository, if a sandbox of a revision is no longer in the paths.
	Today *krm.ResourceList
	// Partial reports that not all current documents could be read: a document that seems to be removed may be one of the
	// unread ones.
	Partial bool

	origins map[*yaml.Node][]load.Origin
	unread  krm.Results
}

// Origins returns where the parts of a value came from that a template filled in, of a current or an older document.
func (b *Base) Origins(value *yaml.Node) []load.Origin { return b.origins[value] }

// comparing are the flags of functions that compare documents with an older state.
type comparing struct {
	Base    string `json:"base" arg:"PATH" help:"file or folder with an older state, to compare with"`
	BaseRef string `json:"baseRef" arg:"REVISION" help:"git revision with an older state of the paths, such as main"`
}

// checkBase refuses older states that cannot be read.
func (r *run) checkBase() error {
	stdin := slices.Contains(r.paths, load.Stdin)
	switch {
	case r.Base != "" && r.BaseRef != "":
		return errors.New("--base and --base-ref must not be given together: each names the older state")
	case r.Base == load.Stdin && stdin:
		return errors.New("--base must not be the standard input if that is to be checked")
	case r.BaseRef != "" && stdin:
		return errors.New("--base-ref must come with paths of a git repository, not with the standard input")
	case r.BaseRef != "" && len(r.Kustomize) > 0:
		return errors.New("--base-ref must come with paths of a git repository, without --kustomize")
	}
	return nil
}

// older is the older state that the user specifies, before it is read.
type older struct {
	paths    []string
	options  load.Options
	revision Revision // nil if it is not a git revision

	done chan struct{} // closed when it was read
	all  *load.Package
	err  error
}

// start starts to read the older state, while the current one is read.
func (o *older) start(reuse *incremental.Checks) {
	if o == nil {
		return
	}
	options := o.options
	if reuse != nil {
		options.Reuse = reuse
	}
	o.done = make(chan struct{})
	go func() {
		defer close(o.done)
		defer reuse.Leave()
		o.all, o.err = load.Read(o.paths, options)
	}()
}

// openBase opens the older state; nil if no flag names one. The same variables are filled in, and the same patterns
// exclude files: of a revision, they are relative to the working directory; of a folder, to that folder.
func (r *run) openBase() (*older, error) {
	o := &older{paths: []string{r.Base}, options: load.Options{
		Values: r.Set, KeepUnset: true, EmbedOutside: r.AllowEmbedOutside, Input: r.stdin,
		Formats: extension.Formats(r.Extensions),
	}}
	if r.BaseRef == "" {
		if r.Base == "" {
			return nil, nil
		}
		var err error
		o.options.Exclude, err = r.exclusions(func(folder string) (string, error) { return filepath.Join(r.Base, folder), nil })
		return o, err
	}
	revision, err := r.OpenRevision(r.BaseRef)
	if err != nil {
		return nil, fmt.Errorf("--base-ref: %w", err)
	}
	o.revision, o.options.Files, o.options.Label = revision, revision, r.BaseRef+":"
	o.paths = make([]string, len(r.paths))
	for i, file := range r.paths {
		if o.paths[i], err = revision.Path(file); err != nil {
			return nil, errors.Join(fmt.Errorf("--base-ref: %w", err), revision.Close())
		}
	}
	if o.options.Exclude, err = r.exclusions(revision.Path); err != nil {
		return nil, errors.Join(fmt.Errorf("--base-ref: %w", err), revision.Close())
	}
	return o, nil
}

// tracks reports whether the revision has a path of the file system; nil if there is no revision.
func (o *older) tracks() func(path string) bool {
	if o == nil || o.revision == nil {
		return nil
	}
	return func(file string) bool {
		path, err := o.revision.Path(file)
		if err == nil {
			_, err = fs.Stat(o.revision, path)
		}
		return err == nil
	}
}

// close waits until the older state is read, and closes its revision.
func (o *older) close() {
	if o == nil {
		return
	}
	if o.done != nil {
		<-o.done
	}
	if o.revision != nil {
		_ = o.revision.Close()
	}
}

// read returns the older state to compare the current one with; nil without an older state.
func (o *older) read(current *load.Package, reuse *incremental.Checks) (*Base, error) {
	if o == nil {
		return nil, nil
	}
	<-o.done
	if o.err != nil {
		return nil, fmt.Errorf("--base: %w", o.err)
	}
	if err := reuse.Read(o.all); err != nil {
		return nil, err
	}
	base := newBase(current, o.all)
	if o.revision == nil {
		return base, nil
	}
	if err := o.readToday(base, current); err != nil {
		return nil, err
	}
	if !hasNewPlugin(current, base.List) {
		return base, nil
	}
	all, err := load.Read([]string{"."}, o.options)
	if err != nil {
		return nil, fmt.Errorf("--base-ref: %w", err)
	}
	base.Elsewhere = newBase(current, all).List
	return base, nil
}

// readToday reads the current documents of the repository if a sandbox of the older state may have moved out of the paths.
func (o *older) readToday(base *Base, current *load.Package) error {
	names := map[string]bool{}
	for _, d := range current.Documents {
		names[d.Item.Name()] = true
	}
	hasAll := !slices.ContainsFunc(base.List.Of(contract.APIVersion, contract.Sandbox), func(item *krm.Item) bool {
		return !names[item.Name()]
	})
	folder, err := filepath.Abs(".")
	if hasAll || err != nil {
		return err
	}
	options := o.options
	options.Files, options.Label, options.Exclude = nil, "", nil
	read, err := load.Read([]string{load.TopLevel(folder)}, options)
	if err != nil {
		return fmt.Errorf("--base-ref: %w", err)
	}
	base.Today = newBase(current, read).List
	base.Partial = base.Partial || read.Findings.Failed()
	return nil
}

// hasNewPlugin reports whether a current plugin is missing from the older state: it may have moved.
func hasNewPlugin(current *load.Package, older *krm.ResourceList) bool {
	names := map[string]bool{}
	for _, item := range older.Of(contract.APIVersion, contract.ResourcePlugin) {
		names[item.Name()] = true
	}
	return slices.ContainsFunc(current.Documents, func(d load.Document) bool {
		return d.Item.Kind() == contract.ResourcePlugin && !names[d.Item.Name()]
	})
}

func newBase(current, older *load.Package) *Base {
	b := &Base{List: krm.NewList(), Partial: current.Findings.Failed(), origins: map[*yaml.Node][]load.Origin{}}
	for _, d := range slices.Concat(current.Documents, older.Documents) {
		maps.Copy(b.origins, d.Origins)
	}
	for _, d := range older.Documents {
		if !slices.ContainsFunc(d.Problems, strictyaml.Problem.IsError) {
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
