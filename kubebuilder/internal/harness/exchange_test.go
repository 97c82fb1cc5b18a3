package harness_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/kubebuilder/internal/harness"
	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
)

func TestDifferences(t *testing.T) {
	t.Parallel()
	full := func() *v1alpha1.Response {
		return &v1alpha1.Response{
			APIVersion: "v1alpha1", Command: "init", Metadata: v1alpha1.Metadata{Description: "d", Examples: "e"},
			Universe: map[string]string{"a": "1\n2\n3\n", "b": "x"}, Deleted: []string{"old"}, ErrorMsgs: []string{"no"},
			Flags: []v1alpha1.Flag{{Name: "size", Type: "int", Default: "1", Usage: "u"}},
		}
	}
	for name, test := range map[string]struct {
		change func(*v1alpha1.Response)
		want   []string
	}{
		"the same":    {func(*v1alpha1.Response) {}, nil},
		"apiVersion":  {func(r *v1alpha1.Response) { r.APIVersion = "" }, []string{`apiVersion: must be "v1alpha1", not ""`}},
		"command":     {func(r *v1alpha1.Response) { r.Command = "edit" }, []string{`command: must be "init", not "edit"`}},
		"description": {func(r *v1alpha1.Response) { r.Metadata.Description = "x" }, []string{`metadata.Description: must be "d", not "x"`}},
		"examples":    {func(r *v1alpha1.Response) { r.Metadata.Examples = "x" }, []string{`metadata.Examples: must be "e", not "x"`}},
		"error":       {func(r *v1alpha1.Response) { r.Error = true }, []string{`error: must be "false", not "true"`}},
		"messages":    {func(r *v1alpha1.Response) { r.ErrorMsgs = nil }, []string{`errorMsgs: must be ["no"], not []`}},
		"deleted":     {func(r *v1alpha1.Response) { r.Deleted = nil }, []string{`deleted: must be ["old"], not []`}},
		"a flag more": {
			func(r *v1alpha1.Response) { r.Flags = append(r.Flags, v1alpha1.Flag{Name: "b"}) }, []string{`flags: must not have "b"`},
		},
		"a flag less": {func(r *v1alpha1.Response) { r.Flags = nil }, []string{`flags: must have "size"`}},
		"another flag": {func(r *v1alpha1.Response) { r.Flags[0] = v1alpha1.Flag{Name: "size"} }, []string{
			`flags["size"].Type: must be "int", not ""`, `flags["size"].Default: must be "1", not ""`,
			`flags["size"].Usage: must be "u", not ""`,
		}},
		"files": {func(r *v1alpha1.Response) { r.Universe = map[string]string{"a": "1\n2\n4\n", "c": ""} }, []string{
			`universe["a"]: line 3 must be "3\n", not "4\n"`, `universe: must have "b"`, `universe: must not have "c"`,
		}},
		"a file that ends": {func(r *v1alpha1.Response) { r.Universe["a"] = "1\n" }, []string{
			`universe["a"]: line 2 must be "2\n", not ""`,
		}},
		"a long line": {func(r *v1alpha1.Response) { r.Universe["b"] = strings.Repeat("ü", 100) }, []string{
			`universe["b"]: line 1 must be "x", not "` + strings.Repeat("ü", 60) + `…"`,
		}},
	} {
		got := full()
		test.change(got)
		assert.ElementsMatch(t, test.want, harness.Differences(full(), got), name)
	}
}

// Recorded exchanges can be replayed; a plugin with different responses fails.
func TestRecordedExchangesAreReplayed(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	with := func(fault string) harness.Harness {
		return harness.Harness{
			Plugin: install(t, "#!/bin/sh\n"+pluginVariable+"='"+fault+"' exec '"+self+"'\n"), Files: 10, Answer: answer,
		}
	}
	files, err := with("none").Record(context.Background())
	require.NoError(t, err)
	folder := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), text, 0o600))
	}
	exchanges, err := harness.ReadExchanges(folder)
	require.NoError(t, err)
	require.Len(t, exchanges, 12)
	for fault, want := range map[string][]string{"none": nil, "no metadata": {
		"metadata-api", "metadata-edit", "metadata-init", "metadata-webhook",
	}} {
		h := with(fault)
		h.Exchanges = exchanges
		report, err := h.Run(context.Background())
		require.NoError(t, err)
		var failed []string
		for _, one := range report.Exchanges {
			if one.State == harness.Failed {
				failed = append(failed, one.Check)
			}
		}
		assert.Equal(t, want, failed, fault)
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, "init.response.json"), []byte("{} {}"), 0o600))
	_, err = harness.ReadExchanges(folder)
	assert.ErrorContains(t, err, "init.response.json: the response must be one JSON object, and nothing else")
}
