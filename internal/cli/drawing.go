package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/resource-plugins/krm-functions/internal/load"
)

// Drawing is what a function shows of the documents in place of working on them, with --graph FORMAT in file mode.
type Drawing struct {
	// Shows is what is drawn, for --help, such as "the steps of the plugins".
	Shows string
	// Formats are the values of --graph.
	Formats []string
	// Kind is what is drawn. Documents of other kinds are left out, with all that is wrong with them.
	Kind string
	// Draw returns the whole document in one of the formats. What keeps a document of the list from being drawn is reported
	// to the list, and nothing is printed then. An error means that nothing can be drawn at all: exit 2.
	Draw func(call Call, format string) ([]byte, error)
}

func (d *Drawing) help() string {
	return fmt.Sprintf("draw %s in place of working on them: %s", d.Shows, strings.Join(d.Formats, ", "))
}

// checkGraph refuses a format that there is not, and flags that mean nothing to a drawing.
func (r *run) checkGraph(flags *pflag.FlagSet) error {
	graph := flags.Lookup("graph")
	if graph == nil || !graph.Changed {
		return nil
	}
	if !slices.Contains(r.Drawing.Formats, r.Graph) {
		return fmt.Errorf("--graph must be one of %q, not %q", r.Drawing.Formats, r.Graph)
	}
	var alone error
	flags.Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "graph", "set", "allow-embed-outside", "verbose":
		default:
			if alone == nil {
				alone = fmt.Errorf("--graph must be without --%s: it draws documents as they are", f.Name)
			}
		}
	})
	return alone
}

// leaveOut removes the documents that --graph does not draw.
func (r *run) leaveOut(read *load.Package) {
	if r.Graph != "" {
		read.Documents = slices.DeleteFunc(read.Documents, func(d load.Document) bool { return d.Item.Kind() != r.Drawing.Kind })
	}
}

// work lets the function work on the list, or draw it.
func (r *run) work(call Call, c *checked) (err error) {
	if r.Graph == "" {
		c.summary, err = r.config.Process(call)
		return err
	}
	c.drawing, err = r.Drawing.Draw(call, r.Graph)
	return err
}
