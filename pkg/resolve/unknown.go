package resolve

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/internal/version"
)

// most is how many names or versions a message lists.
const most = 10

// unknownPlugin tells that no document has the reference's bare name, and what there is.
func (c *Catalog) unknownPlugin(reference version.Reference) error {
	if len(c.names) == 0 {
		return &ReferenceError{Missing: missing(reference), Message: fmt.Sprintf("plugin %q is unknown, since there is no %s "+
			"document at all: add it, or have import-plugin generate it", reference.Bare, contract.ResourcePlugin)}
	}
	unknown := &ReferenceError{Missing: missing(reference)}
	guess := ""
	if nearest, sure := strictyaml.Nearest(reference.Bare, c.names); nearest != "" {
		guess = fmt.Sprintf("did you mean %q? ", nearest)
		if sure {
			unknown.Proposed = strings.Replace(reference.String(), reference.Bare, nearest, 1)
		}
	}
	unknown.Message = fmt.Sprintf("plugin %q is unknown: %s%s", reference.Bare, guess, thereAre(quoted(c.names)))
	return unknown
}

// unknownVersion tells that no version fits, why, and which there are.
func (f *family) unknownVersion(reference version.Reference, meant *semver.Version, p passage) error {
	there := thereAre(f.versions())
	switch {
	case p.stopped != nil && p.stopped.refused != nil:
		return &ReferenceError{Message: fmt.Sprintf("plugin %q has no version%s (%s) %s",
			reference.Bare, within(reference), p.trail, p.stopped.refused(p.entered))}
	case meant != nil:
		return &ReferenceError{Message: fmt.Sprintf("channel %q of plugin %q must name a version that is listed, not %s: %s",
			reference.Channel, reference.Bare, meant, there)}
	case !reference.Ranges():
		return &ReferenceError{
			Message: fmt.Sprintf("plugin %q has no version %s (%s): %s", reference.Bare, reference.Pin, p.trail, there),
			Missing: missing(reference),
		}
	}
	hint := ""
	if slices.ContainsFunc(f.entries, func(e *entry) bool { return e.name.Version.Prerelease() != "" }) {
		hint = "; a prerelease is left out unless the range names one, such as ^1.2.0-0"
	}
	return &ReferenceError{Message: fmt.Sprintf("plugin %q has no version%s (%s): %s%s",
		reference.Bare, within(reference), p.trail, there, hint)}
}

// missing is the pin that leads nowhere, in full, empty where the reference is none.
func missing(reference version.Reference) string {
	if reference.Pin == nil {
		return ""
	}
	return version.Name{Bare: reference.Bare, Version: reference.Pin}.String()
}

func within(reference version.Reference) string {
	if reference.Selector == "" {
		return ""
	}
	return fmt.Sprintf(" in %q", reference.Selector)
}

func (f *family) unknownChannel(reference version.Reference) error {
	names := f.channels()
	if len(names) == 0 {
		return &ReferenceError{Message: fmt.Sprintf("plugin %q has no channel %q, nor any other: "+
			"refer to a version such as 1.0.0, or to a range such as ^1.2", reference.Bare, reference.Channel)}
	}
	unknown := &ReferenceError{}
	guess := ""
	if nearest, sure := strictyaml.Nearest(reference.Channel, names); nearest != "" {
		guess = fmt.Sprintf("did you mean %q? ", nearest)
		if sure {
			unknown.Proposed = reference.Bare + "@" + nearest
		}
	}
	unknown.Message = fmt.Sprintf("plugin %q has no channel %q: %s%s",
		reference.Bare, reference.Channel, guess, thereAre(quoted(names)))
	return unknown
}

// gone tells that a version has disappeared which somebody relies on.
func (c *Catalog) gone(name version.Name, who string, f *family) error {
	there := "no version is left"
	if f != nil {
		there = thereAre(f.versions())
	}
	return &ReferenceError{
		Message: fmt.Sprintf("plugin %q has no version %s any more, and %s: %s", name.Bare, name.Version, who, there),
		Missing: name.String(), Locked: true,
	}
}

// unsettled tells that a reference may mean another version than the one that created what is to be deleted.
func unsettled(reference string, choice *Choice) error {
	return &ReferenceError{Message: fmt.Sprintf("%q must not float in the delete phase, which must run the version that "+
		"created what it removes: pin it, or lock it (%s)", reference, LockLine(choice.Entry(reference)))}
}

func quoted(names []string) []string {
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = strconv.Quote(name)
	}
	return texts
}

// thereAre lists texts, the first of them where there are many.
func thereAre(texts []string) string {
	switch len(texts) {
	case 0:
		return "there is none"
	case 1:
		return "there is " + texts[0]
	default:
		return "there are " + enough(texts)
	}
}

// enough lists the first texts where there are many.
func enough(texts []string) string {
	if len(texts) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(texts[:most], ", "), len(texts)-most)
	}
	return strings.Join(texts, ", ")
}

// describe lists entries, the first of them where there are many.
func describe(entries []*entry, text func(*entry) string) string {
	texts := make([]string, len(entries))
	for i, e := range entries {
		texts[i] = text(e)
	}
	return enough(texts)
}

// tidy returns the reference that a malformed one is certain to mean: without blanks around its parts, the selector in
// lower case. It is empty where that is none either.
func tidy(text string) string {
	bare, selector, selects := strings.Cut(text, "@")
	tidied := strings.TrimSpace(bare)
	if selects {
		tidied += "@" + strings.ToLower(strings.TrimSpace(selector))
	}
	if _, err := version.ParseReference(tidied); err != nil {
		return ""
	}
	return tidied
}
