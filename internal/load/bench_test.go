package load_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/load"
)

const typical = `name: "sandbox-%d"
spec:
  cluster: "@{cluster}"
  description: a sandbox of usual size
  labels: {branch: main, team: shop}
  forks:
  - forkOf: {kind: Deployment, namespace: shop, name: frontend}
    customizations:
      images:
      - image: "example.com/frontend:%d"
      env:
      - name: DB_HOST
        valueFrom: {resource: {name: db, outputKey: provision.host}}
  resources:
  - name: db
    plugin: hello-db
    params: {dbname: testdb, size: small}
`

// BenchmarkRead reads 10,000 sandboxes: a file each, and all in one file.
func BenchmarkRead(b *testing.B) {
	const count = 10_000
	files, one := b.TempDir(), b.TempDir()
	var all strings.Builder
	for i := range count {
		text := fmt.Sprintf(typical, i, i)
		nativeWrite(b, filepath.Join(files, fmt.Sprintf("%d/%d.yaml", i%100, i)), text)
		all.WriteString("---\n" + text)
	}
	nativeWrite(b, filepath.Join(one, "all.yaml"), all.String())
	for name, dir := range map[string]string{"files": files, "documents": one} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(all.Len()))
			for b.Loop() {
				read, err := load.Read([]string{dir}, load.Options{Values: map[string]string{"cluster": "staging"}})
				require.NoError(b, err)
				require.Len(b, read.Documents, count)
			}
		})
	}
}
