package function

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/resource-plugins/krm-functions/internal/function/renderphase"
)

// BenchmarkSandboxes renders sandboxes with a bare step each, from the bytes of a list to the bytes of a list.
func BenchmarkPhaseSandboxes(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		docs := []string{"apiVersion: resourceplugins.dev/v1alpha1\nkind: ResourcePlugin\nmetadata: {name: hello@1.0.0}\n" +
			"spec:\n  runner: {image: ubuntu}\n  create:\n  - name: say\n    script: \"#!/bin/sh\"\n" +
			"    inputs: [{name: dbname, valueFromSandbox: true}]\n"}
		for i := range n {
			docs = append(docs, fmt.Sprintf("apiVersion: resourceplugins.dev/v1alpha1\nkind: Sandbox\nmetadata:\n  name: s%d\n"+
				"spec:\n  cluster: c\n  resources:\n  - name: db\n    plugin: hello\n    params:\n      dbname: db-%d\n", i, i))
		}
		input := phaseList(docs)
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				var stderr bytes.Buffer
				if renderphase.New().Run(b.Context(), nil, strings.NewReader(input), io.Discard, &stderr) != 0 {
					b.Fatal(stderr.String())
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/sandbox")
		})
	}
}
