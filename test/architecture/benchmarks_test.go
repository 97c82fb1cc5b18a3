package architecture

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// benched matches a call of `go test` with a pattern of benchmarks, and its packages.
var benched = regexp.MustCompile(`(?m)^go test .*-bench='?([\w$|.]+)'? (?:-\S+ )*((?:\./\S+ ?)+)(?:#.*)?$`)

// `go test -bench` succeeds if a pattern matches nothing, so a benchmark that was renamed would silently no longer run.
func TestMakeBenchRunsBenchmarks(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../bench/run")
	require.NoError(t, err)
	calls := benched.FindAllStringSubmatch(string(text), -1)
	require.Len(t, calls, strings.Count(string(text), "-bench="))
	for _, call := range calls {
		for folder := range strings.FieldsSeq(call[2]) {
			if call[1] == "." || strings.HasSuffix(folder, "...") {
				continue
			}
			for name := range strings.SplitSeq(call[1], "|") {
				assert.Regexp(t, `(?m)^func Benchmark\w*`+strings.TrimSuffix(name, "$")+`\(`, testFiles(t, folder), folder)
			}
		}
	}
}

// testFiles returns the text of the test files of a package.
func testFiles(t *testing.T, folder string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("../..", folder, "*_test.go"))
	require.NoError(t, err)
	var all strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		all.Write(text)
	}
	return all.String()
}
