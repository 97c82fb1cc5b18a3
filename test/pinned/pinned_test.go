// Package pinned tests behaviour that users rely on from one version to the next: exit codes, rule ids and field paths of
// findings, names of Secrets and forks, generations, digests, sandbox ids, pins and locks. It runs the built programs on
// testdata/inputs and the examples, and compares facts of their output, never whole outputs or messages, so that names of
// Jobs and wording may change. UPDATE_GOLDEN=1 updates the facts: each difference is then a change for users.
//
// An archive of testdata/inputs starts with the runs, one per line, in a folder with its files and the examples:
//
//	render-phase --delivery flux docs    one run
//	render-phase < list.yaml             one run on a ResourceList
//	chain docs                           every function on these paths, then piped on a ResourceList of their documents
//	chain < list.yaml                    every function, piped
//	matrix docs                          a chain with every phase, delivery, workload and routing
package pinned

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

func TestFacts(t *testing.T) {
	t.Parallel()
	programs := programs(t)
	archives, err := filepath.Glob("testdata/inputs/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, archives)
	for _, file := range archives {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			r := newRecorder(t, programs, filepath.Join(checkout.Root(), "examples"))
			require.NoError(t, txtar.Write(archive, r.folder))
			for line := range strings.Lines(string(archive.Comment)) {
				r.line(strings.TrimSpace(line))
			}
			requireGolden(t, "testdata/facts/"+name+".txt", r.String())
		})
	}
}

// Only digests of the facts of real files are compared, since these files are not ours to copy. The facts themselves are
// written to the folder PINNED_FACTS, to compare them with those of other programs.
func TestFactsOfRealFiles(t *testing.T) {
	t.Parallel()
	corpus := checkout.Corpus(t)
	programs := programs(t)
	files, err := filepath.Glob(corpus + "/signadot/*/*.yaml")
	require.NoError(t, err)
	nested, err := filepath.Glob(corpus + "/signadot/*/*/*.yaml")
	require.NoError(t, err)
	var digests strings.Builder
	for _, file := range append(files, nested...) {
		r := newRecorder(t, programs, corpus)
		name, err := filepath.Rel(filepath.Dir(corpus), file)
		require.NoError(t, err)
		args := name
		if strings.Contains(name, "/example-") {
			args += " " + filepath.Join(filepath.Dir(name), "plugin.yaml")
		}
		const variables = "branch cluster commit dev devbox-id github-pr image name namespace service team tfstate-bucket"
		for _, variable := range strings.Fields(variables) {
			args += " --set " + variable + "=v7"
		}
		r.files(writeBaselines(r, args), true)
		fmt.Fprintf(&digests, "%s %x\n", name, sha256.Sum256([]byte(r.String())))
		if folder := os.Getenv("PINNED_FACTS"); folder != "" {
			require.NoError(t, os.WriteFile(filepath.Join(folder, strings.ReplaceAll(name, "/", "-")), []byte(r.String()), 0o600))
		}
	}
	requireGolden(t, "testdata/real.txt", digests.String())
}

// writeBaselines adds a file with a workload and a Service for each fork of the documents.
func writeBaselines(r *recorder, args string) string {
	var file []byte
	for _, document := range objects(r.t, r.run("import-plugin "+args, nil)) {
		walk(document.Spec, func(value map[string]any) {
			if of, ok := value["forkOf"].(map[string]any); ok {
				file = fmt.Appendf(file, `---
apiVersion: apps/v1
kind: %[1]v
metadata: {name: %[2]v, namespace: %[3]v}
spec:
  selector: {matchLabels: {app: %[2]v}}
  template:
    metadata: {labels: {app: %[2]v}}
    spec: {containers: [{name: hotrod, image: i, ports: [{containerPort: 8080}]}]}
---
apiVersion: v1
kind: Service
metadata: {name: %[2]v, namespace: %[3]v}
spec: {selector: {app: %[2]v}, ports: [{port: 8080}]}
`, of["kind"], of["name"], of["namespace"])
			}
		})
	}
	require.NoError(r.t, os.WriteFile(filepath.Join(r.folder, "baselines.yaml"), file, 0o600))
	return args + " baselines.yaml"
}

// programs returns the folder of the programs to run: built from this checkout, or PINNED_PROGRAMS, such as the bin/ of an
// earlier commit.
func programs(t *testing.T) string {
	t.Helper()
	if folder := os.Getenv("PINNED_PROGRAMS"); folder != "" {
		return folder
	}
	folder := t.TempDir()
	require.NoError(t, checkout.BuildFunctions(folder))
	return folder
}

func requireGolden(t *testing.T, file, got string) {
	t.Helper()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}
