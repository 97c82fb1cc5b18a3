package cli

import (
	"errors"

	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// Config is a function's configuration, and its work.
type Config interface {
	// Process reads and edits the list and reports results to it. The summary is one line for people, such as
	// "rendered 3 Jobs for 2 resources". An error means that the list cannot be processed at all (exit code 2). Whatever
	// is wrong with a document or with the config's values is a result instead.
	Process(call Call) (summary string, err error)
}

// Suppressor is a config of a function whose results comments in the documents can suppress. Suppress separates these from
// the others. It is not called if the config is wrong.
type Suppressor interface {
	Suppress(list *krm.ResourceList, results krm.Results) (krm.Results, []validate.Suppressed)
}

// PackageReader is a config with the image of the Crossplane package that file mode reads.
type PackageReader interface{ PackageImage() string }

// Call is one run of a function.
type Call struct {
	// List holds the documents and takes the results.
	List *krm.ResourceList
	// ConfigName is the functionConfig's metadata.name; in file mode, and without a functionConfig, the function's name.
	ConfigName string
	// FileMode reports whether the list was read from files, not from an orchestrator.
	FileMode bool
	// RefuseEmpty reports whether it is an error if the config chooses nothing: in file mode, without --allow-empty.
	RefuseEmpty bool
	// Base is the older state to compare with; nil without one.
	Base *Base

	// Partial reports that not all of the files could be read; the findings explain why.
	Partial bool

	// Reused is the number of sandboxes that are not in the list, since an earlier run found nothing in them.
	Reused int

	// WriteLock reports whether the lock of the list is written to a file.
	WriteLock bool

	found      *krm.Results
	suppressed *[]validate.Suppressed

	config   *krm.Item
	native   map[*krm.Item]bool
	packages map[*krm.Item]string
	rendered map[*krm.Item]bool  // nil in stdin mode
	wrong    *flagErrors         // the fields of the config that have a wrong value
	places   map[krm.Path]string // of the values from the project file, by their path in the config
	text     *[]byte             // see Print
}

// IsNative reports whether the item came from a native document. It is always false in stdin mode.
func (c Call) IsNative(item *krm.Item) bool { return c.native[item] }

// PackageOf returns the path of the package that the item was read from; empty if it is not part of one, and in stdin
// mode.
func (c Call) PackageOf(item *krm.Item) string { return c.packages[item] }

// Found returns the findings from reading the files, for a function that must know which errors comments suppress. The
// function then reports these findings itself, and passes the suppressed ones to Suppressed.
func (c Call) Found() krm.Results {
	found := *c.found
	*c.found = nil
	return found
}

// RefuseFileWarnings turns warnings about the files that were read into errors. No rule has a level for them.
func (c Call) RefuseFileWarnings() {
	if c.found == nil {
		return
	}
	for i := range *c.found {
		if one := &(*c.found)[i]; one.Severity == krm.Warning && one.Tags[krm.RuleTag] == load.RuleFile {
			one.Severity = krm.Error
		}
	}
}

// Suppressed records the findings that comments in the documents suppress, if the function has determined them itself.
func (c Call) Suppressed(findings ...validate.Suppressed) {
	*c.suppressed = append(*c.suppressed, findings...)
}

// SetRendered marks items of the list as rendered by the function. In file mode, a function that prints objects prints no
// others; any other function prints them even if they are local-config.
func (c Call) SetRendered(items ...*krm.Item) {
	if c.rendered == nil {
		return
	}
	for _, item := range items {
		c.rendered[item] = true
	}
}

// Print makes file mode print a text in place of documents, if there is no error.
func (c Call) Print(text []byte) {
	if c.text != nil {
		*c.text = text
	}
}

// ConfigError reports that a field of the config has a wrong value: in file mode, the call is wrong then (exit code 2);
// otherwise, it is an error of the functionConfig. The key is the field's key, optionally followed by an index in
// brackets or a key after a dot, such as `phases[1]`.
func (c Call) ConfigError(key krm.Path, message string) {
	at := FlagName(key)
	if place := c.places[key]; place != "" {
		at = place + ": " + string(key)
	}
	c.wrong.add(at, message)
	switch {
	case c.FileMode: // the call ends with the flags
	case c.config != nil:
		c.List.Report(krm.At(c.config, key, krm.Error, message))
	default:
		c.List.Report(krm.NewResult(krm.Error, "functionConfig "+string(key)+": "+message))
	}
}

// OptionErrors reports the options that cannot be used, as wrong values of the config. It returns false if err is something
// else.
func (c Call) OptionErrors(err error) bool {
	var wrong krm.OptionErrors
	if !errors.As(err, &wrong) {
		return false
	}
	for _, one := range wrong {
		c.ConfigError(one.Option, one.Message)
	}
	return true
}

// FlagName returns the flag of a field of a config, such as --helper-image.
func FlagName(key krm.Path) string { return "--" + kebab(firstKey(key)) }
