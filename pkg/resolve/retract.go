package resolve

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
)

// Yank records why a version must not be chosen any more; an empty reason revokes that. The version stays listed:
// sandboxes that are pinned to it need it to delete their resources. No channel may name the version. A package is
// named by its image: registry.example.org/acme/redis:v0.1.0.
func Yank(c *CatalogDocument, name, reason string) error {
	if is, err := retractPackage(c, name, func(p *v1alpha1.CatalogPackage, v *v1alpha1.CatalogPackageVersion) error {
		if v == nil {
			return fmt.Errorf("name must have a version, such as %q: %s", p.Name+":v1.0.0", strictyaml.ThereAre(packageTags(p)))
		}
		v.Yanked = reason
		return nil
	}); is {
		return err
	}
	p, v, err := findVersion(c, name)
	if err != nil {
		return err
	}
	if v == nil {
		return fmt.Errorf("name must have a version, such as %q: %s", p.Name+"@1.0.0", versionsOf(p))
	}
	for channel, to := range p.Channels {
		if to == v.Version && reason != "" {
			return fmt.Errorf("%s must not be yanked while channel %q names it: move the channel first", name, channel)
		}
	}
	v.Yanked = reason
	return nil
}

// Deprecate records why another version should be chosen, or for a bare name another plugin; an empty reason revokes
// that.
func Deprecate(c *CatalogDocument, name, reason string) error {
	if is, err := retractPackage(c, name, func(p *v1alpha1.CatalogPackage, v *v1alpha1.CatalogPackageVersion) error {
		if v == nil {
			p.Deprecated = reason
		} else {
			v.Deprecated = reason
		}
		return nil
	}); is {
		return err
	}
	p, v, err := findVersion(c, name)
	if err != nil {
		return err
	}
	if v == nil {
		p.Deprecated = reason
	} else {
		v.Deprecated = reason
	}
	return nil
}

// CheckReason checks that a reason is one line of text.
func CheckReason(reason string) error {
	if strings.TrimSpace(reason) == "" {
		return errors.New("reason must not be empty: users see it in warnings")
	}
	if strings.ContainsFunc(reason, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return fmt.Errorf("reason must be one line of printable text, not %q", reason)
	}
	return nil
}

// findVersion returns the plugin and the version with a name, in any spelling. The version is nil if the name is bare.
func findVersion(c *CatalogDocument, name string) (*v1alpha1.CatalogPlugin, *v1alpha1.CatalogVersion, error) {
	reference, err := document.ParsePluginReference(name)
	if err != nil {
		return nil, nil, err
	}
	p := c.Plugin(reference.Bare)
	switch {
	case p == nil:
		return nil, nil, fmt.Errorf("plugin %q is not in catalog %q", reference.Bare, c.Name)
	case reference.Selector == "":
		return p, nil, nil
	case reference.Pin == nil:
		return nil, nil, fmt.Errorf("%q must name one version: %s", name, versionsOf(p))
	}
	if v := p.Version(reference.Pin.String()); v != nil {
		return p, v, nil
	}
	return nil, nil, fmt.Errorf("plugin %q has no version %s: %s", p.Name, reference.Pin, versionsOf(p))
}

func versionsOf(p *v1alpha1.CatalogPlugin) string { return strictyaml.ThereAre(versionNames(p)) }
