package dependency

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/Masterminds/semver/v3"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
	"github.com/resource-plugins/krm-functions/stacks/solver"
	"github.com/resource-plugins/krm-functions/stacks/solver/bruteforce"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// world describes packages, requests and a lock, as documents do.
type world struct {
	packages []worldPackage
	requests []worldAsk
	locked   map[string]string // version by name
	mode     string
}

type worldPackage struct {
	name     string
	versions []worldVersion
}

type worldVersion struct {
	version, digest string
	yanked          bool
	crds            []string // plural.group, served as v1
	asks            []worldAsk
}

// worldAsk asks for a package with a constraint, or for a CRD.
type worldAsk struct{ name, constraint, crd string }

const worldRegistry = "registry.example.org/"

func randomWorld(r *rand.Rand) world {
	pick := func(texts ...string) string { return texts[r.IntN(len(texts))] }
	w := world{locked: map[string]string{}, mode: pick("keep", "keep", "keep", "locked")}
	names := []string{"a", "b", "c", "d", "e"}[:2+r.IntN(4)]
	crds := []string{"ks.one.org", "ls.one.org", "ks.two.org"}
	ask := func(request bool) worldAsk {
		switch {
		case r.IntN(6) == 0:
			return worldAsk{crd: pick("ks.one.org/v1", "*.one.org/v1", "ks.two.org/v1", "ks.two.org/v2")}
		case r.IntN(20) == 0:
			return worldAsk{name: "unknown"}
		case request && r.IntN(10) == 0:
			return worldAsk{name: pick(names...), constraint: "sha256:" + strings.Repeat(pick("0", "1"), 64)}
		}
		return worldAsk{name: pick(names...), constraint: pick("", "", "^1", ">=1.0.0", "<1.1", "=1.0.0", "v1.1.0", "~1.1", ">=1.0.0-0", "1.x")}
	}
	for i, name := range names {
		p := worldPackage{name: name}
		for j, version := range []string{"v1.0.0", "v1.1.0", "v1.2.0-rc.1", "v2.0.0"} {
			if r.IntN(3) == 0 && (j > 0 || r.IntN(4) > 0) {
				continue
			}
			v := worldVersion{version: version, yanked: r.IntN(8) == 0, digest: fmt.Sprintf("sha256:%064x", 10*i+j)}
			if r.IntN(10) == 0 {
				v.digest = "sha256:" + strings.Repeat(pick("0", "1"), 64)
			}
			for _, crd := range crds {
				if r.IntN(7) == 0 {
					v.crds = append(v.crds, crd)
				}
			}
			for r.IntN(2) == 0 && len(v.asks) < 3 {
				v.asks = append(v.asks, ask(false))
			}
			p.versions = append(p.versions, v)
		}
		w.packages = append(w.packages, p)
		if len(p.versions) > 0 && (r.IntN(4) == 0 || w.mode == "locked" && r.IntN(4) > 0) {
			w.locked[name] = p.versions[r.IntN(len(p.versions))].version
		}
	}
	for range 1 + r.IntN(4) {
		w.requests = append(w.requests, ask(true))
	}
	return w
}

// yaml returns the world as a list.
func (w world) yaml() string {
	var b strings.Builder
	b.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n")
	for i, a := range w.requests {
		fmt.Fprintf(&b, "- {apiVersion: stacks.crossplane.io/v1alpha1, kind: StackInstall, metadata: {name: r%d}, spec: {", i)
		switch {
		case a.crd != "":
			fmt.Fprintf(&b, "crd: %q}}\n", a.crd)
		case strings.HasPrefix(a.constraint, "sha256:"):
			fmt.Fprintf(&b, "package: %q}}\n", worldRegistry+a.name+"@"+a.constraint)
		default:
			fmt.Fprintf(&b, "package: %q}}\n", strings.TrimSuffix(worldRegistry+a.name+":"+a.constraint, ":"))
		}
	}
	if len(w.locked) > 0 || w.mode == "locked" {
		b.WriteString("- apiVersion: resourceplugins.dev/v1alpha1\n  kind: PluginLock\n  metadata: {name: l}\n  spec:\n    packages:\n")
		for _, name := range slices.Sorted(maps.Keys(w.locked)) {
			fmt.Fprintf(&b, "    - {name: %s, version: %s}\n", worldRegistry+name, w.locked[name])
		}
	}
	b.WriteString("- apiVersion: resourceplugins.dev/v1alpha1\n  kind: Catalog\n  metadata: {name: c}\n  spec:\n    packages:\n")
	for _, p := range w.packages {
		fmt.Fprintf(&b, "    - name: %s\n      versions:\n", worldRegistry+p.name)
		for _, v := range p.versions {
			fmt.Fprintf(&b, "      - {version: %s, digest: %q", v.version, v.digest)
			if v.yanked {
				b.WriteString(", yanked: broken")
			}
			b.WriteString(", crds: [")
			for _, crd := range v.crds {
				plural, group, _ := strings.Cut(crd, ".")
				fmt.Fprintf(&b, "{group: %s, kind: K, plural: %s, versions: [v1]}, ", group, plural)
			}
			b.WriteString("], dependsOn: [")
			for _, a := range v.asks {
				if a.crd != "" {
					fmt.Fprintf(&b, "{crd: %q}, ", a.crd)
				} else {
					fmt.Fprintf(&b, "{package: %s, version: %q}, ", worldRegistry+a.name, a.constraint)
				}
			}
			b.WriteString("]}\n")
		}
	}
	return b.String()
}

// problem converts the world to a problem, by the rules of the package comment as they are written.
func (w world) problem() *solver.Problem {
	p := &solver.Problem{}
	for n := range w.packages {
		locked := w.locked[w.packages[n].name]
		slices.SortStableFunc(w.packages[n].versions, func(a, b worldVersion) int {
			if (a.version == locked) != (b.version == locked) {
				return map[bool]int{true: -1, false: 1}[a.version == locked]
			}
			return semver.MustParse(b.version).Compare(semver.MustParse(a.version))
		})
	}
	named, vain := map[string]bool{}, map[worldAsk]int{}
	for _, a := range w.requests {
		named[a.name] = true
	}
	crds := map[string]int{}
	for n, pkg := range w.packages {
		p.Packages = append(p.Packages, solver.Node{Variants: make([]solver.Variant, len(pkg.versions))})
		for v, version := range pkg.versions {
			for _, crd := range version.crds {
				if _, ok := crds[crd]; !ok {
					crds[crd] = len(p.Owners)
					p.Owners = append(p.Owners, nil)
				}
				p.Owners[crds[crd]] = append(p.Owners[crds[crd]], solver.VariantID{Node: n, Variant: v})
				p.Packages[n].Variants[v].Owns = append(p.Packages[n].Variants[v].Owns, crds[crd])
			}
			by := map[string]bool{}
			for _, a := range version.asks {
				by[a.name] = true
			}
			for _, a := range version.asks {
				if a.crd != "" && version.owns(a.crd) {
					continue
				}
				p.Packages[n].Variants[v].Asks = append(p.Packages[n].Variants[v].Asks, w.ask(p, a, named, by, vain))
			}
		}
	}
	for _, a := range w.requests {
		p.Requests = append(p.Requests, w.ask(p, a, named, nil, vain))
	}
	return p
}

func (v worldVersion) owns(crd string) bool {
	name, served, _ := strings.Cut(crd, "/")
	return served == "v1" && slices.ContainsFunc(v.crds, func(own string) bool {
		_, group, _ := strings.Cut(own, ".")
		return name == own || name == "*."+group
	})
}

// ask adds an ask to a problem. by holds the names that the same package asks for.
func (w world) ask(p *solver.Problem, a worldAsk, named, by map[string]bool, vain map[worldAsk]int) int {
	target := -1
	if a.crd == "" {
		target = slices.IndexFunc(w.packages, func(one worldPackage) bool { return one.name == a.name && len(one.versions) > 0 })
	} else {
		var owners []int
		for n, pkg := range w.packages {
			if slices.ContainsFunc(pkg.versions, func(v worldVersion) bool {
				return v.owns(a.crd) && (!v.yanked || w.locked[pkg.name] == v.version)
			}) {
				owners = append(owners, n)
			}
		}
		for _, which := range []func(name string) bool{
			func(name string) bool { return named[name] }, func(name string) bool { return by[name] },
			func(name string) bool { return w.locked[name] != "" },
		} {
			var left []int
			for _, n := range owners {
				if which(w.packages[n].name) {
					left = append(left, n)
				}
			}
			if len(owners) > 1 && len(left) > 0 {
				owners = left
			}
		}
		if len(owners) == 1 {
			target = owners[0]
		}
	}
	result := solver.Ask{Node: target}
	if target >= 0 {
		for v, version := range w.packages[target].versions {
			if w.admits(a, w.packages[target].name, version) {
				result.Fits = append(result.Fits, v)
			}
		}
	}
	if target < 0 { // equal asks that no package satisfies are one part of a conflict
		if i, ok := vain[a]; ok {
			return i
		}
		vain[a] = len(p.Asks)
	}
	p.Asks = append(p.Asks, result)
	return len(p.Asks) - 1
}

func (w world) admits(a worldAsk, name string, v worldVersion) bool {
	isLocked := w.locked[name] == v.version
	if w.mode == "locked" && !isLocked {
		return false
	}
	release := semver.MustParse(v.version).Prerelease() == ""
	var pinned, fits bool
	switch {
	case a.crd != "":
		fits = release && v.owns(a.crd)
	case strings.HasPrefix(a.constraint, "sha256:"):
		pinned, fits = true, v.digest == a.constraint
	case a.constraint == "":
		fits = release
	default:
		within, err := semver.NewConstraint(a.constraint)
		fits = err == nil && within.Check(semver.MustParse(v.version))
		pinned = a.constraint == "=1.0.0" || a.constraint == "v1.1.0"
	}
	return fits && (!v.yanked || pinned || isLocked)
}

// Random documents resolve to the result of a brute-force search: the same requests are refused, and their errors name
// the same requirers.
func TestResolutionIsThatOfABruteForceSearch(t *testing.T) {
	t.Parallel()
	random, resolved, refused, disputed := checkout.Random(t), 0, 0, 0
	for round := range checkout.Rounds(1_500) {
		w := randomWorld(random)
		text := w.yaml()
		list, err := krm.Parse([]byte(text))
		require.NoError(t, err)
		got, err := Resolve(list, resolve.Options{ResolveVersion: modeOf(w.mode)})
		require.NoError(t, err)
		p := w.problem()
		want := bruteforce.Answer(p)
		chosen := map[string]string{}
		for n, v := range want.Chosen {
			if v >= 0 {
				chosen[worldRegistry+w.packages[n].name] = w.packages[n].versions[v].version
			}
		}
		have := map[string]string{}
		for _, c := range got.Chosen {
			have[c.Name] = c.Version
		}
		require.Equal(t, chosen, have, "world %d\n%s", round, text)
		for i, one := range got.Requests {
			require.Equal(t, want.Accepted[i], one.Closure != nil, "world %d, request %d\n%s", round, i, text)
			if want.Accepted[i] {
				resolved++
				continue
			}
			refused++
			message := messageAbout(list, fmt.Sprintf("r%d", i))
			for _, requirer := range w.requirers(p, want, i, got) {
				disputed++
				require.Contains(t, message, requirer, "world %d, request %d\n%s", round, i, text)
			}
		}
	}
	t.Logf("%d requests are resolved, %d refused with %d requirers", resolved, refused, disputed)
	require.Greater(t, resolved, 500)
	require.Greater(t, disputed, 100)
}

func messageAbout(list *krm.ResourceList, name string) string {
	for _, one := range list.Results() {
		if one.ResourceRef != nil && one.ResourceRef.Name == name && one.Severity == krm.Error {
			return one.Message
		}
	}
	return ""
}

// requirers returns the requirers that an error must name: the requests in the conflict that ask for the same package
// as another part of it, and all requirers of such a package in the resolution.
func (w world) requirers(p *solver.Problem, a solver.Answer, failed int, got Resolution) []string {
	targets := map[int]int{}
	var texts []string
	units := bruteforce.Conflict(p, a.Accepted, failed)
	for _, u := range units {
		if u.Request >= 0 {
			u.To = p.Asks[p.Requests[u.Request]].Node
		}
		targets[u.To]++
	}
	for _, u := range units {
		if u.Request < 0 || len(units) == 1 {
			continue
		}
		if asked := p.Requests[u.Request]; p.Asks[asked].Node >= 0 && targets[p.Asks[asked].Node] > 1 && len(p.Asks[asked].Fits) > 0 {
			one := w.requests[u.Request]
			by := Requirer{fmt.Sprintf("StackInstall r%d", u.Request), one.constraint + one.crd}
			texts = append(texts, by.String())
		}
	}
	withoutRules := *p
	withoutRules.Shared, withoutRules.Cyclic = true, true
	var requests []int
	for _, u := range units {
		if u.Request >= 0 {
			requests = append(requests, u.Request)
		}
	}
	if slices.Sort(requests); bruteforce.Solvable(&withoutRules, requests, units) {
		return nil // it is about CRDs or a cycle
	}
	for _, c := range got.Chosen {
		n := slices.IndexFunc(w.packages, func(one worldPackage) bool { return worldRegistry+one.name == c.Name })
		if targets[n] > 1 {
			for _, by := range c.Requirers {
				texts = append(texts, by.String())
			}
		}
	}
	return texts
}
