package lifecycle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/commands/lifecycle/history"
	"github.com/resource-plugins/krm-functions/internal/atomicfile"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/internal/rplug"
)

// drop removes the documents whose delete phase is complete from their files.
func (f *removeFlags) drop(c *cobra.Command, read *load.Package, options load.Options, names []string) error {
	found, missing := f.find(read, names)
	if missing != nil {
		return missing
	}
	ended, err := f.state.read(c.InOrStdin(), f.inputs.Features)
	if err != nil {
		return err
	}
	m := &marker{read: read, options: options}
	if len(names) == 0 && !slices.ContainsFunc(found, isAbsent) {
		m.line("nothing to drop: no sandbox or route group of the paths is absent: run rplug remove NAME first")
	}
	files, pending := map[string][]load.Document{}, 0
	for _, d := range found {
		switch why := ended.obstacle(d, read); {
		case !isAbsent(d) && len(names) > 0:
			m.keep(d, errors.New("it is not absent: run rplug remove first"))
		case !isAbsent(d):
		case why != nil:
			pending++
			m.line("not done: %s: %s", placeOf(d), why)
		default:
			file := d.Item.PlaceOf("").File
			files[file] = append(files[file], d)
		}
	}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if err := m.dropFrom(c.Context(), file, files[file]); err != nil {
			return err
		}
	}
	for _, line := range m.lines {
		rplug.Complain(c.ErrOrStderr(), c, line)
	}
	switch {
	case m.failed > 0:
		return rplug.Refuse(fmt.Errorf("%s not dropped", report.Count(m.failed, "document")))
	case pending > 0:
		return rplug.NotReady("the delete phase of %s is not complete", report.Count(pending, "sandbox"))
	}
	return nil
}

// dropFrom removes documents from a file, and the file if nothing is left in it.
func (m *marker) dropFrom(ctx context.Context, name string, documents []load.Document) error {
	before := m.read.Text(name)
	after, err := m.without(name, before, documents)
	if err == nil && len(bytes.TrimSpace(after)) == 0 {
		err = m.removeFile(name, before)
	} else if err == nil {
		err = atomicfile.Rewrite(ctx, name, before, after, nil)
	}
	var skip atomicfile.SkipError
	for _, d := range documents {
		switch {
		case errors.As(err, &skip):
			m.keep(d, err)
		case err == nil:
			m.line("dropped: %s", placeOf(d))
		}
	}
	if errors.As(err, &skip) {
		return nil
	}
	return err
}

// without returns a text without documents, and verifies that the others stay. It is empty if there are no others.
func (m *marker) without(name string, text []byte, documents []load.Document) ([]byte, error) {
	const byHand = atomicfile.SkipError("it must be removed by hand: it is not a separate document in a file that is read")
	if text == nil || m.read.IsInImage(name) {
		return nil, byHand
	}
	gone := map[string]bool{}
	after := text
	// The last ones first, so that the lines of the others stay.
	for _, d := range slices.Backward(documents) {
		id, _ := history.ID(d)
		gone[id] = true
		after = cut(after, d.Item.PlaceOf("").Line)
	}
	was, err := history.ReadText(name, text, m.options)
	if err != nil {
		return nil, err
	}
	is, err := history.ReadText(name, after, m.options)
	if err != nil {
		return nil, err
	}
	want := slices.DeleteFunc(slices.Clone(was.Documents), func(d load.Document) bool {
		id, ok := history.ID(d)
		return ok && gone[id]
	})
	if !sameDocuments(want, is.Documents) || len(was.Documents)-len(want) != len(documents) {
		return nil, byHand
	}
	if len(want) == 0 {
		return nil, nil
	}
	return after, nil
}

// removeFile removes a file that has not changed, unless a kustomization names it.
func (m *marker) removeFile(name string, before []byte) error {
	for _, one := range []string{"kustomization.yaml", "kustomization.yml", "Kustomization"} {
		text, err := os.ReadFile(filepath.Join(filepath.Dir(name), one))
		if err == nil && bytes.Contains(text, []byte(filepath.Base(name))) {
			return atomicfile.SkipError("remove the file by hand: " + one + " names it")
		}
	}
	now, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, before) {
		return atomicfile.SkipError("the file has changed meanwhile: run the command again")
	}
	return os.Remove(name)
}

// obstacle returns why a document must stay: its delete phase is not complete.
func (e *ended) obstacle(d load.Document, read *load.Package) error {
	if d.Item.Kind() != contract.Sandbox {
		return nil
	}
	s, _ := document.ReadSandbox(d.Item)
	id, err := s.ID()
	if err != nil {
		return err
	}
	var wanted []string
	for _, resource := range s.Spec.Resources {
		if !deletesNothing(resource.Plugin, read) {
			wanted = append(wanted, resource.Name)
		}
	}
	return e.isDone(id, wanted)
}

// deletesNothing reports whether a plugin is known to have no delete phase: no steps, and no outputs to clean up.
func deletesNothing(name string, read *load.Package) bool {
	for _, d := range read.Documents {
		if d.Item.APIVersion() != contract.APIVersion || d.Item.Kind() != contract.ResourcePlugin || d.Item.Name() != name {
			continue
		}
		p, _ := document.ReadPlugin(d.Item)
		hasOutputs := func(s v1alpha1.Step) bool { return len(s.Outputs) > 0 }
		return len(p.Spec.Delete) == 0 && !slices.ContainsFunc(p.Spec.Create, hasOutputs)
	}
	return false
}
