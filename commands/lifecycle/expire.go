package lifecycle

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/internal/rplug"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// expireFlags are the flags of rplug expire.
type expireFlags struct {
	inputs rplug.Inputs
	at     string
	all    bool
	write  bool
	output *rplug.Output
}

func expireCommand(features []extension.Extension) *cobra.Command {
	flags := expireFlags{inputs: rplug.Inputs{Features: features, ReadsCatalogs: true}}
	command := &cobra.Command{
		Use: "expire [PATH...]", GroupID: rplug.GroupCluster, Args: cobra.ArbitraryArgs,
		Short: "List the sandboxes and route groups whose ttl has passed, by the clock of Git",
		Long: "List the sandboxes and route groups whose ttl has passed, and with --write mark them absent in their\n" +
			"files: the next render has their delete phase. All other bytes of the files stay.\n\n" +
			"The clock is that of the commits of the branch (HEAD and its first parents). The ttl is counted from\n\n" +
			"  createdAt           the commit that brought the document to the branch\n" +
			"  updatedAt           the last commit that changed a field of it\n" +
			"  noMatchedSandboxes  the last commit with a sandbox that matches the route group\n\n" +
			"A merge or a squashed commit brings all its documents to the branch. A document that is moved to\n" +
			"another file stays the same one; one that was deleted or absent meanwhile is a new one. What is not\n" +
			"committed is made now. Where the history is not complete, as in a shallow clone, or an older file\n" +
			"cannot be read, the latest time that is possible counts, and the document is listed as unknown until\n" +
			"it has expired by that, too.\n\n" +
			"Exit code: 0 if done, 1 if a document has an error or cannot be marked, 2 if the call is wrong.",
		Example: "  rplug expire\n  rplug expire --all --output json sandboxes/\n" +
			"  rplug expire --write && git commit -am 'Expire sandboxes'",
	}
	f := command.Flags()
	f.SortFlags = false
	f.BoolVar(&flags.write, "write", false, "mark what has expired absent in its file, with its plugins pinned")
	f.BoolVar(&flags.all, "all", false, "list documents that have not expired, too")
	f.StringVar(&flags.at, "at", "", "`TIME` at which to look, such as 2026-01-31T12:00:00Z (default: now)")
	flags.output = rplug.OutputFlag(command)
	command.RunE = flags.run
	return flags.inputs.ReadProject(command)
}

func (f *expireFlags) run(c *cobra.Command, args []string) error {
	now, err := f.now()
	if err != nil {
		return err
	}
	options, err := f.inputs.Options(c.InOrStdin())
	if err != nil {
		return err
	}
	read, err := readFiles(f.inputs.PathsFrom(args, 0), f.inputs.Catalogs, options)
	if err != nil {
		return err
	}
	entries, err := expiries(read, options, now)
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		rplug.Complain(c.ErrOrStderr(), c,
			"nothing can expire: no sandbox or route group of the paths has a ttl, or all with one are absent: check the paths")
	}
	if err := f.print(c.OutOrStdout(), entries); err != nil || !f.write {
		return err
	}
	var expired []load.Document
	for _, e := range entries {
		if e.State == stateExpired {
			expired = append(expired, e.document)
		}
	}
	m := &marker{read: read, options: options, features: f.inputs.Features}
	if err := m.mark(c.Context(), expired); err != nil {
		return err
	}
	for _, line := range m.lines {
		rplug.Complain(c.ErrOrStderr(), c, line)
	}
	return m.refused()
}

// now returns the time at which to look. A later one than now is a forecast, and marks nothing.
func (f *expireFlags) now() (time.Time, error) {
	now := time.Now()
	if f.at == "" {
		return now, nil
	}
	at, err := time.Parse(time.RFC3339, f.at)
	switch {
	case err != nil:
		return at, fmt.Errorf("--at must be a time such as 2026-01-31T12:00:00Z, not %q", f.at)
	case f.write && at.After(now):
		return at, errors.New("--at must not be later than now with --write: what has not expired is not marked")
	}
	return at, nil
}

// readFiles reads documents in which changes can be made. The catalogs are read, too, for their plugins.
func readFiles(paths, catalogs []string, options load.Options) (*load.Package, error) {
	for _, path := range paths {
		if path == load.Stdin {
			return nil, errors.New("paths must be files or folders of a git repository, not the standard input")
		}
	}
	all, err := load.Read(append(paths, catalogs...), options)
	if err != nil {
		return nil, err
	}
	return all, refused(all)
}

// refused returns an error if documents cannot be read, or are ambiguous.
func refused(all *load.Package) error {
	results := all.Results()
	for _, d := range all.Documents {
		if err := ambiguous(d); err != nil {
			results = append(results, krm.At(d.Item, "", krm.Error, err.Error()))
		}
	}
	return report.Refused(results)
}

// ambiguous returns an error if parsers may disagree on the identity of a document, or on a value of a sandbox or route
// group: its owner may mean the value that is ignored here.
func ambiguous(d load.Document) error {
	if _, isOurs := clusterOf(d); isOurs {
		return d.Item.CheckKeys()
	}
	return d.Item.CheckIdentity()
}

func (f *expireFlags) print(out io.Writer, entries []*expiry) error {
	listed := []*expiry{}
	for _, e := range entries {
		if f.all || e.State == stateExpired || e.State == stateUnknown {
			listed = append(listed, e)
		}
	}
	if *f.output == rplug.JSON {
		return rplug.PrintJSON(out, listed)
	}
	var text strings.Builder
	for _, e := range listed {
		fmt.Fprintln(&text, report.Printable(e.text()))
	}
	_, err := io.WriteString(out, report.WithoutCommands(text.String()))
	return err
}
