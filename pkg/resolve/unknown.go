package resolve

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
)

// unknownPlugin is the error that no document has the reference's bare name; it lists the known names.
func (c *Catalog) unknownPlugin(reference document.PluginReference) error {
	meant, advice := nearest(reference.Bare, c.names)
	unknown := referenceError("plugin %q is unknown: %s", reference.Bare, advice)
	if len(c.names) == 0 {
		unknown = referenceError("plugin %q is unknown: the list has no %s documents; add one, or generate it with "+
			"import-plugin", reference.Bare, contract.ResourcePlugin)
	}
	unknown.Missing = missing(reference)
	if meant != "" {
		unknown.Proposed = strings.Replace(reference.String(), reference.Bare, meant, 1)
	}
	return unknown
}

// unknownVersion is the error that no version fits; it explains why, and lists the known versions.
func (p *pluginVersions) unknownVersion(
	reference document.PluginReference, channelVersion *semver.Version, n *narrowed,
) error {
	there, in := strictyaml.ThereAre(p.versions()), ""
	if reference.Selector != "" {
		in = fmt.Sprintf(" in %q", reference.Selector)
	}
	switch {
	case n.refused != "":
		return referenceError("plugin %q has no version%s %s", reference.Bare, in, n.refused)
	case channelVersion != nil:
		return referenceError("channel %q of plugin %q must name a listed version, not %s: %s",
			reference.Channel, reference.Bare, channelVersion, there)
	case !reference.Ranges():
		return &ReferenceError{
			Message: fmt.Sprintf("plugin %q has no version %s: %s", reference.Bare, reference.Pin, there),
			Missing: missing(reference),
		}
	}
	hint := ""
	if slices.ContainsFunc(p.entries, func(e *entry) bool { return e.name.Version.Prerelease() != "" }) {
		hint = "; a prerelease is left out unless the range names one, such as ^1.2.0-0"
	}
	return referenceError("plugin %q has no version%s: %s%s", reference.Bare, in, there, hint)
}

// missing is the full version that a pin names, or empty if the reference is not a pin.
func missing(reference document.PluginReference) string {
	if reference.Pin == nil {
		return ""
	}
	return document.PluginName{Bare: reference.Bare, Version: reference.Pin}.String()
}

func (p *pluginVersions) unknownChannel(reference document.PluginReference) error {
	names := p.channels()
	if len(names) == 0 {
		return referenceError("plugin %q has no channel %q, nor any other: refer to a version such as 1.0.0, or to a range "+
			"such as ^1.2", reference.Bare, reference.Channel)
	}
	meant, advice := nearest(reference.Channel, names)
	unknown := referenceError("plugin %q has no channel %q: %s", reference.Bare, reference.Channel, advice)
	if meant != "" {
		unknown.Proposed = reference.Bare + "@" + meant
	}
	return unknown
}

// nearest returns the only likely correction of a name, or empty, and advice for the message.
func nearest(name string, names []string) (meant, advice string) {
	guess, sure := strictyaml.Nearest(name, names)
	if advice = strictyaml.ThereAre(quoted(names)); guess != "" {
		advice = fmt.Sprintf("did you mean %q? %s", guess, advice)
	}
	if sure {
		meant = guess
	}
	return meant, advice
}

// gone is the error that a version has disappeared on which a document relies.
func (p *pluginVersions) gone(name document.PluginName, who string) error {
	there := "no version is left"
	if p != nil {
		there = strictyaml.ThereAre(p.versions())
	}
	return &ReferenceError{
		Message: fmt.Sprintf("plugin %q no longer has version %s, but %s: %s", name.Bare, name.Version, who, there),
		Missing: name.String(), Locked: true,
	}
}

func quoted(names []string) []string { return texts(names, strconv.Quote) }

// texts returns the text of each element.
func texts[E any](elements []E, of func(E) string) []string {
	all := make([]string, len(elements))
	for i, e := range elements {
		all[i] = of(e)
	}
	return all
}

// normalize returns the only possible meaning of a malformed reference: without blanks around its parts, the selector
// in lower case. It is empty if the result is still malformed.
func normalize(text string) string {
	bare, selector, selects := strings.Cut(text, "@")
	normalized := strings.TrimSpace(bare)
	if selects {
		normalized += "@" + strings.ToLower(strings.TrimSpace(selector))
	}
	if _, err := document.ParsePluginReference(normalized); err != nil {
		return ""
	}
	return normalized
}
