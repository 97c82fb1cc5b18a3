package function

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// largeCatalog is a list with 1,000 plugins of 50 versions each, in that many Catalog documents, and 10,000 sandboxes
// with two resources each.
func largeCatalog(documents int) []byte {
	var list bytes.Buffer
	list.WriteString(listHead)
	for document := range documents {
		fmt.Fprintf(&list, "- apiVersion: resourceplugins.dev/v1alpha1\n  kind: Catalog\n  metadata:\n    name: part-%d\n"+
			"  spec:\n    plugins:\n", document)
		for plugin := document; plugin < 1000; plugin += documents {
			fmt.Fprintf(&list, "    - name: plugin-%d\n      channels:\n        stable: 4.4.0\n      versions:\n", plugin)
			for n := range 50 {
				fmt.Fprintf(&list, "      - version: %d.%d.0\n        digest: sha256:%064x\n", 5-n/10, 9-n%10, plugin*50+n)
				switch n {
				case 0:
					list.WriteString("        yanked: leaves its database behind\n")
				case 1:
					list.WriteString("        requires:\n          kubernetes: \"1.30\"\n")
				}
			}
		}
	}
	for n := range 10_000 {
		list.WriteString(sandboxItem(fmt.Sprintf("sandbox-%d", n), "    description: one of many\n    resources:\n",
			fmt.Sprintf("    - name: db\n      plugin: plugin-%d@^%d # floats\n", n%1000, 1+n%5),
			fmt.Sprintf("    - name: queue\n      plugin: plugin-%d@stable\n      params: {size: small}\n", n%997)))
	}
	return list.Bytes()
}

// BenchmarkLargeCatalog resolves 10,000 sandboxes in catalogs of 50,000 versions, from the list's bytes to the list's
// bytes, in turns with parsing the same bytes once: reading the list, and the trees of the resolved documents. It
// reports the medians, their ratio, and the allocations of each.
func BenchmarkLargeCatalog(b *testing.B) {
	for _, documents := range []int{1, 20, 1000} {
		b.Run(fmt.Sprintf("documents=%d", documents), func(b *testing.B) {
			text := largeCatalog(documents)
			var parse, resolve contestant
			for b.Loop() {
				parse.run(func() { parseOnce(b, text) })
				resolve.run(func() {
					_, stderr, code := run(b, string(text))
					require.Zero(b, code, stderr)
				})
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(len(text))/1e6, "MB")
			parse.report(b, "parse")
			resolve.report(b, "resolve")
			b.ReportMetric(float64(resolve.median())/float64(parse.median()), "resolve/parse")
		})
	}
}

func parseOnce(tb testing.TB, text []byte) {
	tb.Helper()
	list, err := krm.Parse(text)
	require.NoError(tb, err)
	_, err = list.Select("resourceplugins.dev/v1alpha1", "Sandbox", "Catalog")
	require.NoError(tb, err)
}
