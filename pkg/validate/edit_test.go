package validate_test

import (
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

const (
	aPlugin     = "testdata/plugin.yaml"
	aSandbox    = "testdata/sandbox.yaml"
	aRouteGroup = "testdata/routegroup.yaml"
	aPluginTest = "testdata/plugintest.yaml"

	anOutputSecret = "testdata/outputsecret.yaml"
)

// fixtures are valid documents, by kind.
var fixtures = map[string]string{
	contract.ResourcePlugin: aPlugin, contract.Sandbox: aSandbox, contract.RouteGroup: aRouteGroup,
	contract.PluginTest: aPluginTest, contract.OutputSecret: anOutputSecret,
}

// extensions are features whose rules are tested here, too. A test file for each feature adds it here and to the tables.
var extensions []validate.Extension

// allRules returns the rules of documents.
func allRules() validate.Ruleset { return validate.Rules(extensions...) }

// parts are the valid documents of features that are only tested with the examples of their rules, by their names in Kinds.
var parts = map[string]string{}

// around returns for files of parts the documents that make the part valid.
var around = map[string]func(t *testing.T) []*yaml.Node{}

// fed makes the sandbox match the plugin: each of its resources uses the plugin, and has all params of its inputs.
const fed = "spec.resources[0].params.size: small\n" +
	"spec.resources[1]: {name: cacheDB, plugin: hello-db, params: {db-name: cache, size: large}}"

// Replacements for the words in parentheses of an example.
var (
	long    = strings.Repeat("x", 256)
	deep    = strings.Repeat("[{any: ", 101) + "[{label: {key: a, value: b}}]" + strings.Repeat("}]", 101)
	meaning = strings.NewReplacer("(a text of more than 255 bytes)", long, "(a match within 100 others)", deep)
)

// edited reads a valid document and applies changes to it. Each line of an argument is a change:
//
//	spec.runner.image: ubuntu    sets a field, which may be new
//	-spec.runner.image           removes it
//	spec.runner.image~imag       renames its key
func edited(t *testing.T, file string, changes ...string) *yaml.Node {
	t.Helper()
	root := fresh(t, file)
	for _, change := range changes {
		for line := range strings.Lines(change) {
			if line = strings.TrimSpace(line); line != "" {
				apply(t, root, line)
			}
		}
	}
	return root
}

var parsedFiles sync.Map // by name

// fresh returns a copy of a file's tree: copying is faster than parsing, and there are thousands of changes.
func fresh(t *testing.T, file string) *yaml.Node {
	t.Helper()
	known, ok := parsedFiles.Load(file)
	if !ok {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		known, _ = parsedFiles.LoadOrStore(file, parsed(t, string(text)))
	}
	return copied(known.(*yaml.Node))
}

func copied(node *yaml.Node) *yaml.Node {
	other := *node
	other.Content = make([]*yaml.Node, len(node.Content))
	for i, child := range node.Content {
		other.Content[i] = copied(child)
	}
	return &other
}

func apply(t *testing.T, root *yaml.Node, change string) {
	t.Helper()
	if path, removes := strings.CutPrefix(change, "-"); removes {
		mapping, at := find(t, root, path)
		require.GreaterOrEqual(t, at, 0, change)
		mapping.Content = append(mapping.Content[:at:at], mapping.Content[at+2:]...)
		return
	}
	path, value, sets := strings.Cut(change, ": ")
	if !sets {
		path, key, renames := strings.Cut(change, "~")
		require.True(t, renames, "no change: %q", change)
		mapping, at := find(t, root, path)
		mapping.Content[at].SetString(key)
		return
	}
	value = meaning.Replace(value)
	var document yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte(value), &document), change)
	fresh := document.Content[0]
	if at := strings.LastIndex(path, "["); strings.HasSuffix(path, "]") {
		list, ok := krm.Path(path[:at]).Find(root)
		require.True(t, ok, change)
		set(t, list, path[at+1:len(path)-1], fresh)
		return
	}
	mapping, at := find(t, root, path)
	if at < 0 {
		mapping.Content = append(mapping.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: lastKey(path)}, fresh)
		return
	}
	mapping.Content[at+1] = fresh
}

func set(t *testing.T, list *yaml.Node, index string, fresh *yaml.Node) {
	t.Helper()
	var i int
	require.NoError(t, yaml.Unmarshal([]byte(index), &i))
	if i == len(list.Content) {
		list.Content = append(list.Content, fresh)
		return
	}
	list.Content[i] = fresh
}

// find returns the mapping that contains the last key of a path, and the key's index in its content, or -1 if it is missing.
func find(t *testing.T, root *yaml.Node, path string) (mapping *yaml.Node, at int) {
	t.Helper()
	mapping, ok := krm.Path(strings.TrimSuffix(path[:strings.LastIndex("."+path, ".")], ".")).Find(root)
	require.True(t, ok, path)
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == lastKey(path) {
			return mapping, i
		}
	}
	return mapping, -1
}

func lastKey(path string) string { return path[strings.LastIndex(path, ".")+1:] }

// check checks documents and returns a line for each finding: `severity rule path: message`.
func check(t *testing.T, nodes ...*yaml.Node) []string {
	t.Helper()
	return lines(t, withoutClock, nodes...)
}

// withoutClock turns off the rule that reports each ttl: the valid documents have one.
var withoutClock = validate.Options{Rules: map[string]string{"ttl-ignored": "off"}}

func lines(t *testing.T, options validate.Options, nodes ...*yaml.Node) []string {
	t.Helper()
	var items []*krm.Item
	for _, node := range nodes {
		items = append(items, itemOf(t, node))
	}
	options.Extensions = extensions
	list := krm.NewList(items...)
	report, err := validate.Check(list, options)
	require.NoError(t, err)
	results, _ := validate.Suppress(list, report.Results, options)
	var all []string
	for _, result := range results {
		path := ""
		if result.Field != nil {
			path = result.Field.Path
		}
		all = append(all, string(result.Severity)+" "+result.Tags["rule"]+" "+path+": "+result.Message)
	}
	return all
}

// itemOf returns a document as an item. A document with comments becomes an item with a text.
func itemOf(t *testing.T, node *yaml.Node) *krm.Item {
	t.Helper()
	if !isCommented(node) {
		return krm.FromNode(node, "")
	}
	text, err := yaml.Marshal(node)
	require.NoError(t, err)
	item, err := krm.NewItem(text)
	require.NoError(t, err)
	return item
}

func isCommented(node *yaml.Node) bool {
	return strings.Contains(node.LineComment, "krm-functions") || slices.ContainsFunc(node.Content, isCommented)
}

// cases is a table of changes to a valid document, and the prefixes of the lines of all findings.
type cases map[string][]string

func (c cases) run(t *testing.T, file string) {
	t.Helper()
	for change, want := range c {
		got := check(t, edited(t, file, change))
		if len(got) == len(want) {
			for i := range want {
				require.True(t, strings.HasPrefix(got[i], want[i]), "%s\ngot  %s\nwant %s", change, got[i], want[i])
			}
			continue
		}
		require.Equal(t, want, got, change)
	}
}
