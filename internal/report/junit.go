package report

import (
	"cmp"
	"io"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// document identifies the document of a case.
type document struct {
	ref  krm.ResourceRef
	file string
}

// writeJUnit prints a report for continuous integration: errors are failures of a document, and warnings its output.
func (r *Report) writeJUnit(out io.Writer) error {
	all := &Suites{Name: r.Name}
	suites := map[string]*Suite{}
	cases := map[document]*Case{}
	add := func(d document, file, name string) *Case {
		if suites[file] == nil {
			suites[file] = all.Suite(file)
		}
		cases[d] = suites[file].Case(file, name)
		return cases[d]
	}
	byRef := map[krm.ResourceRef]*Case{}
	for _, item := range r.List.Items() {
		if group, _, _ := strings.Cut(item.APIVersion(), "/"); group == contract.Group {
			d := document{ref: item.Ref(), file: item.PlaceOf("").File}
			byRef[d.ref] = add(d, d.file, ObjectText(&d.ref))
		}
	}
	for _, result := range r.Results {
		d := document{file: result.Place.File}
		if result.ResourceRef != nil {
			d.ref = *result.ResourceRef
		}
		test := cmp.Or(cases[d], byRef[d.ref]) // by its reference if the finding is in an embedded file
		if test == nil {
			test = add(d, cmp.Or(d.file, r.Name), cmp.Or(ObjectText(&d.ref), d.file, r.Name))
		}
		test.add(result)
	}
	return all.Write(out)
}

// add adds a finding to a case.
func (c *Case) add(result krm.Result) {
	text := Line(result, Style{}) + "\n"
	if result.Severity == krm.Warning || result.Severity == krm.Info {
		c.Print(text)
		return
	}
	c.Fail(message(result), string(krm.Error), text)
}
