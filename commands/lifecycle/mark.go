package lifecycle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/commands/lifecycle/history"
	"github.com/resource-plugins/krm-functions/internal/atomicfile"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/edit"
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/function/resolveversion"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/internal/rplug"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
)

// marker marks documents absent in their files, with the references of sandboxes pinned: a sandbox in teardown is not
// resolved again.
type marker struct {
	read     *load.Package
	options  load.Options
	features []extension.Extension

	lines  []string // about each document, changed or not
	failed int      // documents that were not marked
}

// mark marks documents, which are among those that were read. A document that cannot be marked stays as it is, and is named.
func (m *marker) mark(ctx context.Context, documents []load.Document) error {
	marked := map[*krm.Item]bool{}
	for _, d := range documents {
		marked[d.Item] = true
	}
	pinned, err := m.pin(documents)
	if err != nil {
		return err
	}
	files := map[string][]load.Document{}
	for _, d := range documents {
		file := d.Item.PlaceOf("").File
		if why := m.obstacle(d, pinned[d.Item]); why != nil {
			m.refuse(d, why)
			continue
		}
		files[file] = append(files[file], d)
	}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if err := m.file(ctx, file, files[file], pinned); err != nil {
			return err
		}
	}
	return nil
}

// obstacle returns why a document cannot be marked.
func (m *marker) obstacle(d load.Document, p *pin) error {
	switch file := d.Item.PlaceOf("").File; {
	case p != nil && p.err != nil:
		return p.err
	case d.Built || m.read.Text(file) == nil:
		return errors.New("it must be in a file that is read: what a kustomization builds cannot be changed")
	case m.read.IsInImage(file):
		return errors.New("it must be in its own file, not in an image")
	case d.Native && len(d.Origins)+len(d.Unset)+len(d.Failed) > 0:
		return errors.New("a native document has no place for a mark, and this one has templates: convert it with rplug import")
	}
	return nil
}

// pin is the result of resolution for a document.
type pin struct {
	*cli.Pinned
	err error // why a reference is not pinned
}

// pin returns the references of all documents. If one of those to be marked floats, they are pinned as resolve-version does.
func (m *marker) pin(documents []load.Document) (map[*krm.Item]*pin, error) {
	pins := map[*krm.Item]*pin{}
	for _, p := range cli.References(m.read, m.features) {
		pins[p.Item()] = &pin{Pinned: p}
	}
	if !slices.ContainsFunc(documents, floats) {
		return pins, nil
	}
	list := krm.NewList()
	for _, d := range m.read.Documents {
		list.Append(d.Item)
	}
	options := resolve.Options{ResolveVersion: v1alpha1.ResolveVersion{Mode: resolve.Keep}}
	if _, err := resolveversion.Resolve(list, options, m.features...); err != nil {
		return nil, err
	}
	for _, d := range documents {
		if floats(d) {
			pins[d.Item].err = errors.New("its plugins cannot be pinned: run rplug resolve for the findings")
		}
	}
	return pins, nil
}

// floats reports whether a sandbox has a reference that is no pin.
func floats(d load.Document) bool {
	if d.Item.Kind() != contract.Sandbox {
		return false
	}
	s, _ := document.ReadSandbox(d.Item)
	return slices.ContainsFunc(s.Spec.Resources, func(r v1alpha1.SandboxResource) bool {
		reference, err := document.ParsePluginReference(r.Plugin)
		return err != nil || reference.Pin == nil
	})
}

// file marks documents of one file.
func (m *marker) file(ctx context.Context, name string, documents []load.Document, pins map[*krm.Item]*pin) error {
	before := m.read.Text(name)
	change, err := edit.NewChange(name, before)
	if err != nil {
		m.refuseAll(documents, err)
		return nil
	}
	var made []load.Document
	for _, d := range documents {
		if err := annotate(change, d, pins[d.Item]); err != nil {
			m.refuse(d, err)
			continue
		}
		made = append(made, d)
	}
	after, err := change.Bytes()
	if err != nil {
		m.refuseAll(made, err)
		return nil
	}
	after, made = m.convert(name, after, made)
	if len(made) == 0 {
		return nil
	}
	var skip atomicfile.SkipError
	err = m.verify(name, after, made)
	if err == nil {
		err = atomicfile.Rewrite(ctx, name, before, after, nil)
	}
	switch {
	case errors.As(err, &skip):
		m.refuseAll(made, err)
		return nil
	case err != nil:
		return err
	}
	for _, d := range made {
		m.line("marked absent: %s", placeOf(d))
	}
	return nil
}

// annotate pins a document and, unless it is a native one, marks it.
func annotate(change *edit.Change, d load.Document, p *pin) error {
	var marks []edit.Annotation
	if !d.Native {
		marks = append(marks, edit.Annotation{Key: contract.StateKey, Value: contract.Absent})
	}
	if p == nil {
		return change.Try(func() error { return change.Annotate(d.Item.PlaceOf(""), marks...) })
	}
	_, err := p.Change(change, marks...)
	return err
}

// convert converts the native documents among those of a text, and returns the text and those that are marked.
func (m *marker) convert(name string, text []byte, documents []load.Document) ([]byte, []load.Document) {
	var made []load.Document
	for _, d := range documents {
		if d.Native {
			place, err := m.find(name, text, d)
			after := text
			if err == nil {
				after, err = convert(name, text, d.Item.Kind(), place)
			}
			if err != nil {
				m.refuse(d, err)
				continue
			}
			text = after
		}
		made = append(made, d)
	}
	return text, made
}

// find returns where a document begins in a text of its file: those before it may have been marked.
func (m *marker) find(name string, text []byte, of load.Document) (krm.Place, error) {
	all, err := history.ReadText(name, text, m.options)
	if err != nil {
		return krm.Place{}, err
	}
	id, _ := history.ID(of)
	for _, d := range all.Documents {
		if other, ok := history.ID(d); ok && other == id {
			return d.Item.PlaceOf(""), nil
		}
	}
	return krm.Place{}, errByHand
}

// verify checks that a text has documents with their specs, absent.
func (m *marker) verify(name string, text []byte, documents []load.Document) error {
	all, err := history.ReadText(name, text, m.options)
	if err != nil {
		return err
	}
	specs := map[string][]byte{}
	for _, d := range all.Documents {
		id, ok := history.ID(d)
		if absent, err := document.IsAbsent(d.Item); ok && absent && err == nil {
			specs[id] = specOf(d)
		}
	}
	for _, d := range documents {
		id, _ := history.ID(d)
		if spec, ok := specs[id]; !ok || !bytes.Equal(spec, specOf(d)) {
			return atomicfile.SkipError("it must be marked by hand: the change would have another effect, too")
		}
	}
	return nil
}

// specOf returns the spec of a document with its references, which are pinned, as JSON.
func specOf(d load.Document) []byte {
	field := d.Item.RNode().Field("spec")
	if field == nil {
		return nil
	}
	text, _ := field.Value.MarshalJSON()
	return text
}

func (m *marker) refuse(d load.Document, why error) {
	m.failed++
	m.line("not marked absent: %s: %s", placeOf(d), why)
}

// keep names a document that is not dropped.
func (m *marker) keep(d load.Document, why error) {
	m.failed++
	m.line("not dropped: %s: %s", placeOf(d), why)
}

func (m *marker) refuseAll(documents []load.Document, why error) {
	for _, d := range documents {
		m.refuse(d, why)
	}
}

func (m *marker) line(format string, args ...any) {
	m.lines = append(m.lines, report.Printable(fmt.Sprintf(format, args...)))
}

// refused returns the error for documents that were not marked.
func (m *marker) refused() error {
	if m.failed == 0 {
		return nil
	}
	return rplug.Refuse(fmt.Errorf("%s not marked absent", report.Count(m.failed, "document")))
}

func placeOf(d load.Document) string {
	place := d.Item.PlaceOf("")
	return fmt.Sprintf("%s:%d: %s %s", place.File, place.Line, d.Item.Kind(), d.Item.Name())
}
