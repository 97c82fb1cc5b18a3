package cli_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// drawn is the function of the other tests, with a drawing that lists the documents' names.
func drawn() cli.Function {
	f := function(nil)
	drawing := cli.Drawing{
		Shows: "names", Kind: "Thing", Formats: []string{"list", "fail"},
		Draw: func(call cli.Call, format string) ([]byte, error) {
			if format == "fail" {
				return nil, errors.New("cannot be drawn")
			}
			text := ""
			for _, item := range call.List.Items() {
				text += item.Name() + "\n"
				if item.Name() == "odd" {
					call.List.Report(krm.At(item, "metadata.name", krm.Error, "must be even"))
				}
			}
			return []byte(text), nil
		},
	}
	f.Modes = func() []cli.Mode { d := drawing; return []cli.Mode{&cli.Printing{}, &d} }
	return f
}

func TestDrawing(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "documents.yaml")
	require.NoError(t, os.WriteFile(file, []byte("apiVersion: v1\nkind: Thing\nmetadata:\n  name: even\n---\napiVersion: v1\nkind: Other\nmetadata:\n  name: odd\n"), 0o600))
	odd := filepath.Join(t.TempDir(), "odd.yaml")
	require.NoError(t, os.WriteFile(odd, []byte("apiVersion: v1\nkind: Thing\nmetadata:\n  name: odd\n"), 0o600))
	for _, test := range []struct {
		name string
		f    cli.Function
		args []string
		want outcome
	}{
		{"drawn", drawn(), []string{"--graph", "list", file}, outcome{stdout: "even\n"}},
		{"a finding", drawn(), []string{"--graph=list", file, odd}, outcome{code: 1, stderr: odd + ":4:9: [error] Thing/odd metadata.name: must be even\n"}},
		{"failed", drawn(), []string{"--graph", "fail", file}, outcome{code: 2, stderr: "try: cannot be drawn\n"}},
		{"no such format", drawn(), []string{"--graph", "x", file}, outcome{code: 2, stderr: "try: --graph must be one of [\"list\" \"fail\"], not \"x\"\n"}},
		{"an empty format", drawn(), []string{"--graph=", file}, outcome{code: 2, stderr: "try: --graph must be one of [\"list\" \"fail\"], not \"\"\n"}},
		{"a field of the config", drawn(), []string{"--prune", "--graph", "list", file}, outcome{code: 2, stderr: "try: --graph must be without --prune: it draws documents as they are\n"}},
		{"no path", drawn(), []string{"--graph", "list"}, outcome{code: 2, stderr: "try: --graph must come with a path: without one the functionConfig on stdin decides\n"}},
		{"nothing to draw", function(nil), []string{"--graph", "list", file}, outcome{code: 2, stderr: "try: unknown flag \"--graph\": see --help\n"}},
	} {
		assert.Equal(t, test.want, run(test.f, "", test.args...), test.name)
	}
	assert.Contains(t, run(drawn(), "", "--help").stdout, "  --graph FORMAT         only draw names: list, fail\n")
}
