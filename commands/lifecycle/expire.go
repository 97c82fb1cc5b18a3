package lifecycle

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/commands/lifecycle/history"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/extension"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/internal/rplug"
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
		Example: "  rplug expire\n  rplug expire --all --output json sandboxes/\n  rplug expire --write && git commit -am 'Expire sandboxes'",
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
	if err := f.print(c.OutOrStdout(), entries, now); err != nil || !f.write {
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
	return all, report.Refused(all.Results())
}

// The states of documents with a ttl.
const (
	stateExpired = "expired"
	stateActive  = "active"
	// stateUnknown is that of a document which may have expired, and for certain will have at Expires.
	stateUnknown = "unknown"
	// stateMatched is that of a route group whose ttl does not run, since a sandbox matches.
	stateMatched = "matched"
)

// The values of ttl.offsetFrom.
const (
	createdAt = "createdAt"
	updatedAt = "updatedAt"
	unmatched = "noMatchedSandboxes"
)

// expiry is a document with a ttl.
type expiry struct {
	Kind    string     `json:"kind"`
	Name    string     `json:"name"`
	Cluster string     `json:"cluster,omitempty"`
	File    string     `json:"file"`
	Line    int        `json:"line"`
	TTL     string     `json:"ttl"`
	From    string     `json:"offsetFrom"`
	State   string     `json:"state"`
	Start   *time.Time `json:"start,omitempty"`
	Commit  string     `json:"commit,omitempty"`
	Expires *time.Time `json:"expires,omitempty"`
	Reason  string     `json:"reason,omitempty"`

	document load.Document
}

// expiries returns the documents with a ttl that are not absent, in their order.
func expiries(read *load.Package, options load.Options, now time.Time) (entries []*expiry, err error) {
	var documents []load.Document
	for _, d := range read.Documents {
		if e := expiryOf(d); e != nil {
			entries, documents = append(entries, e), append(documents, d)
		}
	}
	if len(documents) == 0 {
		return nil, nil
	}
	h, err := history.Open(options, now)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	lives, err := h.Lives(documents, read.Documents)
	if err != nil {
		return nil, err
	}
	for i, e := range entries {
		e.judge(lives[i], now)
	}
	return entries, nil
}

// expiryOf returns an entry for a sandbox or route group with a ttl, nil for others.
func expiryOf(d load.Document) *expiry {
	if d.Item.APIVersion() != contract.APIVersion {
		return nil
	}
	place := d.Item.PlaceOf("")
	e := &expiry{Kind: d.Item.Kind(), Name: d.Item.Name(), File: place.File, Line: place.Line, document: d}
	switch d.Item.Kind() {
	case contract.Sandbox:
		s, _ := document.ReadSandbox(d.Item)
		if s.Spec.TTL == nil {
			return nil
		}
		e.Cluster, e.TTL, e.From = s.Spec.Cluster, s.Spec.TTL.Duration, s.Spec.TTL.OffsetFrom
		if e.From == "" {
			e.From = createdAt
		}
	case contract.RouteGroup:
		g, _ := document.ReadRouteGroup(d.Item)
		if g.Spec.TTL == nil {
			return nil
		}
		e.Cluster, e.TTL, e.From = g.Spec.Cluster, g.Spec.TTL.Duration, g.Spec.TTL.OffsetFrom
		if e.From == "" {
			e.From = unmatched
		}
	default:
		return nil
	}
	if absent, _ := document.IsAbsent(d.Item); absent {
		return nil
	}
	return e
}

// judge decides whether the document has expired.
func (e *expiry) judge(life history.Life, now time.Time) {
	lifetime, err := parseTTL(e.TTL)
	if err != nil {
		e.State, e.Reason = stateUnknown, err.Error()
		return
	}
	var start history.Moment
	switch e.From {
	case createdAt:
		start = life.Created
	case updatedAt:
		start = life.Updated
	case unmatched:
		if e.Kind != contract.RouteGroup {
			e.State, e.Reason = stateUnknown, fmt.Sprintf("ttl.offsetFrom must be %s or %s, not %q", createdAt, updatedAt, e.From)
			return
		}
		if life.Unmatched == nil {
			e.State, e.Reason = stateMatched, "a sandbox matches"
			return
		}
		start = *life.Unmatched
	default:
		e.State, e.Reason = stateUnknown, fmt.Sprintf("ttl.offsetFrom must be %s or %s, not %q", createdAt, updatedAt, e.From)
		return
	}
	end := lifetime.after(start.Time)
	e.Start, e.Expires, e.Commit, e.Reason = &start.Time, &end, start.Commit, start.Unknown
	switch {
	case !end.After(now) && !start.Time.Equal(now):
		e.State, e.Reason = stateExpired, ""
	case start.Unknown != "":
		e.State = stateUnknown
	default:
		e.State = stateActive
	}
}

func (f *expireFlags) print(out io.Writer, entries []*expiry, now time.Time) error {
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
		fmt.Fprintln(&text, report.Printable(e.text(now)))
	}
	_, err := io.WriteString(out, report.WithoutCommands(text.String()))
	return err
}

// text describes the entry in a line.
func (e *expiry) text(now time.Time) string {
	text := fmt.Sprintf("%s:%d: %s %s: %s", e.File, e.Line, e.Kind, e.Name, e.State)
	if e.Expires != nil {
		switch e.State {
		case stateExpired:
			text += " since " + stamp(*e.Expires)
		case stateUnknown:
			text += ", expires at the latest at " + stamp(*e.Expires)
		default:
			text += ", expires at " + stamp(*e.Expires)
		}
		text += fmt.Sprintf(" (ttl %s, %s %s", e.TTL, e.From, stamp(*e.Start))
		if e.Commit != "" {
			text += " by commit " + e.Commit[:min(12, len(e.Commit))]
		} else {
			text += ", not committed"
		}
		text += ")"
	}
	if e.Reason != "" {
		text += ": " + e.Reason
	}
	return text
}

func stamp(at time.Time) string { return at.UTC().Format(time.RFC3339) }
