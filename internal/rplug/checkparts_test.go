package rplug

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/function/validateplugin"
	"github.com/resource-plugins/krm-functions/internal/incremental"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// checkConfig is the config of validate-plugin whose parts are watched; with none, all documents are processed at once.
type checkConfig struct {
	validateplugin.Config
	watch *watchedParts
}

// Split implements cli.Splitter.
func (c *checkConfig) Split(cache *incremental.Cache) cli.PartsProcessor {
	return splitWith(c.watch, c.Config.Split(cache))
}

// checkWith runs validate-plugin with parts that are watched, or without parts.
func checkWith(watch *watchedParts, stdout *bytes.Buffer, args ...string) (code int, stderr string) {
	f := validateplugin.New()
	f.Config = func() cli.Config { return &checkConfig{watch: watch} }
	var notes bytes.Buffer
	code = f.Run(context.Background(), append(args, "--no-cache", "--verbose"), strings.NewReader(""), stdout, &notes)
	return code, notes.String()
}

// several makes several changes.
func several(changes ...func(int, string) string) func(int, string) string {
	return func(i int, text string) string {
		for _, change := range changes {
			text = change(i, text)
		}
		return text
	}
}

const forked = "  forks: [{forkOf: {kind: Deployment, namespace: shop, name: web}}]\n  resources:"

// fileOfItsOwn is the number of a sandbox that is alone in a file.
const fileOfItsOwn = 450

// checkInputs are further inputs of functions that render nothing.
var checkInputs = []partsInput{
	{name: "findings of all levels", files: map[string]string{
		"p.yaml": strings.NewReplacer("db@1.0.0", "db", "NAMESPACE", "x", "echo $DBNAME", "echo $DBNAM").Replace(partsPlugins)},
		change: several(replaced("dbname:", "dbnam:", 3, 150, 290), replaced("cluster: staging", "cluster: Staging_", 4),
			replaced("description:", "purpose:", 0, 151, 300), replaced("name: testdb", "name: testdb\n    size: 3", 5, 6, 301),
			replaced("plugin: db@1.0.0", "plugin: bd@1", 30, last), replaced("kind: Sandbox", "kind: Sandbx", 31))},
	{name: "suppressed in many places", change: several(
		replaced("dbname: shop", "dbnam: shop # krm-functions: ignore unknown-param it is new", 9, 350),
		replaced("dbname: shop", "dbname: shop # krm-functions: ignore unknown-param none", 10, 149),
		replaced("  resources:", "  # krm-functions: ignore\n  resources:", 150, last),
		replaced("dbname: shop", "dbnam: shop", 151, 299),
	)},
	{name: "kept ones between others", change: several(
		replaced("dbname: shop", "dbname: shop # krm-functions: ignore x", 5, 10, 15, 20),
		replaced("dbname: shop", "dbnam: shop", 3, 9, 11, 12, 16, 22, 30),
	)},
	{name: "forks", change: replaced("  resources:", forked, 3, 150, 151, last)},
	{name: "a test of a plugin", files: map[string]string{"t.yaml": `apiVersion: resourceplugins.dev/v1alpha1
kind: PluginTest
metadata: {name: t}
spec: {plugin: db@1.0.0, cases: [{name: one, params: {dbnam: x}}]}
`}},
	{name: "an output Secret", atOnce: true, files: map[string]string{"s.yaml": `apiVersion: resourceplugins.dev/v1alpha1
kind: OutputSecret
metadata: {name: s}
spec: {sandbox: sandbox-7, resource: testdb, data: {host: provision.hots}}
`}},
	{name: "no name", change: replaced("  name: sandbox-", "  label: sandbox-", 11)},
	{name: "no names", atOnce: true, change: replaced("  name: sandbox-", "  label: sandbox-", 11, 200)},
	{name: "a kept one with a name in another file", atOnce: true, change: several(
		replaced("name: sandbox-5\n", "name: sandbox-350\n", 5), replaced("shop", "shop # krm-functions: ignore x y", 5),
	)},
	{name: "no YAML in a file of its own", change: replaced("spec:\n", "spec:\n   a: b\n", fileOfItsOwn)},
	{name: "no YAML in a file of many", change: replaced("spec:\n", "spec:\n   a: b\n", 7)},
	{name: "a line separator in a file of its own", change: replaced("pull request", "pull \u2028request", fileOfItsOwn)},
	{name: "a line separator in a file of many", change: replaced("pull request", "pull \u2028request", 7, 160)},
	{name: "a template of a chart", change: replaced("pull request", "{{ .Values.x }}", 7, 160)},
	{name: "a merge key", change: replaced("    params:\n      dbname: shop\n", "    params: {<<: {dbname: x}}\n", 7, last)},
	{name: "two kinds", change: replaced("kind: Sandbox\n", "kind: Sandbox\nkind: ResourcePlugin\n", 7)},
	{name: "another kind in the end", change: replaced("kind: Sandbox\n", "kind: Sandbox\n\"kind\": ResourcePlugin\n", last)},
	{name: "anchors", change: replaced("name: testdb", "name: &n testdb", 7, last)},
	{name: "no plugins", files: map[string]string{"plugin.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: other}\n"},
		change: replaced("plugin: db@1.0.0", "plugin: bd@", 30, last)},
	{name: "a catalog", files: map[string]string{"c.yaml": "apiVersion: resourceplugins.dev/v1alpha1\nkind: Catalog\n" +
		"metadata: {name: c}\nspec: {plugins: [{name: db, versions: [{version: 1.0.0, digest: \"sha256:x\"}]}]}\n"},
		change: replaced("plugin: db@1.0.0", "plugin: db@stable", 30, last)},
	{name: "many findings about one", change: replaced("    params:\n", "    params:\n"+manyParams(), 7, last)},
}

func manyParams() string {
	var text strings.Builder
	for i := range 1100 {
		fmt.Fprintf(&text, "      x%d: y\n", i)
	}
	return text.String()
}

// unrendered returns the inputs for functions that render nothing, without the options of others.
func unrendered() []partsInput {
	var all []partsInput
	for _, in := range partsInputs {
		if in.files["p.yaml"] == "SECRET" {
			continue
		}
		in.args = nil
		all = append(all, in)
	}
	return append(all, checkInputs...)
}

// checkFlags are those of validate-plugin that each input is checked with.
var checkFlags = [][]string{
	nil, {"--strict", "--output", "json"}, {"--output", "sarif"}, {"--context", "--set", "team=db"},
	{"--rules", "unknown-param=error", "--rules", "unknown-plugin=off"},
}

// In parts, validate-plugin prints the same findings as with all documents at once, in each format.
func TestCheckInPartsPrintsTheSame(t *testing.T) {
	t.Parallel()
	for _, in := range unrendered() {
		t.Run(in.name, func(t *testing.T) {
			t.Parallel()
			isAtOnce := in.atOnce && (slices.ContainsFunc(checkInputs, func(one partsInput) bool { return one.name == in.name }) ||
				in.name == "a duplicate in another file")
			folder := in.write(t, fileOfItsOwn+1)
			for _, flags := range checkFlags {
				args := append(slices.Clone(flags), folder)
				var plain, parted bytes.Buffer
				code, stderr := checkWith(nil, &plain, args...)
				watch := &watchedParts{}
				codeOfParts, stderrOfParts := checkWith(watch, &parted, args...)
				assert.Equal(t, code, codeOfParts, flags)
				assert.Equal(t, stderr, stderrOfParts, flags)
				assert.Equal(t, plain.String(), parted.String(), flags)
				if isAtOnce {
					assert.False(t, watch.done, flags)
				} else {
					assert.True(t, watch.done, flags)
				}
			}
		})
	}
}

// JUnit lists all documents.
func TestCheckAtOnce(t *testing.T) {
	t.Parallel()
	watch := &watchedParts{}
	var out bytes.Buffer
	code, stderr := checkWith(watch, &out, "--output", "junit", partsInput{}.write(t, manySandboxes))
	assert.Zero(t, code, stderr)
	assert.False(t, watch.done)
	assert.Contains(t, out.String(), "sandbox-399")
}

// Memory use during checks does not grow with the trees of sandboxes, though there is a finding about each.
func TestCheckInPartsHoldsNoTrees(t *testing.T) {
	checkout.Slow(t, "checks 12,000 sandboxes")
	live := func(n int) uint64 {
		in := partsInput{change: func(_ int, text string) string { return strings.ReplaceAll(text, "dbname:", "dbnam:") }}
		folder := in.write(t, n)
		var most uint64
		watch := &watchedParts{read: func(i int) {
			if i == n-1 {
				runtime.GC()
				var now runtime.MemStats
				runtime.ReadMemStats(&now)
				most = now.HeapAlloc
			}
		}}
		var out bytes.Buffer
		code, stderr := checkWith(watch, &out, folder)
		require.Zero(t, code, stderr)
		require.True(t, watch.done)
		require.Equal(t, n, strings.Count(out.String(), "unknown-param"))
		return most
	}
	const few, many = 3000, 9000
	grown := int64(live(many)) - int64(live(few))
	t.Logf("%d bytes for each further sandbox", grown/(many-few))
	assert.Less(t, grown/(many-few), int64(6000))
}
