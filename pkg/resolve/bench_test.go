package resolve

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// many returns the documents of 1,000 plugins with 50 versions each.
func many(b *testing.B) []*krm.Item {
	b.Helper()
	documents := make([]*krm.Item, 0, 50_000)
	for plugin := range 1000 {
		for minor := range 50 {
			documents = append(documents, item(b, fmt.Sprintf("plugin-%d@1.%d.0", plugin, minor)))
		}
	}
	return documents
}

// BenchmarkNew indexes 50,000 versions. The documents are the same each time, so their trees are parsed once.
func BenchmarkNew(b *testing.B) {
	documents := many(b)
	b.ReportAllocs()
	for b.Loop() {
		NewCatalog(documents)
	}
}

// BenchmarkResolve resolves the references of 10,000 sandboxes among 50,000 versions: each plugin in ten ways.
func BenchmarkResolve(b *testing.B) {
	documents := many(b)
	selectors := []string{"", "@latest", "@1", "@v1.7", "@1.8.0", "@^1", "@~1.3", "@>=1.2 <1.9", "@1.x", "@1.2 - 1.4"}
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		plugins := NewCatalog(documents)
		b.StartTimer()
		for sandbox := range 10_000 {
			_, err := plugins.Resolve(fmt.Sprintf("plugin-%d%s", sandbox%1000, selectors[sandbox/1000]))
			require.NoError(b, err)
		}
	}
}
