package rplug

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/incremental"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// manySandboxes are rendered in several parts.
const manySandboxes = 400

const partsPlugins = `apiVersion: resourceplugins.dev/v1alpha1
kind: ResourcePlugin
metadata:
  name: db@1.0.0
spec:
  runner: {image: "ubuntu:24.04", namespace: NAMESPACE}
  create:
  - name: provision
    inputs:
    - {name: dbname, valueFromSandbox: true, as: {env: DBNAME}}
    outputs:
    - {name: host, valueFromPath: /tmp/host}
    script: "#!/bin/sh\necho $DBNAME > /tmp/host\n"
  delete:
  - name: drop
    script: "#!/bin/sh\necho drop\n"
`

// partsInput is a folder with sandboxes that are rendered in parts, with changes to it.
type partsInput struct {
	name string
	// change changes the documents of the sandboxes, by their number.
	change func(i int, text string) string
	// files are further files.
	files map[string]string
	args  []string
	// atOnce reports that all documents are needed at once.
	atOnce bool
}

func replaced(old, by string, numbers ...int) func(int, string) string {
	return func(i int, text string) string {
		for _, n := range numbers {
			if i == n {
				return strings.ReplaceAll(text, old, by)
			}
		}
		return text
	}
}

const last = manySandboxes - 1

var partsInputs = []partsInput{
	{name: "plain"},
	{name: "verbose", args: []string{"--verbose"}},
	{name: "without forks", args: []string{"--no-forks", "--verbose"}},
	{name: "both phases", args: []string{"--phases", "create,delete", "--delivery", "helm", "--verbose"}},
	{name: "absent", change: replaced("annotations: {", "annotations: {resourceplugins.dev/state: absent, ", 7, 300, last)},
	{name: "unknown params", change: replaced("dbname:", "dbnam:", 3, 260, last)},
	{name: "strict", change: replaced("dbname:", "dbnam:", 3, 260, last), args: []string{"--strict"}, atOnce: true},
	{name: "suppressed", args: []string{"--verbose"},
		change: replaced("dbname: shop", "dbnam: shop # krm-functions: ignore unknown-param it is new", 9, 350)},
	{name: "an unused comment", change: replaced("dbname: shop", "dbname: shop # krm-functions: ignore unknown-param none", 9, 350)},
	{name: "a duplicate in another file", change: replaced(fmt.Sprintf("name: sandbox-%d\n", last), "name: Sandbox-5\n", last), atOnce: true},
	{name: "a duplicate id", atOnce: true,
		change: replaced("annotations: {", "annotations: {resourceplugins.dev/sandbox-id: abcdefghijklm, ", 8, last)},
	{name: "an own id", change: replaced("annotations: {", "annotations: {resourceplugins.dev/sandbox-id: abcdefghijklm, ", last)},
	{name: "built by kustomize", atOnce: true, args: []string{"--verbose"}, change: several(
		replaced("plugin: db@1.0.0", "plugin: db@^1", 7, 299, last),
		replaced("annotations: {", "annotations: {kustomize.config.k8s.io/id: x, ", 7, 299, last),
	)},
	{name: "a duplicate routing key", atOnce: true,
		change: replaced("annotations: {", "annotations: {resourceplugins.dev/routing-key: abcdefgh, ", 8, last)},
	{name: "an unknown plugin in the last document", change: replaced("plugin: db@1.0.0", "plugin: bd@1.0.0", last), atOnce: true},
	{name: "no YAML in the last document", change: replaced("spec:", "spec: [", last), atOnce: true},
	{name: "an unknown key in the last document", change: replaced("description:", "purpose:", last), atOnce: true},
	{name: "errors of rendering", // after the first part
		change: replaced("dbname: shop", "dbname: "+strings.Repeat("x", 140_000), 200, last), args: []string{"--verbose"}},
	{name: "several clusters", change: replaced("cluster: staging", "cluster: other", 200, last), atOnce: true},
	{name: "one of several clusters", change: replaced("cluster: staging", "cluster: other", 200, last),
		args: []string{"--cluster", "other", "--verbose"}},
	{name: "no such cluster", args: []string{"--cluster", "othr"}, atOnce: true},
	{name: "a fork", atOnce: true, change: replaced("  resources:",
		"  forks: [{forkOf: {kind: Deployment, namespace: shop, name: web}}]\n  resources:", last)},
	{name: "a route group", atOnce: true, files: map[string]string{"z.yaml": `apiVersion: resourceplugins.dev/v1alpha1
kind: RouteGroup
metadata: {name: all}
spec: {cluster: staging, match: {label: {key: team, value: "*"}}}
`}},
	{name: "two plugins", args: []string{"--verbose"}, change: replaced("plugin: db@1.0.0", "plugin: files@~2.0", 3, 290, 291),
		files: map[string]string{"p.yaml": strings.NewReplacer("db@1.0.0", "files@2.0.1", "NAMESPACE", "files").Replace(partsPlugins)}},
	{name: "a warning about a plugin", files: map[string]string{
		"p.yaml": strings.NewReplacer("db@1.0.0", "files@2.0.1", "NAMESPACE", "files", "echo $DBNAME", "echo $DBNAM").
			Replace(partsPlugins)}},
	{name: "an account that sandboxes share", atOnce: true, change: replaced("plugin: db@1.0.0", "plugin: files@2.0.1", 3, 290),
		files: map[string]string{"p.yaml": strings.NewReplacer("db@1.0.0", "files@2.0.1", "namespace: NAMESPACE",
			`namespace: files, podTemplateOverlay: "spec: {serviceAccountName: cloud}"`).Replace(partsPlugins)}},
	{name: "a Secret with the name of a rendered one", files: map[string]string{"p.yaml": "SECRET"}},
	{name: "other objects", args: []string{"--verbose"}, files: map[string]string{
		"o.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: other}\n", "readme.yaml": "a: b\n",
		"kustomization.yaml": "resources: [none.yaml, sandboxes-0.yaml]\n"}},
	{name: "a lock", args: []string{"--verbose"}, change: replaced("plugin: db@1.0.0", "plugin: db@^1", 3, 290), files: map[string]string{
		"lock.yaml": "apiVersion: resourceplugins.dev/v1alpha1\nkind: PluginLock\nmetadata: {name: lock}\nspec: {plugins: []}\n"}},
	{name: "no lock", args: []string{"--mode", "locked"}, atOnce: true},
	{name: "native documents", args: []string{"--set", "team=db"}, change: func(i int, text string) string {
		if i != 12 && i != last {
			return text
		}
		_, spec, _ := strings.Cut(text, "spec:\n")
		return fmt.Sprintf("---\nname: native-%d\nspec:\n%s", i, strings.ReplaceAll(spec, "dbname: shop", `dbname: "@{team}"`))
	}},
	{name: "a variable without a value", atOnce: true, change: func(i int, text string) string {
		if i != last {
			return text
		}
		_, spec, _ := strings.Cut(text, "spec:\n")
		return "---\nname: native\nspec:\n" + strings.ReplaceAll(spec, "dbname: shop", `dbname: "@{team}"`)
	}},
}

// write writes the documents to a folder.
func (in partsInput) write(t *testing.T, n int) string {
	t.Helper()
	folder := t.TempDir()
	files := map[string]string{"plugin.yaml": strings.ReplaceAll(partsPlugins, "NAMESPACE", "steps")}
	for i := range n {
		text := fmt.Sprintf(`---
apiVersion: resourceplugins.dev/v1alpha1
kind: Sandbox
metadata:
  name: sandbox-%d
  annotations: {team: web}
spec:
  cluster: staging
  description: the sandbox of pull request %[1]d
  resources:
  - name: testdb
    plugin: db@1.0.0
    params:
      dbname: shop
`, i)
		if in.change != nil {
			text = in.change(i, text)
		}
		files[fmt.Sprintf("sandboxes-%d.yaml", i/150)] += text
	}
	for name, text := range in.files {
		files[name] = text
	}
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	return folder
}

// splitConfig is BuildConfig whose parts are watched; with none, all documents are processed at once.
type splitConfig struct {
	cli.Composite
	cli.PackageReader
	split func(*incremental.Cache) cli.PartsProcessor
	watch *watchedParts
}

// Split implements cli.Splitter.
func (c *splitConfig) Split(cache *incremental.Cache) cli.PartsProcessor {
	return splitWith(c.watch, c.split(cache))
}

// splitWith returns parts that are watched; nil if none may be used.
func splitWith(watch *watchedParts, parts cli.PartsProcessor) cli.PartsProcessor {
	if watch == nil || parts == nil {
		return nil
	}
	watch.PartsProcessor = parts
	return watch
}

// watchedParts records whether documents were processed in parts.
type watchedParts struct {
	cli.PartsProcessor
	done  bool
	print func()      // before objects are printed
	read  func(i int) // before a document is read; may be nil
}

// ProcessParts implements cli.PartsProcessor.
func (w *watchedParts) ProcessParts(call cli.Call, documents cli.Postponed) (summary string, done bool, err error) {
	forward := documents.Print
	documents.Print = func(shared, others []*krm.Item) error {
		if w.print != nil {
			w.print()
		}
		return forward(shared, others)
	}
	read := documents.Read
	documents.Read = func(i int) (load.Document, int, bool) {
		if w.read != nil {
			w.read(i)
		}
		return read(i)
	}
	summary, w.done, err = w.PartsProcessor.ProcessParts(call, documents)
	return summary, w.done, err
}

// buildWith runs build with parts that are watched, or without parts.
func buildWith(watch *watchedParts, stdout *bytes.Buffer, args ...string) (code int, stderr string) {
	f := BuildFunction()
	f.Config = func() cli.Config {
		c := NewBuildConfig()
		return &splitConfig{c, c, c.Split, watch}
	}
	var notes bytes.Buffer
	code = f.Run(context.Background(), args, strings.NewReader(""), stdout, &notes)
	return code, notes.String()
}

// In parts, build prints the same objects and findings as with all documents at once.
func TestBuildInPartsPrintsTheSame(t *testing.T) {
	t.Parallel()
	for _, in := range partsInputs {
		t.Run(in.name, func(t *testing.T) {
			t.Parallel()
			if in.files["p.yaml"] == "SECRET" {
				in.files = map[string]string{"p.yaml": renderedSecret(t)}
			}
			args := append(in.args, in.write(t, manySandboxes))
			var plain, parted bytes.Buffer
			code, stderr := buildWith(nil, &plain, args...)
			watch := &watchedParts{print: func() { assert.Zero(t, parted.Len(), "printed before all is rendered") }}
			codeOfParts, stderrOfParts := buildWith(watch, &parted, args...)
			assert.Equal(t, code, codeOfParts)
			assert.Equal(t, stderr, stderrOfParts)
			assert.True(t, bytes.Equal(plain.Bytes(), parted.Bytes()), "stdout differs: %d and %d bytes", plain.Len(), parted.Len())
			assert.Equal(t, !in.atOnce, watch.done, "in parts: %s", stderr)
		})
	}
}

// renderedSecret is the Secret of the last sandbox, as an object of another tool.
func renderedSecret(t *testing.T) string {
	t.Helper()
	var out bytes.Buffer
	code, stderr := buildWith(nil, &out, partsInput{}.write(t, 2))
	require.Zero(t, code, stderr)
	for text := range strings.SplitSeq(out.String(), "---\n") {
		if item, err := krm.NewItem([]byte(text)); err == nil && item.Kind() == "Secret" {
			return fmt.Sprintf("apiVersion: v1\nkind: Secret\nmetadata: {name: %s, namespace: %s}\n", item.Name(), item.Namespace())
		}
	}
	t.Fatal("no Secret was rendered")
	return ""
}

// Memory use during rendering grows with the texts of the sandboxes, and not with their trees or objects: these take
// more than 10 KB for each sandbox. The texts take about 1 KB; parts that are being rendered make that vary by half.
func TestBuildInPartsHoldsNoObjects(t *testing.T) {
	checkout.Slow(t, "renders 12,000 sandboxes")
	live := func(n int) (most uint64) {
		folder := partsInput{}.write(t, n)
		var out bytes.Buffer
		calls := 0
		watch := &watchedParts{print: func() {
			if calls++; calls%8 == 0 {
				runtime.GC()
				var now runtime.MemStats
				runtime.ReadMemStats(&now)
				most = max(most, now.HeapAlloc)
			}
		}}
		code, stderr := buildWith(watch, &out, folder)
		require.Zero(t, code, stderr)
		require.True(t, watch.done)
		require.Greater(t, out.Len(), n*8000)
		return most
	}
	const few, many = 3000, 9000
	grown := int64(live(many)) - int64(live(few))
	t.Logf("%d bytes for each further sandbox", grown/(many-few))
	assert.Less(t, grown/(many-few), int64(4000))
}

// In parts, build writes the same files to a folder, and compares it in the same way.
func TestBuildInPartsWritesTheSame(t *testing.T) {
	t.Parallel()
	const sandboxes = 260
	documents, out := partsInput{}.write(t, sandboxes), t.TempDir()
	folders := map[bool]string{false: filepath.Join(out, "plain"), true: filepath.Join(out, "parted")}
	for _, folder := range folders {
		require.NoError(t, os.Mkdir(folder, 0o755))
	}
	both := func(wantCode int, wantStderr string, args ...string) {
		t.Helper()
		printed := map[bool]string{}
		for inParts, folder := range folders {
			var watch *watchedParts
			if inParts {
				watch = &watchedParts{}
			}
			var stdout bytes.Buffer
			code, stderr := buildWith(watch, &stdout, append(args, folder, "--verbose", documents)...)
			assert.Equal(t, wantCode, code, stderr)
			assert.Contains(t, stderr, wantStderr)
			assert.True(t, watch == nil || watch.done)
			printed[inParts] = strings.ReplaceAll(stdout.String()+stderr, strings.TrimPrefix(folder, "/"), "OUT")
		}
		assert.Equal(t, printed[false], printed[true])
		assert.Equal(t, tree(t, folders[false]), tree(t, folders[true]))
	}
	change := func(name, old, by string) {
		t.Helper()
		file := filepath.Join(documents, name)
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Contains(t, string(text), old)
		require.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(string(text), old, by)), 0o600))
	}
	both(1, "file is missing", "--check")
	both(0, "262 files in", "--kustomization", "--output-dir")
	both(0, "0 written", "--kustomization", "--output-dir")
	both(0, "0 out of date", "--kustomization", "--check")

	change("sandboxes-1.yaml", "name: sandbox-259\n", "name: renamed\n")
	change("sandboxes-0.yaml", "pull request 7\n", "pull request 8\n")
	change("sandboxes-0.yaml", "dbname: shop\n", "dbname: shops\n")
	both(1, "nothing deletes what its resources made", "--kustomization", "--check")
	both(1, "nothing deletes what its resources made", "--kustomization", "--output-dir")
	for _, folder := range folders {
		file := filepath.Join(folder, "sandbox-sandbox-3.yaml")
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, append(text, "# mine\n"...), 0o600))
	}
	both(1, "file was edited", "--kustomization", "--allow-leaks", "--output-dir")
	both(0, "1 removed", "--kustomization", "--allow-leaks", "--overwrite", "--output-dir")
	both(1, "other files of", "--file-per", "object", "--check")
}
