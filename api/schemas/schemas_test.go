package schemas

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

func fileOf(kind string) string { return strings.ToLower(kind) + ".json" }

// generate writes all schemas, by the names of their files.
func generate(t *testing.T) map[string][]byte {
	t.Helper()
	files := map[string]object{}
	var kinds []string
	for _, d := range documents {
		kinds = append(kinds, d.kind)
		files[fileOf(d.kind)] = d.written(t, krmForm)
		if d.native {
			files[filepath.Join("native", fileOf(d.kind))] = d.written(t, nativeForm)
		}
	}
	for _, c := range configs {
		kinds = append(kinds, c.kind)
		files[fileOf(c.kind)] = config(t, c.kind)
	}
	files[fileOf(contract.Project)] = project(t)
	for _, m := range messages {
		files[m.file] = message(t, m.kind, m.limits)
	}
	files["all.json"] = anyKind(append(kinds, contract.Project))
	texts := map[string][]byte{}
	for name, schema := range files {
		text, err := json.Marshal(schema)
		require.NoError(t, err)
		var out bytes.Buffer
		require.NoError(t, json.Indent(&out, text, "", "  "))
		texts[name] = append(out.Bytes(), '\n')
	}
	return texts
}

// The schemas are those of the types. UPDATE_GOLDEN writes them anew. It is not parallel: others read them after it.
func TestSchemasAreThoseOfTheTypes(t *testing.T) {
	texts := generate(t)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.MkdirAll("native", 0o755))
		for name, text := range texts {
			require.NoError(t, os.WriteFile(name, text, 0o644))
		}
	}
	for name, text := range texts {
		got, err := os.ReadFile(name)
		require.NoError(t, err, "run make golden")
		assert.Equal(t, string(text), string(got), "%s: run make golden", name)
	}
	found, err := filepath.Glob("*.json")
	require.NoError(t, err)
	native, err := filepath.Glob("native/*.json")
	require.NoError(t, err)
	assert.Equal(t, slices.Sorted(maps.Keys(texts)), slices.Sorted(slices.Values(append(found, native...))), "a file is left over")
}

// Every function's config has a schema.
func TestEveryFunctionHasASchema(t *testing.T) {
	t.Parallel()
	mains, err := filepath.Glob("../../functions/*/main.go")
	require.NoError(t, err)
	require.NotEmpty(t, mains)
	for _, main := range mains {
		text, err := os.ReadFile(main)
		require.NoError(t, err)
		folder := "functions/" + filepath.Base(filepath.Dir(main))
		known := slices.ContainsFunc(configs, func(c struct{ kind, folder string }) bool {
			return c.folder == folder && bytes.Contains(text, []byte(strings.ToLower(c.kind)+".New("))
		})
		assert.True(t, known, "%s must be listed in configs", folder)
	}
}

// Descriptions are for people who write YAML: the names of Go do not appear, and no rewording is left over.
func TestDescriptionsAreForPeople(t *testing.T) {
	t.Parallel()
	var docs strings.Builder
	for _, d := range documents {
		for _, s := range readSource(t, d.folder) {
			docs.WriteString(describeRaw(s))
		}
	}
	for i := 0; i < len(rewordings); i += 2 {
		assert.Contains(t, docs.String(), rewordings[i])
	}
	for name, text := range generate(t) {
		for _, word := range []string{"Default", "ValueFrom", "OffsetFrom", " nil", "Nil ", "(package "} {
			for line := range strings.Lines(string(text)) {
				if strings.Contains(line, `"description"`) {
					assert.NotContains(t, strings.ReplaceAll(line, "`Default`", ""), word, name) // but for a flag's key
				}
			}
		}
	}
}

func describeRaw(s *structure) string {
	all := s.doc + "\n"
	for _, f := range s.fields {
		if rest, ok := strings.CutPrefix(f.doc, f.name+" "); ok {
			all += "`" + f.key + "` " + rest + "\n"
			continue
		}
		all += f.doc + "\n"
	}
	return all
}
