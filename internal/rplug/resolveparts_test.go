package rplug

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/function/resolveversion"
)

// resolveWith runs resolve-version with parts that are watched, or without parts.
func resolveWith(watch *watchedParts, stdout *bytes.Buffer, args ...string) (code int, stderr string) {
	f := resolveversion.New()
	config := f.Config
	f.Config = func() cli.Config { return &renderConfig{config(), watch} }
	var notes bytes.Buffer
	code = f.Run(context.Background(), append(args, "--verbose"), strings.NewReader(""), stdout, &notes)
	return code, notes.String()
}

// resolveInputs are further inputs of resolve-version.
var resolveInputs = []partsInput{
	{name: "other objects between sandboxes", change: func(i int, text string) string {
		if i%70 != 5 {
			return text
		}
		const other = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n"
		return other + text + strings.ReplaceAll(other, "ConfigMap", "Secret")
	}},
	{name: "local configuration", change: replaced(
		"annotations: {", `annotations: {config.kubernetes.io/local-config: "true", `, 0, 7, last)},
	{name: "several versions", files: map[string]string{"p.yaml": strings.ReplaceAll(partsPlugins, "db@1.0.0", "db@1.2.0")},
		change: replaced("plugin: db@1.0.0", "plugin: db@^1 # any", 3, 200, last)},
	{name: "an old record", change: replaced("annotations: {", `annotations: {resourceplugins.dev/requested: "testdb=db@^1", `+
		`resourceplugins.dev/plugin-digests: "testdb=db@1.0.0@sha256:x", `, 7, last)},
	{name: "a deprecated version", files: map[string]string{"c.yaml": "apiVersion: resourceplugins.dev/v1alpha1\nkind: Catalog\n" +
		"metadata: {name: c}\nspec: {plugins: [{name: db, versions: [{version: 1.0.0, deprecated: old}]}]}\n"}},
}

// In parts, resolve-version prints the same documents and findings as with all documents at once.
func TestResolveInPartsPrintsTheSame(t *testing.T) {
	t.Parallel()
	inParts := 0
	for _, in := range append(unrendered(), resolveInputs...) {
		folder := in.write(t, fileOfItsOwn+1)
		for _, flags := range [][]string{
			nil, {"--keep-inputs", "--strict", "--set", "team=db"}, {"--mode", "locked", "--explain"}, {"--mode", "update"},
		} {
			args := append(slices.Clone(flags), folder)
			var plain, parted bytes.Buffer
			code, stderr := resolveWith(nil, &plain, args...)
			watch := &watchedParts{print: func() { assert.Zero(t, parted.Len(), "%s: printed before all is resolved", in.name) }}
			codeOfParts, stderrOfParts := resolveWith(watch, &parted, args...)
			assert.Equal(t, code, codeOfParts, "%s %s", in.name, flags)
			assert.Equal(t, stderr, stderrOfParts, "%s %s", in.name, flags)
			assert.True(t, bytes.Equal(plain.Bytes(), parted.Bytes()), "%s %s: stdout differs", in.name, flags)
			if watch.done {
				inParts++
			}
			if flags == nil && code == 0 && !strings.Contains(in.name, "lock") && !strings.HasPrefix(in.name, "an output Secret") {
				assert.True(t, watch.done, in.name)
			}
		}
	}
	t.Logf("%d runs were in parts", inParts)
}
