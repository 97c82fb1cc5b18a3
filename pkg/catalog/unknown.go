package catalog

import (
	"fmt"
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/contract"
	"github.com/resource-plugins/krm-functions/pkg/decode"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/plugin"
	"github.com/resource-plugins/krm-functions/pkg/version"
)

// most is how many names or versions a message lists.
const most = 10

// unknownPlugin tells that no document has the reference's bare name, and what there is.
func (c *Catalog) unknownPlugin(reference version.Reference) error {
	if len(c.names) == 0 {
		return &ReferenceError{Message: fmt.Sprintf("plugin %q is unknown, since there is no %s document at all: "+
			"add it, or have import-plugin generate it", reference.Bare, contract.ResourcePlugin)}
	}
	unknown := &ReferenceError{}
	guess := ""
	if nearest, sure := decode.Nearest(reference.Bare, c.names); nearest != "" {
		guess = fmt.Sprintf("did you mean %q? ", nearest)
		if sure {
			unknown.Proposed = strings.Replace(reference.String(), reference.Bare, nearest, 1)
		}
	}
	quoted := make([]string, len(c.names))
	for i, name := range c.names {
		quoted[i] = fmt.Sprintf("%q", name)
	}
	unknown.Message = fmt.Sprintf("plugin %q is unknown: %s%s", reference.Bare, guess, thereAre(quoted))
	return unknown
}

// unknownVersion tells that no version fits, and which there are.
func (c *Catalog) unknownVersion(reference version.Reference, trail Trail) error {
	entries := c.plugins[reference.Bare]
	versions, prereleases := make([]string, len(entries)), false
	for i, e := range entries {
		versions[i] = e.name.Version.String()
		prereleases = prereleases || e.name.Version.Prerelease() != ""
	}
	if !reference.Ranges() {
		return &ReferenceError{Message: fmt.Sprintf("plugin %q has no version %s: %s",
			reference.Bare, reference.Pin, thereAre(versions))}
	}
	hint := ""
	if prereleases {
		hint = "; a prerelease is left out unless the range names one, such as ^1.2.0-0"
	}
	return &ReferenceError{Message: fmt.Sprintf("plugin %q has no version in %q (%s): %s%s",
		reference.Bare, reference.Selector, trail, thereAre(versions), hint)}
}

// unreadable tells that a document that could decide has no name to go by.
func (c *Catalog) unreadable(item *krm.Item) error {
	_, err := version.ParseName(plugin.Identity(item))
	return &DocumentError{Item: item, Path: namePath, Message: err.Error()}
}

// thereAre lists texts, the first of them where there are many.
func thereAre(texts []string) string {
	rest := ""
	if len(texts) > most {
		rest = fmt.Sprintf(" and %d more", len(texts)-most)
		texts = texts[:most]
	}
	verb := "there are "
	if len(texts) == 1 {
		verb = "there is "
	}
	return verb + strings.Join(texts, ", ") + rest
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
