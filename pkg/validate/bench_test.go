package validate_test

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// wire returns a ResourceList with n copies of a valid document, each with a unique name.
func wire(tb testing.TB, file, name string, n int) []byte {
	tb.Helper()
	text, err := os.ReadFile(file)
	require.NoError(tb, err)
	lines := "  " + strings.ReplaceAll(strings.TrimSpace(string(text)), "\n", "\n  ")
	var list bytes.Buffer
	list.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n")
	for i := range n {
		list.WriteString("-" + strings.Replace(lines, name, fmt.Sprintf("%s%d", name[:4], i), 1)[1:] + "\n")
	}
	return list.Bytes()
}

// Parsing is included, since documents are parsed when they are checked.
func BenchmarkCheck(b *testing.B) {
	for _, c := range []struct {
		file, name string
		n          int
	}{
		{aPlugin, "hello-db", 1_000}, {aPlugin, "hello-db", 10_000},
		{aSandbox, "feature-x", 1_000}, {aSandbox, "feature-x", 10_000},
	} {
		src := wire(b, c.file, c.name, c.n)
		b.Run(fmt.Sprintf("%s/%d", strings.TrimSuffix(c.file[len("testdata/"):], ".yaml"), c.n), func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				list, err := krm.Parse(src)
				require.NoError(b, err)
				report, err := validate.Check(list, validate.Options{})
				require.NoError(b, err)
				require.Empty(b, report.Results)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(c.n), "µs/document")
		})
	}
}

// A plugin has many steps, each with a mistake for which a rule might compare all others.
func BenchmarkHostilePlugin(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		var doc strings.Builder
		doc.WriteString("apiVersion: resourceplugins.dev/v1alpha1\nkind: ResourcePlugin\nmetadata: {name: db}\n" +
			"spec:\n  runner: {image: a}\n  create:\n")
		for i := range n {
			fmt.Fprintf(&doc, "  - {name: s%d, unknown: 1, script: x, inputs: [{name: i, valueFromStep: {name: t%d, output: o}}], "+
				"outputs: [{name: o%d, valueFromPath: x}]}\n", i, i, i)
		}
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				item, err := krm.NewItem([]byte(doc.String()))
				require.NoError(b, err)
				report, err := validate.Check(krm.NewList(item), validate.Options{})
				require.NoError(b, err)
				require.NotEmpty(b, report.Results)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(n), "µs/step")
		})
	}
}
