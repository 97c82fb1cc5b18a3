package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/resource-plugins/krm-functions/internal/atomicfile"
	"github.com/resource-plugins/krm-functions/internal/edit"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// maxPasses is how often --fix checks the files again: a fix can reveal another one.
const maxPasses = 10

// fixes records the changes of --fix.
type fixes struct {
	lines bytes.Buffer // about the changes
	count int
}

// fix makes the changes that results propose, and checks the files again until no change is left. A change that cannot be
// made is reported on stderr, and its finding remains.
func (f *fixes) fix(ctx context.Context, r *run, c *checked) (*checked, error) {
	for range maxPasses {
		refused, changed, err := f.pass(ctx, c)
		if err != nil {
			return nil, err
		}
		if changed == 0 {
			f.lines.Write(refused)
			break
		}
		if c, err = r.readAndProcess(steps{}); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// pass makes the changes of one check. It returns lines about those that are refused, and how many were made.
func (f *fixes) pass(ctx context.Context, c *checked) (refused []byte, changed int, err error) {
	files := edit.NewFiles(c.read.Text)
	proposals := map[string][]proposal{}
	var lines bytes.Buffer
	for _, result := range c.results {
		if !edit.IsCertain(result) {
			continue
		}
		p := proposal{result: result}
		if c.read.IsInImage(result.Place.File) {
			p.refuse(&lines, errInImage)
			continue
		}
		if _, p.edit, err = files.Proposal(result); err != nil {
			p.refuse(&lines, err)
			continue
		}
		proposals[result.Place.File] = append(proposals[result.Place.File], p)
	}
	for _, file := range slices.Sorted(maps.Keys(proposals)) {
		made, err := f.file(ctx, file, c.read.Text(file), proposals[file], &lines)
		if err != nil {
			return nil, 0, err
		}
		changed += made
	}
	f.count += changed
	return lines.Bytes(), changed, nil
}

const errInImage = atomicfile.SkipError(
	"it must be in its own file, not in an image: change what the image is built from")

// file makes the changes of one file, all that can be made.
func (f *fixes) file(
	ctx context.Context, name string, before []byte, proposals []proposal, refused *bytes.Buffer,
) (int, error) {
	made, after := apply(name, before, proposals, refused)
	if bytes.Equal(before, after) {
		return 0, nil
	}
	if err := atomicfile.Rewrite(ctx, name, before, after, nil); err != nil {
		var skip atomicfile.SkipError
		if !errors.As(err, &skip) {
			return 0, err
		}
		for _, p := range made {
			p.refuse(refused, err)
		}
		return 0, nil
	}
	for _, p := range made {
		fmt.Fprintf(&f.lines, "fixed: %s\n", p)
	}
	return len(made), nil
}

// apply makes the changes that can be made together, and returns them and the new text.
func apply(name string, before []byte, proposals []proposal, refused *bytes.Buffer) (made []proposal, after []byte) {
	edits := make([]edit.Edit, 0, len(proposals))
	for _, p := range proposals {
		edits = append(edits, p.edit)
	}
	if after, err := edit.Apply(name, before, edits); err == nil {
		return proposals, after
	}
	edits, after = nil, before
	for _, p := range proposals {
		text, err := edit.Apply(name, before, append(edits, p.edit))
		if err != nil {
			p.refuse(refused, err)
			continue
		}
		edits, made, after = append(edits, p.edit), append(made, p), text
	}
	return made, after
}

// proposal is a result with the edit that it proposes.
type proposal struct {
	result krm.Result
	edit   edit.Edit
}

func (p proposal) refuse(lines *bytes.Buffer, err error) {
	fmt.Fprintf(lines, "not fixed: %s: %s\n", p, report.Printable(err.Error()))
}

// String describes the change and its place.
func (p proposal) String() string {
	return report.Printable(fmt.Sprintf("%s: %s %s: %s", report.PlaceText(p.result),
		report.ObjectText(p.result.ResourceRef), p.result.Field.Path, report.Change(p.result)))
}
