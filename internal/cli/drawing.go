package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/resource-plugins/krm-functions/internal/load"
)

// Drawing is what a function draws instead of processing the documents, with --graph FORMAT in file mode.
type Drawing struct {
	// Shows is what is drawn, for --help, such as "the steps of the plugins".
	Shows string
	// Formats are the values of --graph.
	Formats []string
	// Kind is the kind of documents that are drawn. The others, and what is wrong with them, are ignored.
	Kind string
	// Draw returns the whole document in one of the formats. What keeps a document of the list from being drawn is reported
	// to the list; nothing is printed then. An error means that nothing can be drawn at all (exit code 2).
	Draw func(call Call, format string) ([]byte, error)
}

func (d *Drawing) help() string {
	return fmt.Sprintf("only draw %s: %s", d.Shows, strings.Join(d.Formats, ", "))
}

// DrawingFlags returns the flags that have a meaning for a drawing, beside --graph.
func DrawingFlags() []string {
	return []string{"set", "values", "allow-embed-outside", "kustomize", "exclude", "no-project", "print-config", "verbose"}
}

// checkGraph refuses unknown formats, and flags that have no meaning for a drawing.
func (r *run) checkGraph(flags *pflag.FlagSet) error {
	graph := flags.Lookup("graph")
	if graph == nil || !graph.Changed {
		return nil
	}
	if !slices.Contains(r.Drawing.Formats, r.Graph) {
		return fmt.Errorf("--graph must be one of %q, not %q", r.Drawing.Formats, r.Graph)
	}
	if given := givenExcept(flags, append(DrawingFlags(), "graph")...); given != "" {
		return fmt.Errorf("--graph must be without --%s: it draws documents as they are", given)
	}
	return nil
}

// dropUndrawn removes the documents that --graph does not draw.
func (r *run) dropUndrawn(read *load.Package) {
	if r.Graph != "" {
		read.Documents = slices.DeleteFunc(read.Documents, func(d load.Document) bool { return d.Item.Kind() != r.Drawing.Kind })
	}
}

// work runs the function on the list, or draws the list.
func (r *run) work(call Call, c *checked) (err error) {
	if r.Graph == "" {
		c.summary, err = r.config.Process(call)
		return err
	}
	c.drawing, err = r.Drawing.Draw(call, r.Graph)
	return err
}
