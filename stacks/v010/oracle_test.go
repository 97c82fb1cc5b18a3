package v010_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/stacks/registry"
	v010 "github.com/resource-plugins/krm-functions/stacks/v010"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// The oracle is v0.10.0 itself: `make oracle` builds it.
const oracle = "crossplane"

// request and response are those of tools/crossplane.
type request struct {
	Files                         registry.Files
	Scope, Image, TemplatingImage string
}

type response struct {
	Output []byte
	Error  string
}

func TestUnpack_printsWhatV010Prints(t *testing.T) {
	t.Parallel()
	tool := checkout.Tool(t, oracle)
	random, seeds := checkout.Random(t), seedPackages(t)
	for round := range checkout.Rounds(1) {
		requests := make([]request, 500)
		for i := range requests {
			requests[i] = randomRequest(random, seeds)
		}
		unpacked, refused := 0, 0
		for i, want := range ask(t, tool, requests) {
			got := unpack(requests[i])
			if got.Error == "" {
				unpacked++
			} else {
				refused++
			}
			if !assert.Equal(t, want.Error, got.Error) || !assert.Equal(t, string(want.Output), string(got.Output)) {
				for _, name := range requests[i].Files.Paths() {
					t.Logf("%s:\n%s", name, requests[i].Files[name])
				}
				t.FailNow()
			}
		}
		t.Logf("round %d: %d packages unpacked, %d refused", round, unpacked, refused)
		assert.Greater(t, unpacked, len(requests)/4)
		assert.Greater(t, refused, len(requests)/20)
	}
}

// seedPackages returns the packages of testdata, and the real packages if the corpus is available.
func seedPackages(t *testing.T) []registry.Files {
	t.Helper()
	var seeds []registry.Files
	archives, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	require.NoError(t, err)
	for _, name := range archives {
		archive, err := txtar.ParseFile(name)
		require.NoError(t, err)
		files := registry.Files{}
		for _, file := range archive.Files {
			if below, ok := strings.CutPrefix(file.Name, registry.Folder+"/"); ok && path.Ext(below) != ".bin" {
				files[below] = file.Data // not .bin, whose media type depends on the machine
			}
		}
		seeds = append(seeds, files)
	}
	if checkout.HasCorpus() {
		for _, dir := range realPackages(t) {
			seeds = append(seeds, readFolder(t, filepath.Join(dir, registry.Folder)))
		}
	}
	return seeds
}

func unpack(r request) response {
	out, err := v010.Unpack(r.Files, v010.Options{
		Dir: registry.Folder, Scope: r.Scope, Image: r.Image, TemplatingImage: r.TemplatingImage,
	})
	if err != nil {
		return response{Error: err.Error()}
	}
	return response{Output: out}
}

// ask runs v0.10.0.
func ask(t *testing.T, tool string, requests []request) []response {
	t.Helper()
	var in bytes.Buffer
	encoder := json.NewEncoder(&in)
	for _, r := range requests {
		require.NoError(t, encoder.Encode(r))
	}
	command := exec.Command(tool)
	command.Stdin = &in
	var messages bytes.Buffer
	command.Stderr = &messages
	out, err := command.Output()
	require.NoError(t, err, messages.String())
	responses := make([]response, len(requests))
	decoder := json.NewDecoder(bytes.NewReader(out))
	for i := range responses {
		require.NoError(t, decoder.Decode(&responses[i]), fmt.Sprint(requests[i]))
	}
	return responses
}
