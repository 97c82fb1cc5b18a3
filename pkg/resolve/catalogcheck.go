package resolve

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time" //nolint:depguard // dates are parsed, no clock is read

	"github.com/Masterminds/semver/v3"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// check returns the problems of a catalog's values, in the order of the fields.
func (c *CatalogDocument) check() []strictyaml.Problem {
	k := &checker{}
	names := make(map[string]bool, len(c.Spec.Plugins))
	for i := range c.Spec.Plugins {
		p := &c.Spec.Plugins[i]
		k.name(pluginPath(i).Key("name"), p.Name, names)
		for _, channel := range slices.Sorted(maps.Keys(p.Channels)) {
			k.channel(pluginPath(i).Key("channels").Key(channel), channel, p.Channels[channel])
		}
		k.versions(i, p)
	}
	k.packages(c)
	return k.problems
}

type checker struct{ problems []strictyaml.Problem }

func (k *checker) report(at krm.Path, format string, args ...any) *strictyaml.Problem {
	k.problems = append(k.problems, strictyaml.Error(at, format, args...))
	return &k.problems[len(k.problems)-1]
}

func (k *checker) name(at krm.Path, name string, seen map[string]bool) {
	if name == "" {
		return // reported by decoding
	}
	if err := document.CheckBareName(name); err != nil {
		if bare, _, pinned := strings.Cut(name, "@"); pinned && document.CheckBareName(bare) == nil {
			k.report(at, "must be the bare name: versions are listed below it").Proposed = bare
			return
		}
		k.report(at, "%s", err)
		return
	}
	if seen[name] {
		k.report(at, "plugin %q must be listed once: put its versions together", name)
	}
	seen[name] = true
}

func (k *checker) channel(at krm.Path, name, to string) {
	if err := document.CheckChannel(name); err != nil {
		k.report(at, "%s", err)
		return
	}
	k.strict(at, "channel "+name, to)
}

// strict reports whether a version is strict semver. If it is not, its canonical form is proposed.
func (k *checker) strict(at krm.Path, what, text string) bool {
	if _, err := document.ParseStrictVersion(text); err == nil {
		return true
	}
	problem := k.report(at, "%s must be a full semver such as 1.0.0, not %q", what, text)
	if loose, err := document.ParseVersion(text); err == nil {
		problem.Proposed = loose.String()
	}
	return false
}

func (k *checker) versions(i int, p *v1alpha1.CatalogPlugin) {
	seen, folded := make(map[string]string, len(p.Versions)), make(map[string]string, len(p.Versions))
	for j := range p.Versions {
		v, at := &p.Versions[j], versionPath(i, j)
		if v.Version != "" && k.strict(at.Key("version"), "version", v.Version) {
			precedence, _, _ := strings.Cut(v.Version, "+")
			if other, ok := seen[precedence]; ok {
				k.report(at.Key("version"), "versions %s and %s of plugin %q must not have the same precedence: remove one",
					min(other, v.Version), max(other, v.Version), p.Name)
			} else if other, ok := folded[strings.ToLower(precedence)]; ok {
				problem := k.report(at.Key("version"), "versions %s and %s of plugin %q must differ in more than case: publish a "+
					"version of another name, and deprecate one", min(other, v.Version), max(other, v.Version), p.Name)
				problem.Severity = strictyaml.SeverityWarning
			}
			seen[precedence], folded[strings.ToLower(precedence)] = v.Version, v.Version
		}
		k.version(at, v)
	}
}

func (k *checker) version(at krm.Path, v *v1alpha1.CatalogVersion) {
	k.published(at, v.Digest, v.Released)
	if _, err := KubernetesVersion(v.Requires.Kubernetes); v.Requires.Kubernetes != "" && err != nil {
		k.report(at.Key("requires").Key("kubernetes"), "%s", err)
	}
}

// isDay reports whether a text is a day such as "2026-01-20", or empty.
func isDay(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return text == "" || err == nil
}

// KubernetesVersion parses a version of Kubernetes, such as `1.29`, `v1.29.3` or, as providers spell them,
// `1.29.3-gke.100`. Anything after the three numbers is dropped.
func KubernetesVersion(text string) (*semver.Version, error) {
	parsed, err := document.ParseVersion(text)
	if err != nil {
		return nil, fmt.Errorf("must be a version of Kubernetes such as \"1.29\", not %q", text)
	}
	return semver.New(parsed.Major(), parsed.Minor(), parsed.Patch(), "", ""), nil
}
