// Package fuzz tests the script that builds the fuzz targets for OSS-Fuzz.
package fuzz

import (
	"archive/zip"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// The script builds each fuzz target of the repository, as a program with its own name, from the import path of its package.
func TestBuildsAllTargets(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	calls := filepath.Join(bin, "calls")
	require.NoError(t, checkout.WriteProgram(filepath.Join(bin, "compile_native_go_fuzzer_v2"), "#!/bin/sh\necho \"$1 $2 $3\" >> '"+calls+"'\n"))
	require.NoError(t, checkout.WriteProgram(filepath.Join(bin, "go"), "#!/bin/sh\necho \"example.org/${PWD##*/}\"\n"))
	command := exec.Command(filepath.Join(checkout.Root(), "test", "integration", "fuzz", "build.sh"))
	command.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "OUT="+bin)
	out, err := command.CombinedOutput()
	require.NoError(t, err, string(out))
	text, err := os.ReadFile(calls)
	require.NoError(t, err)
	built, programs := map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		require.Len(t, words, 3, line)
		assert.Regexp(t, `^[a-zA-Z0-9_]+$`, words[2])
		assert.False(t, programs[words[2]], words[2])
		built[strings.TrimPrefix(words[0], "example.org/")+" "+words[1]], programs[words[2]] = true, true
	}
	for _, target := range targets(t) {
		assert.True(t, built[target], target)
	}
	assert.Len(t, programs, len(targets(t)))
	for program := range programs {
		checkSeeds(t, filepath.Join(bin, program+"_seed_corpus.zip"))
	}
}

// checkSeeds checks that a seed corpus has the examples, and no input in the encoding of go test.
func checkSeeds(t *testing.T, file string) {
	t.Helper()
	corpus, err := zip.OpenReader(file)
	require.NoError(t, err)
	defer func() { _ = corpus.Close() }()
	assert.Greater(t, len(corpus.File), 5, file)
	for _, seed := range corpus.File {
		opened, err := seed.Open()
		require.NoError(t, err)
		text, err := io.ReadAll(opened)
		require.NoError(t, err)
		assert.NotContains(t, string(text), "go test fuzz v1", "%s: %s", file, seed.Name)
	}
}

// targets returns the fuzz targets of the checkout, each with the last element of its package's folder.
func targets(t *testing.T) (all []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(checkout.Root(), func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() && (entry.Name() == "bin" || strings.HasPrefix(entry.Name(), ".") && name != checkout.Root()) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, declaration := range file.Decls {
			if function, ok := declaration.(*ast.FuncDecl); ok && function.Recv == nil && strings.HasPrefix(function.Name.Name, "Fuzz") {
				all = append(all, filepath.Base(filepath.Dir(name))+" "+function.Name.Name)
			}
		}
		return nil
	}))
	return all
}
