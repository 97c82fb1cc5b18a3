package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/load"
)

// Drawing is the mode that draws documents, with --graph FORMAT.
type Drawing struct {
	Format string `json:"graph" arg:"FORMAT" help:"draw the documents"`

	// Shows describes the drawing in --help, such as "the steps of the plugins".
	Shows string
	// Formats are the values of --graph.
	Formats []string
	// Kind is the kind of documents that are drawn. Other documents and their findings are ignored.
	Kind string
	// Draw returns the whole drawing in one of the formats. Problems that prevent a document of the list from being drawn
	// are reported to the list; nothing is printed then. An error means that nothing can be drawn at all (exit code 2).
	Draw func(call Call, format string) ([]byte, error)
}

func (d *Drawing) flags() []Field {
	fields := fieldsOf(d)
	fields[0].Help = fmt.Sprintf("only draw %s: %s", d.Shows, strings.Join(d.Formats, ", "))
	fields[0].enum = d.Formats
	return fields
}

func (d *Drawing) isAsked() bool { return d.Format != "" }

// DrawingFlags returns the flags that have a meaning for a drawing, besides --graph.
func DrawingFlags() []string {
	return []string{"set", "values", "allow-embed-outside", "kustomize", "exclude", "no-project", "print-config", "verbose"}
}

func (d *Drawing) check(r *run) error {
	if !r.flags.Changed("graph") {
		return nil
	}
	if !slices.Contains(d.Formats, d.Format) {
		return fmt.Errorf("--graph must be one of %q, not %q", d.Formats, d.Format)
	}
	if given := givenExcept(r.flags, append(DrawingFlags(), "graph")...); given != "" {
		return fmt.Errorf("--graph must be without --%s: it draws documents as they are", given)
	}
	return nil
}

func (d *Drawing) run(_ context.Context, r *run) int {
	var drawing []byte
	c, err := r.readAndProcess(steps{
		read: func(read *load.Package) error {
			read.Documents = slices.DeleteFunc(read.Documents, func(one load.Document) bool { return one.Item.Kind() != d.Kind })
			return nil
		},
		process: func(call Call) (_ string, err error) {
			drawing, err = d.Draw(call, d.Format)
			return "", err
		},
	})
	if err != nil {
		return r.fail(err)
	}
	return r.printText(c, drawing)
}
