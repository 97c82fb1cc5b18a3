package function

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/resource-plugins/krm-functions/internal/function/rendersandbox"
)

// BenchmarkSandboxes renders sandboxes with three forks each, from the bytes of a list to the bytes of a list.
func BenchmarkSandboxSandboxes(b *testing.B) {
	for _, n := range []int{100, 1000, 10_000} {
		var list strings.Builder
		list.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n")
		for i := range 3 {
			fmt.Fprintf(&list, "- apiVersion: apps/v1\n  kind: Deployment\n  metadata: {name: w%[1]d, namespace: ns}\n  spec:\n"+
				"    selector:\n      matchLabels: {app: w%[1]d}\n    template:\n      metadata:\n        labels: {app: w%[1]d}\n"+
				"      spec:\n        containers:\n        - name: main\n          image: i\n          env:\n          - name: A\n            value: a\n"+
				"- apiVersion: v1\n  kind: Service\n  metadata: {name: w%[1]d, namespace: ns}\n  spec:\n    selector: {app: w%[1]d}\n"+
				"    ports: [{port: 80}]\n", i)
		}
		for i := range n {
			fmt.Fprintf(&list, "- apiVersion: resourceplugins.dev/v1alpha1\n  kind: Sandbox\n  metadata:\n    name: s%d\n  spec:\n    cluster: c\n    forks:\n", i)
			for w := range 3 {
				fmt.Fprintf(&list, "    - forkOf: {kind: Deployment, namespace: ns, name: w%d}\n      customizations:\n        images: [{image: \"x:%d\"}]\n", w, i)
			}
		}
		input := list.String()
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				var stderr bytes.Buffer
				if rendersandbox.New().Run(b.Context(), nil, strings.NewReader(input), io.Discard, &stderr) != 0 {
					b.Fatal(stderr.String())
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/sandbox")
		})
	}
}
