package dependency_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/resolve"
	"github.com/resource-plugins/krm-functions/stacks/dependency"
)

// universe returns a Catalog of packages with two versions, which have two dependencies each, and requests for some of
// them. One in twenty of the highest versions has a dependency that nothing satisfies together with the others.
func universe(packages int) []byte {
	r := rand.New(rand.NewPCG(uint64(packages), 7)) //nolint:gosec // the same packages in every run
	var b strings.Builder
	b.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n")
	for i := range packages / 100 {
		fmt.Fprintf(&b, "- apiVersion: stacks.crossplane.io/v1alpha1\n  kind: ClusterStackInstall\n  metadata:\n    name: r%d\n"+
			"  spec:\n    package: registry.example.org/p%d:^1\n", i, i*100)
	}
	b.WriteString("- apiVersion: resourceplugins.dev/v1alpha1\n  kind: Catalog\n  metadata:\n    name: all\n  spec:\n    packages:\n")
	for i := range packages {
		fmt.Fprintf(&b, "    - name: registry.example.org/p%d\n      versions:\n", i)
		for minor := 1; minor >= 0; minor-- {
			fmt.Fprintf(&b, "      - version: v1.%d.0\n        digest: sha256:%064x\n        crds:\n"+
				"        - {group: g%d.example.org, kind: K, plural: ks, versions: [v1]}\n        dependsOn:\n", minor, 2*i+minor, i)
			for d := range 2 {
				next := i + 1 + r.IntN(50)
				switch {
				case next >= packages:
					fmt.Fprintf(&b, "        - package: registry.example.org/leaf%d\n", d)
				case d == 0 && minor == 1 && i%20 == 7:
					fmt.Fprintf(&b, "        - {package: registry.example.org/p%d, version: '=1.0.0'}\n", next)
				case d == 1:
					fmt.Fprintf(&b, "        - crd: ks.g%d.example.org/v1\n", next)
				default:
					fmt.Fprintf(&b, "        - {package: registry.example.org/p%d, version: '>=1.%d'}\n", next, r.IntN(20)/19)
				}
			}
		}
	}
	for d := range 2 {
		fmt.Fprintf(&b, "    - {name: registry.example.org/leaf%d, versions: [{version: v1.0.0, digest: \"sha256:%064x\"}]}\n", d, d)
	}
	return []byte(b.String())
}

func parse(tb testing.TB, text []byte) *krm.ResourceList {
	tb.Helper()
	list, err := krm.Parse(text)
	require.NoError(tb, err)
	return list
}

// The work, measured as the total of allocated memory, grows in proportion to packages and dependencies. Time is only
// logged, since machines are busy.
func TestResolvesLargeUniverses(t *testing.T) {
	work := func(packages int) float64 {
		list := parse(t, universe(packages))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		resolution, err := dependency.Resolve(list, resolve.Options{})
		took := time.Since(start)
		runtime.ReadMemStats(&after)
		require.NoError(t, err)
		assert.Empty(t, list.Results())
		assert.Greater(t, len(resolution.Chosen), packages/2)
		t.Logf("%d packages, %d of them chosen: %s", packages, len(resolution.Chosen), took)
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	assert.Less(t, work(5_000)/work(1_000), 6.5, "five times as many packages")
}

func BenchmarkResolve(b *testing.B) {
	text := universe(5_000)
	for b.Loop() {
		b.StopTimer()
		list := parse(b, text)
		b.StartTimer()
		if _, err := dependency.Resolve(list, resolve.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
