package cli

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/resource-plugins/krm-functions/internal/edit"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// mostPasses is how often --fix goes over the files: what is fixed can bring to light what else is certain.
const mostPasses = 10

// fixing is what --fix did so far.
type fixing struct {
	lines bytes.Buffer // of what was changed
	count int
}

// fix changes the files as the results of a check propose where that is certain, and checks again until nothing is left
// to change. What cannot be changed is told, and stays a finding.
func (r *run) fix(c *checked) (*checked, *fixing, error) {
	done := &fixing{}
	for range mostPasses {
		refused, changed, err := done.pass(c)
		if err != nil {
			return nil, done, err
		}
		if changed == 0 {
			done.lines.Write(refused)
			break
		}
		if c, err = r.examine(); err != nil {
			return nil, done, err
		}
	}
	return c, done, nil
}

// pass makes the changes of one check. It returns lines about those that are refused, and how many were made.
func (f *fixing) pass(c *checked) (refused []byte, changed int, err error) {
	texts := newTexts(c.read.Text)
	files := map[string][]proposal{}
	var lines bytes.Buffer
	for _, result := range c.results {
		if !isCertain(result) {
			continue
		}
		p := proposal{result: result}
		if p.change, err = texts.change(result); err != nil {
			p.refuse(&lines, err)
			continue
		}
		files[p.file] = append(files[p.file], p)
	}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		made, err := f.file(file, c.read.Text(file), files[file], &lines)
		if err != nil {
			return nil, 0, err
		}
		changed += made
	}
	f.count += changed
	return lines.Bytes(), changed, nil
}

// file makes the changes of one file, all that can be made.
func (f *fixing) file(name string, before []byte, proposals []proposal, refused *bytes.Buffer) (int, error) {
	mark := len(before) - len(bytes.TrimPrefix(before, []byte(byteOrderMark)))
	for n := range proposals {
		edit := &proposals[n].edit
		edit.From, edit.To = edit.From+mark, edit.To+mark
	}
	made, after := apply(before, proposals, refused)
	if bytes.Equal(before, after) {
		return 0, nil
	}
	if err := rewrite(name, before, after); err != nil {
		var kept keptError
		if !errors.As(err, &kept) {
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

// apply returns a text with the changes that can be made together, and these.
func apply(before []byte, proposals []proposal, refused *bytes.Buffer) (made []proposal, after []byte) {
	edits := make([]edit.Edit, 0, len(proposals))
	for _, p := range proposals {
		edits = append(edits, p.edit)
	}
	if after, err := edit.Apply(before, edits); err == nil {
		return proposals, after
	}
	edits, after = nil, before
	for _, p := range proposals {
		text, err := edit.Apply(before, append(edits, p.edit))
		if err != nil {
			p.refuse(refused, err)
			continue
		}
		edits, made, after = append(edits, p.edit), append(made, p), text
	}
	return made, after
}

// proposal is a result with the change that it proposes.
type proposal struct {
	result krm.Result
	change
}

func (p proposal) refuse(lines *bytes.Buffer, err error) {
	fmt.Fprintf(lines, "not fixed: %s: %s\n", p, printable(err.Error()))
}

// String tells the place, and what becomes of what.
func (p proposal) String() string {
	what := ""
	if p.result.Tags[krm.TargetTag] == krm.TargetKey {
		what = "key "
	}
	field := p.result.Field
	return printable(fmt.Sprintf("%s: %s %s: %s%q becomes %s", placeText(p.result), subjectText(p.result.ResourceRef),
		field.Path, what, fmt.Sprint(field.CurrentValue), quoted(field.ProposedValue)))
}

func quoted(value any) string {
	if text, ok := value.(string); ok {
		return fmt.Sprintf("%q", text)
	}
	return fmt.Sprint(value)
}
