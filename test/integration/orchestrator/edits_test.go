package orchestrator

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	k8syaml "sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
	"github.com/resource-plugins/krm-functions/test/framework/edits"
)

// A package that kpt renders after each of several edits has the same documents in the same files as one that it renders
// once after all edits, even if rendered files are changed or removed in between. kpt itself preserves the order of fields
// of existing documents.
func TestKptRandomEditsLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	kpt := checkout.Kpt(t)
	const (
		create  = "  - exec: render-phase\n    configMap: {prune: \"true\", phases: create}\n"
		remove  = "  - exec: render-phase\n    configMap: {prune: \"true\", phases: delete}\n"
		both    = "  - exec: render-phase\n    configMap: {prune: \"true\", delivery: argocd, phases: \"create,delete\"}\n"
		resolve = "  - exec: validate-plugin\n  - exec: resolve-version\n"
		forks   = "  - exec: render-sandbox\n    configMap: {prune: \"true\", routing: gateway-api}\n"
	)
	pipelines := []struct{ name, mutators string }{
		{"all functions", resolve + create + forks},
		{"create after delete", remove + create},
		{"both, all functions", resolve + both + forks},
		{"delete after create", create + remove},
		{"create", create},
		{"both", both},
		{"delete", remove + forks},
		{"forks first", forks + create},
	}
	for i := range checkout.Rounds(4) {
		pipeline := pipelines[i%len(pipelines)]
		t.Run(fmt.Sprint(pipeline.name, " ", i), func(t *testing.T) {
			t.Parallel()
			p := &kptPackage{kpt: kpt, mutators: pipeline.mutators, folder: filepath.Join(t.TempDir(), "pkg")}
			random := checkout.Random(t)
			edited := edits.New(random.Uint64())
			for step := range 8 {
				edited.Edit()
				if random.IntN(3) == 0 {
					p.disturb(t, random)
				}
				clean := &kptPackage{kpt: kpt, mutators: pipeline.mutators, folder: filepath.Join(t.TempDir(), "pkg")}
				want, got := clean.render(t, edited.Files()), p.render(t, edited.Files())
				require.Equal(t, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)), "step %d", step)
				for file := range want {
					require.Equal(t, documents(t, want[file]), documents(t, got[file]), "step %d, %s", step, file)
				}
			}
		})
	}
}

// kptPackage is a package on disk.
type kptPackage struct {
	kpt, mutators, folder string

	sources map[string]string // files that are not rendered
}

// render writes changed files, deletes removed ones, renders the package, and returns all its files.
func (p *kptPackage) render(t *testing.T, sources map[string]string) map[string]string {
	t.Helper()
	sources["Kptfile"] = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: pkg}\npipeline:\n  mutators:\n" + p.mutators
	require.NoError(t, os.MkdirAll(p.folder, 0o755))
	for name, text := range sources {
		if text != p.sources[name] {
			require.NoError(t, os.WriteFile(filepath.Join(p.folder, name), []byte(text), 0o600))
		}
	}
	for name := range p.sources {
		if _, remains := sources[name]; !remains {
			require.NoError(t, os.Remove(filepath.Join(p.folder, name)))
		}
	}
	p.sources = sources
	command := exec.CommandContext(t.Context(), p.kpt, "fn", "render", "--allow-exec", p.folder)
	command.Env = append(os.Environ(), "HOME="+t.TempDir(),
		"PATH="+filepath.Join(programs, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := command.CombinedOutput()
	require.NoError(t, err, "%s\n%v", out, sources)
	return p.files(t)
}

// disturb changes or removes a random rendered file.
func (p *kptPackage) disturb(t *testing.T, random *rand.Rand) {
	t.Helper()
	files := p.files(t)
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(files)), func(name string) bool { return !strings.HasPrefix(name, "rendered/") })
	if len(names) == 0 {
		return
	}
	name := names[random.IntN(len(names))]
	if random.IntN(2) == 0 {
		require.NoError(t, os.Remove(filepath.Join(p.folder, name)))
		return
	}
	changed := strings.NewReplacer("image: ", "image: other-", "echo", "echo more", "name: web", "name: changed").Replace(files[name])
	require.NoError(t, os.WriteFile(filepath.Join(p.folder, name), []byte(changed), 0o600))
}

// documents returns the documents of a file with their fields sorted.
func documents(t *testing.T, text string) (sorted []string) {
	t.Helper()
	for document := range strings.SplitSeq(text, "\n---\n") {
		var content any
		require.NoError(t, k8syaml.Unmarshal([]byte(document), &content))
		text, err := k8syaml.Marshal(content)
		require.NoError(t, err)
		sorted = append(sorted, string(text))
	}
	return sorted
}

// files returns the text of all files.
func (p *kptPackage) files(t *testing.T) map[string]string {
	t.Helper()
	files, root := map[string]string{}, os.DirFS(p.folder)
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(root, name)
		files[name] = string(text)
		return err
	})
	if !os.IsNotExist(err) {
		require.NoError(t, err)
	}
	return files
}
