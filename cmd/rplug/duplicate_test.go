package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/rplug"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// reader is a kind of documents with a file that has all fields, other files for the commands, and the commands that read it.
// DIR is the folder with the files, and FILE the document.
type reader struct {
	kind, file string
	others     []string
	commands   []string
}

const (
	pluginFile  = "pkg/validate/testdata/plugin.yaml"
	sandboxFile = "pkg/validate/testdata/sandbox.yaml"
	othersFile  = "cmd/rplug/testdata/duplicates/others.yaml" // the documents that the sandbox needs
)

var readers = []reader{
	{"ResourcePlugin", pluginFile, []string{sandboxFile, othersFile}, []string{
		"validate FILE", "resolve DIR", "render DIR", "build DIR", "diff DIR DIR", "report DIR", "graph mermaid FILE",
		"run hello-db DIR --engine process", "test DIR --engine process", "catalog index DIR",
	}},
	{"Sandbox", sandboxFile, []string{pluginFile, othersFile}, []string{
		"validate FILE", "resolve DIR", "render DIR", "fork DIR", "build DIR", "diff DIR DIR", "report DIR",
		"remove feature-x -- DIR", "expire DIR",
	}},
	{"RouteGroup", "api/schemas/testdata/routegroup.yaml", []string{sandboxFile, pluginFile, othersFile}, []string{
		"validate FILE", "fork DIR", "build DIR", "report DIR", "remove features -- DIR", "expire DIR",
	}},
	{"PluginTest", "pkg/validate/testdata/plugintest.yaml", []string{pluginFile}, []string{"validate FILE", "report DIR", "test DIR --engine process"}},
	{"Catalog", "pkg/resolve/testdata/full.yaml", []string{sandboxFile}, []string{
		"validate FILE", "resolve DIR", "build DIR", "report DIR", "catalog list FILE", "catalog versions hello-db FILE", "catalog lint FILE",
	}},
	{"PluginLock", "api/schemas/testdata/pluginlock.yaml", []string{sandboxFile, pluginFile, othersFile}, []string{
		"validate FILE", "resolve DIR", "build DIR", "report DIR", "catalog lint DIR",
	}},
	{"ExternalPlugin", "kubebuilder/testdata/externalplugin.yaml", nil, []string{"validate FILE", "build DIR"}},
}

// eachKey calls do for each key of each mapping of a tree, with its index in the mapping.
func eachKey(node *yaml.Node, do func(mapping *yaml.Node, at int)) {
	if node.Kind == yaml.MappingNode {
		for at := 0; at < len(node.Content); at += 2 {
			do(node, at)
		}
	}
	for _, child := range node.Content {
		eachKey(child, do)
	}
}

// prepared returns a new folder with the files of a kind, and the document in it.
func (r *reader) prepared(t *testing.T) (dir, file string, document *yaml.Node) {
	t.Helper()
	dir, document = t.TempDir(), &yaml.Node{}
	require.NoError(t, exec.Command("git", "init", "-q", dir).Run())
	for _, name := range append(slices.Clone(r.others), r.file) {
		text, err := os.ReadFile(filepath.Join(checkout.Root(), name))
		require.NoError(t, err)
		file = filepath.Join(dir, filepath.Base(name))
		require.NoError(t, os.WriteFile(file, text, 0o600))
		*document = yaml.Node{}
		require.NoError(t, yaml.Unmarshal(text, document))
	}
	return dir, file, document
}

// Each key of each kind must be given once, whichever command reads the document: with two equal values the message says so, and
// another value can also be of a wrong type. For each key the first command runs, and some of the others; TEST_ROUNDS=5 runs all.
func TestDuplicateKeysOfOurKinds(t *testing.T) {
	t.Parallel()
	checkout.Slow(t, "runs each command for each key of each kind")
	says := regexp.MustCompile(`is repeated|must not be given twice`)
	for _, one := range readers {
		t.Run(one.kind, func(t *testing.T) {
			t.Parallel()
			random := checkout.Random(t)
			dir, file, document := one.prepared(t)
			places := strings.NewReplacer("FILE", file, "DIR", dir)
			cases := 0
			eachKey(document.Content[0], func(mapping *yaml.Node, at int) {
				whole := mapping.Content
				pair := []*yaml.Node{whole[at], whole[at+1]}
				isEqual := random.IntN(2) == 0
				if !isEqual {
					pair[1] = &yaml.Node{Kind: yaml.ScalarNode, Value: "Other"}
				}
				mapping.Content = slices.Insert(slices.Clone(whole), []int{at, len(whole)}[random.IntN(2)], pair...)
				twice, err := yaml.Marshal(document)
				require.NoError(t, err)
				mapping.Content = whole
				commands := slices.Clone(one.commands)
				random.Shuffle(len(commands)-1, func(i, j int) { commands[i+1], commands[j+1] = commands[j+1], commands[i+1] })
				commands = commands[:min(len(commands), 1+checkout.Rounds(2))]
				if !isEqual && slices.Contains([]string{"apiVersion", "kind"}, pair[0].Value) && mapping == document.Content[0] {
					commands = commands[:1] // for the others it is not a document of this kind
				}
				for _, command := range commands {
					cases++
					require.NoError(t, os.WriteFile(file, twice, 0o600))
					var out bytes.Buffer
					code := rplug.Run(t.Context(), strings.Fields(places.Replace(command)), strings.NewReader(""), &out, &out, extensions()...)
					assert.NotZero(t, code, "%s: %s\n%s", command, pair[0].Value, twice)
					if isEqual {
						assert.Regexp(t, says, out.String(), "%s: %s\n%s", command, pair[0].Value, twice)
					}
				}
			})
			assert.Greater(t, cases, 20)
			t.Logf("%d cases", cases)
		})
	}
}
