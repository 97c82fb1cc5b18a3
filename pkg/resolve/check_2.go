package resolve

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/digest"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/internal/version"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Rule is the id of what a catalog must keep beyond the form of its fields.
const RuleCatalog = "catalog"

// PathOf is the field path of the plugin i.
func PluginPath(i int) krm.Path { return listingSpecPath.Key("plugins").Index(i) }

// VersionPath is the field path of the plugin i's version j.
func VersionPath(i, j int) krm.Path { return PluginPath(i).Key("versions").Index(j) }

// Check returns everything that is wrong with the catalog by itself, in the order of the fields: names that are none or
// are repeated, versions that are not strict semver or have the precedence of another, digests, dates and required
// versions that are none, and names of channels. What a channel leads to, and names that differ only in case, are for
// package catalog, which knows the other documents too.
func (c *CatalogDocument) Check() []strictyaml.Problem {
	k := &checker{}
	names := make(map[string]bool, len(c.Spec.Plugins))
	for i := range c.Spec.Plugins {
		p := &c.Spec.Plugins[i]
		k.name(PluginPath(i).Key("name"), p.Name, names)
		for _, channel := range slices.Sorted(maps.Keys(p.Channels)) {
			k.channel(PluginPath(i).Key("channels").Key(channel), channel, p.Channels[channel])
		}
		k.versions(i, p)
	}
	return k.problems
}

type checker struct{ problems []strictyaml.Problem }

func (k *checker) report(at krm.Path, format string, args ...any) *strictyaml.Problem {
	k.problems = append(k.problems,
		strictyaml.Problem{Rule: RuleCatalog, Severity: krm.Error, Path: at, Message: fmt.Sprintf(format, args...)})
	return &k.problems[len(k.problems)-1]
}

func (k *checker) name(at krm.Path, name string, seen map[string]bool) {
	if name == "" {
		return // which decoding told
	}
	if err := version.CheckBare(name); err != nil {
		if bare, _, pinned := strings.Cut(name, "@"); pinned && version.CheckBare(bare) == nil {
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
	if err := version.CheckChannel(name); err != nil {
		k.report(at, "%s", err)
	} else if _, err := StrictVersion(to); err != nil {
		k.strict(at, "channel "+name, to)
	}
}

// strict reports a version that is not strict semver, with what is certain to be meant.
func (k *checker) strict(at krm.Path, what, text string) {
	problem := k.report(at, "%s must be a full semver such as 1.0.0, not %q", what, text)
	if loose, err := version.Parse(text); err == nil {
		problem.Proposed = loose.String()
	}
}

func (k *checker) versions(i int, p *v1alpha1.CatalogPlugin) {
	seen := make(map[string]string, len(p.Versions))
	for j := range p.Versions {
		v, at := &p.Versions[j], VersionPath(i, j)
		if _, err := StrictVersion(v.Version); err == nil {
			precedence, _, _ := strings.Cut(v.Version, "+")
			if other, taken := seen[precedence]; taken {
				k.report(at.Key("version"), "versions %s and %s of plugin %q must not have the same precedence: remove one",
					min(other, v.Version), max(other, v.Version), p.Name)
			}
			seen[precedence] = v.Version
		} else if v.Version != "" {
			k.strict(at.Key("version"), "version", v.Version)
		}
		k.version(at, v)
	}
}

func (k *checker) version(at krm.Path, v *v1alpha1.CatalogVersion) {
	if v.Digest != "" && !digest.Valid(v.Digest) {
		k.report(at.Key("digest"), "must be sha256: and 64 hexadecimal digits in lower case, not %q", v.Digest)
	}
	if v.Released != "" && !isDay(v.Released) {
		k.report(at.Key("released"), "must be a day such as \"2026-01-20\", not %q", v.Released)
	}
	if v.Requires != nil && v.Requires.Kubernetes != "" {
		if _, err := KubernetesVersion(v.Requires.Kubernetes); err != nil {
			k.report(at.Key("requires").Key("kubernetes"), "%s", err)
		}
	}
}

// Strict reads a version as catalogs must spell it.
func StrictVersion(text string) (*semver.Version, error) {
	if len(text) > version.MaxVersion {
		return nil, fmt.Errorf("version must have at most %d bytes, not %d", version.MaxVersion, len(text))
	}
	return semver.StrictNewVersion(text)
}

// Kubernetes reads a version of Kubernetes, such as `1.29`, `v1.29.3` or, as providers have them, `1.29.3-gke.100`. What
// follows the three numbers does not count.
func KubernetesVersion(text string) (*semver.Version, error) {
	parsed, err := version.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("must be a version of Kubernetes such as \"1.29\", not %q", text)
	}
	return semver.New(parsed.Major(), parsed.Minor(), parsed.Patch(), "", ""), nil
}

// isDay tells whether text is a day of the Gregorian calendar, as ISO 8601 has it.
func isDay(text string) bool {
	if len(text) != len("2026-01-20") || text[4] != '-' || text[7] != '-' {
		return false
	}
	year, month, day := number(text[:4]), number(text[5:7]), number(text[8:])
	if year < 0 || month < 1 || month > 12 {
		return false
	}
	days := 30 + (month+month/8)%2
	if month == 2 {
		days = 28
		if year%4 == 0 && year%100 != 0 || year%400 == 0 {
			days = 29
		}
	}
	return day >= 1 && day <= days
}

// number reads decimal digits, -1 where there is another character.
func number(digits string) int {
	n := 0
	for _, c := range []byte(digits) {
		if c < '0' || c > '9' {
			return -1
		}
		n = 10*n + int(c-'0')
	}
	return n
}
