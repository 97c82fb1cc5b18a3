package validate

import (
	"github.com/resource-plugins/krm-functions/internal/form"
	"github.com/resource-plugins/krm-functions/internal/version"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

const namePath krm.Path = "metadata.name"

// pluginName: ResourcePlugin spec, name.
var pluginName = Rule{
	ID: "plugin-name", Severity: krm.Error,
	Demand: "A plugin's name is bareName[@semver]: letters, digits and inner dashes, starting with a letter, " +
		"2 to 253 bytes; the version is not latest.",
	Why:     "The name is the plugin's identity; latest is an alias for reading only.",
	Example: "metadata.name: hello-db@latest",
	plugin: func(c *pluginCheck) {
		if _, err := c.identity(); err != nil {
			c.report(namePath, "%v", err)
		}
	},
}

// pluginVersion: ResourcePlugin spec, name: the version is canonicalized at the API boundary.
var pluginVersion = Rule{
	ID: "plugin-version-form", Severity: krm.Info,
	Demand:  "A version is written as it is stored: three numbers, without a leading v.",
	Why:     "It is found under its canonical form only: @v1.0 is stored as @1.0.0.",
	Example: "metadata.name: hello-db@v1.0",
	plugin: func(c *pluginCheck) {
		name, err := c.identity()
		if err != nil || c.Name == name.String() || c.Name == name.Bare {
			return
		}
		// Under a kustomize prefix the name in the document is not the one to change.
		var proposed any
		if c.Name == c.Item.Name() {
			proposed = name.String()
		}
		c.propose(namePath, proposed, "version of %q is stored as %q", c.Name, name.Version)
	},
}

// sandboxName: Sandbox spec, name.
var sandboxName = Rule{
	ID: "sandbox-name", Severity: krm.Error,
	Demand:  "A sandbox's name has letters, digits and inner dashes, starts with a letter, and has at most 30 bytes.",
	Why:     "The name identifies the sandbox and becomes part of host names.",
	Example: "metadata.name: feature_x",
	sandbox: func(c *sandboxCheck) {
		if wrong := form.Identifier(c.Name); wrong != "" {
			c.report(namePath, "name %s", wrong)
		} else if c.Name == "" {
			c.report(namePath, "name must not be empty")
		}
	},
}

// duplicatePlugin: ResourcePlugin spec, Update constraints: (bare name, version) is unique. Versions that differ in build
// metadata alone have equal precedence, so no reference could tell them apart.
var duplicatePlugin = Rule{
	ID: "duplicate-plugin", Severity: krm.Error,
	Demand:  "A plugin's name and version are given by one document only, also when they are spelled differently.",
	Why:     "A published version is immutable, and what a reference resolves to must be one document.",
	Example: "metadata.name: hello-db@v1.0.0",
	plugins: func(c *acrossCheck) {
		type identity struct {
			bare    string
			version string
		}
		first := make(map[identity]*pluginCheck, len(c.plugins))
		for _, p := range c.plugins {
			name, err := p.identity()
			if err != nil {
				continue
			}
			plain, _ := name.Version.SetMetadata("")
			id := identity{name.Bare, plain.String()}
			if other := first[id]; other == nil {
				first[id] = p
			} else if !sameOrigin(other.Item, p.Item) {
				c.report(&p.check, namePath, "%q is given twice: %q%s is the same name and version; bump the version",
					p.Name, other.Name, origin(other.Item))
			}
		}
	},
}

// duplicateSandbox: contract, Identity: a sandbox is (cluster, lower-cased name).
var duplicateSandbox = Rule{
	ID: "duplicate-sandbox", Severity: krm.Error,
	Demand:  "A cluster has one sandbox of a name, whatever the case of its letters.",
	Why:     "The server folds names to lower case: the second document would replace the first.",
	Example: "metadata.name: FEATURE-X",
	sandboxes: func(c *acrossCheck) {
		type identity struct{ cluster, name string }
		first := make(map[identity]*sandboxCheck, len(c.sandboxes))
		for _, s := range c.sandboxes {
			id := identity{s.Spec.Cluster, s.LowerName()}
			if id.name == "" {
				continue
			}
			if other := first[id]; other == nil {
				first[id] = s
			} else if !sameOrigin(other.Item, s.Item) {
				c.report(&s.check, namePath, "sandbox %q is given twice: %q%s is the same one in cluster %q; rename one of them",
					s.Name, other.Name, origin(other.Item), s.Spec.Cluster)
			}
		}
	},
}

// sameOrigin tells whether two items are one document, sent twice by overlapping selectors of kpt.
func sameOrigin(a, b *krm.Item) bool {
	for _, key := range []string{"internal.config.kubernetes.io/path", "internal.config.kubernetes.io/index"} {
		one, given := a.Annotation(key)
		other, too := b.Annotation(key)
		if !given || !too || one != other {
			return false
		}
	}
	return true
}

// origin says in which file an item stands, where that is known.
func origin(item *krm.Item) string {
	if place := item.PlaceOf(namePath); place.File != "" {
		return " in " + place.File
	}
	return ""
}

// identity is the plugin's name and version, read once.
func (c *pluginCheck) identity() (version.Name, error) {
	if c.name == nil {
		name, err := version.ParseName(c.Name)
		c.name = &identity{Name: name, err: err}
	}
	return c.name.Name, c.name.err
}

type identity struct {
	version.Name
	err error
}
