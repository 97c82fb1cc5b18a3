package v010_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/stacks/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/stacks/pack"
	"github.com/resource-plugins/krm-functions/stacks/registry"
	v010 "github.com/resource-plugins/krm-functions/stacks/v010"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// The sections of an archive after the files of its package: the output of v0.10.0, our output, and our findings.
const (
	then     = "v0.10.0"
	now      = "unpacked"
	findings = "findings"
)

// Each archive is a package, as v0.10.0 itself unpacks it, and as we do. UPDATE_GOLDEN=crossplane also asks v0.10.0.
func TestUnpack_rules(t *testing.T) {
	t.Parallel()
	archives, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	require.NoError(t, err)
	require.NotEmpty(t, archives)
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(name)
			require.NoError(t, err)
			golden := map[string]string{}
			r := request{Files: registry.Files{}, Scope: v1alpha1.ScopeNamespaced, Image: "registry.example.org/acme/redis:v0.1.0"}
			if strings.Contains(string(archive.Comment), "Cluster") {
				r.Scope = v1alpha1.ScopeCluster
			}
			for _, file := range archive.Files {
				if below, ok := strings.CutPrefix(file.Name, registry.Folder+"/"); ok {
					r.Files[below] = file.Data
				} else {
					golden[file.Name] = string(file.Data)
				}
			}
			got := map[string]string{}
			got[now], got[findings] = unpackFixed(t, r)
			got[then] = textOf(unpack(r))
			if mode := os.Getenv("UPDATE_GOLDEN"); mode != "" {
				got[then] = golden[then]
				if mode == oracle {
					got[then] = textOf(ask(t, checkout.Tool(t, oracle), []request{r})[0])
				}
				update(t, name, archive, got)
				return
			}
			assert.Equal(t, golden, got)
		})
	}
}

func unpackFixed(t *testing.T, r request) (text, results string) {
	t.Helper()
	u, found := pack.Unpack(r.Files, registry.Options{Scope: r.Scope, Image: r.Image})
	var lines strings.Builder
	for _, result := range found {
		lines.WriteString(report.Line(result, report.Style{}) + "\n")
	}
	if u == nil {
		return "", lines.String()
	}
	out, err := u.YAML()
	require.NoError(t, err)
	return string(out), lines.String()
}

func textOf(r response) string {
	if r.Error != "" {
		return "error: " + r.Error + "\n"
	}
	return indented(string(r.Output))
}

// indented keeps the lines of an output that an archive would take for its own.
func indented(text string) string { return strings.ReplaceAll(text, "\n-- ", "\n -- ") }

func update(t *testing.T, name string, archive *txtar.Archive, sections map[string]string) {
	t.Helper()
	archive.Files = slices.DeleteFunc(archive.Files, func(file txtar.File) bool {
		_, ok := sections[file.Name]
		return ok
	})
	for _, section := range []string{findings, now, then} {
		archive.Files = append(archive.Files, txtar.File{Name: section, Data: []byte(sections[section])})
	}
	require.NoError(t, os.WriteFile(name, txtar.Format(archive), 0o600))
}

// Packages that v0.10.0 refused are refused, except for errors that depend on its libraries.
func TestUnpack_refusesWhatV010Refused(t *testing.T) {
	t.Parallel()
	random := checkout.Random(t)
	refused, seeds := 0, seedPackages(t)
	for range 500 {
		m := maker{Rand: random}
		r := request{Files: m.mutated(pick(m, seeds...)), Image: "redis:v1"}
		r.Scope = scopeOf(r.Files)
		before := unpack(r).Error
		if before == "" || strings.Contains(before, "version of type string") || strings.Contains(before, "unsupported value: +Inf") {
			continue
		}
		refused++
		u, _ := pack.Unpack(r.Files, registry.Options{Scope: r.Scope, Image: r.Image})
		if !assert.Nil(t, u, before) {
			for _, name := range r.Files.Paths() {
				t.Logf("%s:\n%s", name, r.Files[name])
			}
		}
	}
	assert.Greater(t, refused, 50)
}

func FuzzUnpackV010(f *testing.F) {
	for _, content := range []string{"", "a: b", "kind: Deployment\nspec: {template: {}}", "a: &a [*a]", "spec: {names: {kind: A}}"} {
		for _, name := range []string{"app.yaml", "install.yaml", "behavior.yaml", "x.crd.yaml", "group.yaml", "icon.svg"} {
			f.Add(name, []byte(content))
		}
	}
	f.Fuzz(func(_ *testing.T, name string, content []byte) {
		files := registry.Files{"app.yaml": []byte("permissionScope: Cluster")}
		files[name] = content
		_, _ = v010.Unpack(files, v010.Options{Dir: registry.Folder, Scope: v1alpha1.ScopeCluster})
	})
}
