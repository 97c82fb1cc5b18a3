package rplug

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
	"github.com/resource-plugins/krm-functions/test/framework/edits"
)

// call runs rplug and returns its exit code and output.
func call(stdin string, args ...string) (code int, stdout, stderr string) {
	var out, notes bytes.Buffer
	code = Run(context.Background(), args, strings.NewReader(stdin), &out, &notes)
	return code, out.String(), notes.String()
}

// flagsOf are flags of a build for the functions that have them.
type flagsOf struct {
	input, resolve, render, fork []string
	noForks                      bool
}

// pipe runs the functions one after the other, each on the output of the one before. The results are empty if one
// refuses.
func (f flagsOf) pipe(paths ...string) (objects, withBaseline string, isRefused bool) {
	if code, _, _ := call("", joined("validate", f.input, paths)...); code != ExitClean {
		return "", "", true
	}
	code, resolved, _ := call("", joined("resolve", []string{"--keep-inputs"}, f.input, f.resolve, paths)...)
	if code != ExitClean {
		return "", "", true
	}
	code, rendered, _ := call(resolved, joined("render", f.render, []string{"-"})...)
	if code != ExitClean {
		return "", "", true
	}
	if f.noForks {
		return rendered, "", false
	}
	_, all, _ := call(resolved, joined("render", []string{"--keep-inputs"}, f.render, []string{"-"})...)
	code, forks, _ := call(all, joined("fork", f.fork, []string{"-"})...)
	if code != ExitClean {
		return "", "", true
	}
	_, withBaseline, _ = call(all, joined("fork", []string{"--baseline"}, f.fork, []string{"-"})...)
	if rendered != "" && forks != "" {
		rendered += "---\n"
	}
	return rendered + forks, withBaseline, false
}

// build returns the flags of rplug build.
func (f flagsOf) build() []string {
	flags := joined("build", f.input, f.resolve, f.render, f.fork)
	if f.noForks {
		flags = append(flags, "--no-forks")
	}
	return flags
}

func joined(first string, more ...[]string) []string {
	all := []string{first}
	for _, args := range more {
		all = append(all, args...)
	}
	return all
}

// The output of rplug build is, byte for byte, the output of the functions that are called one after the other.
func TestBuildPrintsWhatTheFunctionsPrint(t *testing.T) {
	t.Parallel()
	examples := filepath.Join(checkout.Root(), "examples")
	postgres, hello, shop := filepath.Join(examples, "postgres"), filepath.Join(examples, "hello-db"), filepath.Join(examples, "shop")
	lock, baseline, plugin := filepath.Join(examples, "plugin-lock.yaml"), filepath.Join(shop, "baseline"), filepath.Join(postgres, "plugin.yaml")
	found := 0
	for name, test := range map[string]struct {
		flags   flagsOf
		paths   []string
		refused bool
	}{
		"hello-db":   {flagsOf{}, []string{hello}, false},
		"postgres":   {flagsOf{}, []string{postgres, baseline}, false},
		"both":       {flagsOf{}, []string{postgres, hello, baseline}, false},
		"lock":       {flagsOf{}, []string{postgres, hello, baseline, lock}, false},
		"locked":     {flagsOf{resolve: []string{"--mode", "locked"}}, []string{postgres, hello, baseline, lock}, false},
		"delete":     {flagsOf{render: []string{"--phases", "delete"}}, []string{postgres, baseline}, false},
		"argocd":     {flagsOf{render: []string{"--delivery", "argocd", "--phases", "create,delete"}}, []string{postgres, baseline}, false},
		"helm":       {flagsOf{render: []string{"--delivery", "helm", "--phases", "create,delete"}}, []string{postgres, baseline}, false},
		"pods":       {flagsOf{render: []string{"--workload", "Pod"}}, []string{hello}, false},
		"namespaces": {flagsOf{render: []string{"--runner-namespace", "one"}}, []string{postgres, baseline}, false},
		"shop":       {flagsOf{}, []string{plugin, shop}, false},
		"routes":     {flagsOf{fork: []string{"--routing", "gateway-api"}}, []string{plugin, shop}, false},
		"istio":      {flagsOf{fork: []string{"--routing", "istio", "--replicas", "2"}}, []string{plugin, shop}, false},
		"native": {flagsOf{input: []string{"--set", "cluster=demo", "--set", "namespace=db"}},
			[]string{filepath.Join(examples, "orders-db", "native")}, true}, // without the baseline
		"twice":     {flagsOf{}, []string{examples}, true}, // the native plugin is there as an import, too
		"kustomize": {flagsOf{input: []string{"-k", hello}}, []string{postgres, baseline}, false},
	} {
		objects, withBaseline, isRefused := test.flags.pipe(test.paths...)
		code, stdout, stderr := call("", append(test.flags.build(), test.paths...)...)
		require.Equal(t, test.refused, isRefused, "%s: %s", name, stderr)
		if isRefused {
			assert.NotZero(t, code, name)
			assert.Empty(t, stdout, name)
			continue
		}
		require.Zero(t, code, "%s: %s", name, stderr)
		assert.Equal(t, objects, stdout, name)
		_, stdout, _ = call("", append(append(test.flags.build(), "--baseline"), test.paths...)...)
		assert.Equal(t, withBaseline, stdout, name)
		found += strings.Count(objects, "\nkind: ")
	}
	assert.Greater(t, found, 100)
}

// The same holds for real files: each folder of them, with and without forks.
func TestBuildOfRealFilesPrintsWhatTheFunctionsPrint(t *testing.T) {
	t.Parallel()
	corpus := filepath.Join(checkout.Corpus(t), "signadot")
	var values []string
	for _, name := range []string{"cluster", "namespace", "tfstate-bucket", "branch", "devbox-id", "github-pr", "image", "name", "service"} {
		values = append(values, "--set", name+"=v1")
	}
	built := 0
	require.NoError(t, filepath.WalkDir(corpus, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		for _, noForks := range []bool{false, true} {
			flags := flagsOf{input: values, noForks: noForks}
			objects, _, isRefused := flags.pipe(path)
			code, stdout, stderr := call("", append(flags.build(), path)...)
			require.Equal(t, isRefused, code != ExitClean, "%s: %s", path, stderr)
			require.Equal(t, objects, stdout, path)
			built += strings.Count(stdout, "\nkind: ")
		}
		return nil
	}))
	assert.Greater(t, built, 50)
}

// built returns the files that rplug build writes to a folder from documents.
func built(t *testing.T, args ...string) map[string]string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "out")
	code, _, stderr := call("", joined("build", []string{"--output-dir", folder}, args)...)
	require.Zero(t, code, stderr)
	return tree(t, folder)
}

// writeFiles replaces the files of a folder.
func writeFiles(t *testing.T, folder string, files map[string]string) {
	t.Helper()
	require.NoError(t, os.RemoveAll(folder))
	require.NoError(t, os.MkdirAll(folder, 0o750))
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
}

// After each of many edits, the folder is the same as after a build into an empty folder, and foreign files are left
// alone. TEST_ROUNDS=5 is 200 sequences of edits.
func TestBuildFollowsEdits(t *testing.T) {
	t.Parallel()
	const length = 8
	sequences := checkout.Rounds(40)
	foreign := map[string]string{"README.md": "mine\n", "sandbox-mine.yaml": "a: b\n", ".hidden.yaml": "# rplug\n", "sub/shared.yaml": "c: d\n"}
	random, refused, changed := checkout.Random(t), 0, 0
	for n := range sequences {
		p, docs, out := edits.New(random.Uint64()), filepath.Join(t.TempDir(), "docs"), filepath.Join(t.TempDir(), "out")
		require.NoError(t, os.MkdirAll(filepath.Join(out, "sub"), 0o750))
		for name, text := range foreign {
			require.NoError(t, os.WriteFile(filepath.Join(out, name), []byte(text), 0o600))
		}
		flags := [][]string{nil, {"--file-per", "object"}, {"--kustomization"}}[n%3]
		for range length {
			p.Edit()
			writeFiles(t, docs, p.Files())
			before := tree(t, out)
			code, stdout, stderr := call("", joined("build", flags, []string{"--output-dir", out, docs})...)
			require.Empty(t, stdout)
			if code != ExitClean {
				refused++
				require.Equal(t, before, tree(t, out), stderr)
				continue
			}
			got := tree(t, out)
			for name, text := range foreign {
				require.Equal(t, "-rw------- "+text, got[name], name)
				delete(got, name)
			}
			require.Equal(t, built(t, append(flags, docs)...), got)
			if len(got) > 0 {
				changed++
			}
			code, stdout, _ = call("", joined("build", flags, []string{"--check", out, docs})...)
			require.Zero(t, code, stdout)
		}
	}
	assert.Greater(t, changed, sequences)
	t.Logf("%d builds with files, %d refused", changed, refused)
}
