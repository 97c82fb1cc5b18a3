// Package resolve chooses the plugin versions that sandboxes refer to, and pins them.
//
// Resolve does that for a whole list: every plugin reference of its Sandbox documents becomes a full version, such as
// `hello-db@1.2.0`. The original reference and the digest of the version are recorded in two annotations of the sandbox
// (Record), so that the next run detects edited pins and documents that changed after they were published.
//
// A Catalog resolves references. It is made of the list's plugin documents, Catalog documents (CatalogDocument), which
// add channels, yanked and deprecated versions, requirements and digests, and PluginLock documents, which keep earlier
// resolutions. For a reference that is not locked, several stages filter the versions, and the highest remaining one is
// chosen; Choice has their trace for explanations. Only chosen documents are decoded and digested, once each.
//
// Lint checks that plugins, catalogs and locks agree. Publish, Yank and Deprecate change a Catalog document, Diff and
// Losses compare two versions of one.
package resolve

import (
	"maps"
	"slices"
	"sync"

	"github.com/Masterminds/semver/v3"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// The modes of Options.Mode.
const (
	Keep   = "keep"   // locked references stay; others are added to a lock that exists
	Locked = "locked" // every reference must be locked already
	Update = "update" // locked references are resolved again
)

// NoLock is the message for references that must be locked in a list without a lock.
const NoLock = "no PluginLock in the input: create one with rplug resolve --write-lock FILE PATH"

// Options are the options of Resolve. The zero value is mode Keep.
type Options struct {
	v1alpha1.ResolveVersion
	// CreateLock adds a lock to a list without one, even in mode Keep.
	CreateLock bool
	// PlaceLock annotates an added lock with its file, for orchestrators that write files.
	PlaceLock bool
	// Others are names that Update may contain although no sandbox refers to them: those of packages.
	Others map[string]bool
}

// Report counts what Resolve did.
type Report struct {
	References, Sandboxes, Versions int
	Lock                            LockStats

	pins map[string]bool // the versions
}

// Plus returns the report of two parts of the sandboxes, which were resolved one by one without a change of the lock.
func (r Report) Plus(other Report) Report {
	pins := map[string]bool{}
	maps.Copy(pins, r.pins)
	maps.Copy(pins, other.pins)
	return Report{
		References: r.References + other.References, Sandboxes: r.Sandboxes + other.Sandboxes, Versions: len(pins), pins: pins,
	}
}

// Moves reports whether a config lets pinned references move, so that each depends on all sandboxes.
func Moves(c v1alpha1.ResolveVersion) bool {
	return c.Mode != "" && c.Mode != Keep && c.Mode != Locked || len(c.Update) > 0
}

// LockStats counts what happened to the entries of the lock.
type LockStats struct{ Added, Moved, Removed int }

// Resolve pins every plugin reference of the list's sandboxes, and updates the lock according to Options.Mode. Problems
// of documents are reported to the list; a reference that cannot be resolved stays as it is.
//
// The error is krm.OptionErrors if options are invalid, or that of an item that is not valid YAML. In both cases
// nothing is resolved, unless the only error is a name in Options.Update that no sandbox refers to.
func Resolve(list *krm.ResourceList, options Options) (Report, error) {
	// One call parses them all, on all cores.
	items, err := list.Select(contract.APIVersion, contract.Sandbox, contract.Catalog, contract.PluginLock)
	if err != nil {
		return Report{}, err
	}
	items = slices.DeleteFunc(items, func(item *krm.Item) bool { return item.Kind() != contract.Sandbox })
	kubernetes, wrong := options.check()
	if len(wrong) > 0 {
		return Report{}, wrong
	}
	if reportAmbiguous(list) {
		return Report{}, nil
	}
	sandboxes := make([]*sandbox, len(items))
	var reading sync.WaitGroup // a large catalog keeps one core busy
	reading.Go(func() {
		krm.Each(len(items), func(i int) { sandboxes[i] = readSandbox(items[i]) })
	})
	catalog := NewCatalog(list.Items()).ForKubernetes(kubernetes)
	reading.Wait()
	list.Report(catalog.Problems()...)
	r := newResolver(list, catalog, options, sandboxes)
	if r.lacksLock() {
		list.Report(krm.NewResult(krm.Error, NoLock))
		return r.report, nil
	}
	r.resolve()
	if len(r.wrong) > 0 {
		return r.report, r.wrong
	}
	return r.report, nil
}

// reportAmbiguous reports the objects whose kind or name depends on the reader, and whether there are any.
func reportAmbiguous(list *krm.ResourceList) (found bool) {
	for _, item := range list.Items() {
		if err := item.CheckIdentity(); err != nil {
			list.Report(krm.At(item, "", krm.Error, err.Error()))
			found = true
		}
	}
	return found
}

// check sets the default mode, and returns all invalid options.
func (o *Options) check() (kubernetes *semver.Version, wrong krm.OptionErrors) {
	if o.Mode == "" {
		o.Mode = Keep
	}
	if !slices.Contains([]string{Keep, Locked, Update}, o.Mode) {
		wrong.Add("mode", "must be keep, locked or update, not %q", o.Mode)
	}
	if o.Mode == Locked && o.CreateLock {
		wrong.Add("mode", "must be keep or update if the lock is to be written, not locked")
	}
	if len(o.Update) > 0 && o.Mode != Update {
		wrong.Add("update", "must be given with mode update only")
	}
	if o.KubernetesVersion != "" {
		var err error
		if kubernetes, err = KubernetesVersion(o.KubernetesVersion); err != nil {
			wrong.Add("kubernetesVersion", "%s", err)
		}
	}
	return kubernetes, wrong
}
