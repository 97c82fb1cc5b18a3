package histories

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

const modelProject = `apiVersion: resourceplugins.dev/v1alpha1
kind: Project
rules: {ttl-ignored: "off"}
`

// modelRepository is a bare repository with a clone in which someone works. The model knows the sandboxes of each commit.
type modelRepository struct {
	*Options

	t            *testing.T
	random       *rand.Rand
	name         string
	origin, work string
	clock        *time.Time
	clusters     []*modelCluster
	branch       string
	delivered    map[string]string       // the renders that were applied last, by the names of clusters
	commits      map[string]*modelCommit // by id
	isLate       bool                    // the clock of a machine that commits
	log          []string
}

func newModelRepository(
	t *testing.T, random *rand.Rand, options *Options, name string, clock *time.Time, clusters []*modelCluster,
) *modelRepository {
	t.Helper()
	folder := t.TempDir()
	r := &modelRepository{
		Options: options, t: t, random: random, name: name, clock: clock, clusters: clusters, branch: "main",
		origin: filepath.Join(folder, "origin.git"), work: filepath.Join(folder, "work"),
		delivered: map[string]string{}, commits: map[string]*modelCommit{}, isLate: random.IntN(3) == 0,
	}
	r.gitIn(folder, "init", "-q", "--bare", "-b", "main", r.origin)
	r.gitIn(folder, "clone", "-q", r.origin, r.work)
	r.git("checkout", "-q", "-b", "main")
	for version := range 2 {
		r.write(fmt.Sprintf("plugins/db1%d.yaml", version), options.Plugin(version))
	}
	r.write("rplug.yaml", modelProject)
	r.commit("start")
	r.git("push", "-q", "origin", "main")
	return r
}

// gitIn runs git, which must succeed.
func (r *modelRepository) gitIn(folder string, args ...string) string {
	r.t.Helper()
	out, err := r.tryGit(folder, *r.clock, args...)
	require.NoError(r.t, err, "git %v: %s\n%s", args, out, strings.Join(r.log, "\n"))
	return strings.TrimSpace(out)
}

func (r *modelRepository) git(args ...string) string {
	r.t.Helper()
	return r.gitIn(r.work, args...)
}

func (r *modelRepository) tryGit(folder string, at time.Time, args ...string) (string, error) {
	command := exec.Command("git", args...)
	command.Dir = folder
	date := fmt.Sprintf("%d +0000", at.Unix())
	command.Env = append(append(os.Environ(), GitEnvironment()...), "GIT_COMMITTER_DATE="+date, "GIT_AUTHOR_DATE="+date)
	out, err := command.CombinedOutput()
	return string(out), err
}

func (r *modelRepository) write(name, text string) {
	r.t.Helper()
	file := filepath.Join(r.work, name)
	require.NoError(r.t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(r.t, os.WriteFile(file, []byte(text), 0o600))
}

// tree reads the files of the clone.
func (r *modelRepository) tree() modelTree {
	r.t.Helper()
	tree := modelTree{}
	files, err := filepath.Glob(filepath.Join(r.work, "env*", "*.yaml"))
	require.NoError(r.t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(r.t, err)
		below, err := filepath.Rel(r.work, file)
		require.NoError(r.t, err)
		tree[below] = readModelFile(string(text))
	}
	return tree
}

// writeTree replaces the files of the clone by those of the tree.
func (r *modelRepository) writeTree(tree modelTree) {
	r.t.Helper()
	for name := range r.tree() {
		require.NoError(r.t, os.Remove(filepath.Join(r.work, name)))
	}
	for name, file := range tree {
		if len(file.sandboxes) > 0 || file.unread != "" {
			r.write(name, file.text())
		}
	}
}

// written returns the time that the next commit has.
func (r *modelRepository) written() time.Time {
	if r.isLate && r.random.IntN(6) == 0 {
		return r.clock.Add(-time.Duration(r.random.IntN(1000)) * time.Minute)
	}
	return *r.clock
}

// commit commits the files of the clone, if they have changed.
func (r *modelRepository) commit(message string) {
	r.t.Helper()
	r.git("add", "-A")
	if _, err := r.tryGit(r.work, *r.clock, "diff", "--cached", "--quiet"); err == nil {
		return
	}
	at := r.written()
	out, err := r.tryGit(r.work, at, "commit", "-q", "-m", message)
	require.NoError(r.t, err, out)
	r.record()
}

// record makes HEAD known to the model.
func (r *modelRepository) record() {
	r.t.Helper()
	words := strings.Fields(r.git("log", "-1", "--format=%H %ct %P"))
	if r.commits[words[0]] != nil {
		return
	}
	var parent *modelCommit
	if len(words) > 2 {
		parent = r.commits[words[2]]
		require.NotNil(r.t, parent)
	}
	var seconds int64
	_, err := fmt.Sscan(words[1], &seconds)
	require.NoError(r.t, err)
	r.commits[words[0]] = newModelCommit(parent, r.tree(), time.Unix(seconds, 0).UTC())
}

// head returns the commit of the clone.
func (r *modelRepository) head() *modelCommit {
	r.t.Helper()
	return r.commits[r.git("rev-parse", "HEAD")]
}

// branches returns those of the origin, sorted.
func (r *modelRepository) branches() []string {
	r.t.Helper()
	return strings.Fields(r.gitIn(r.origin, "for-each-ref", "--format=%(refname:short)", "refs/heads"))
}

// build runs rplug build for a cluster.
func (r *modelRepository) build(cluster *modelCluster, args ...string) (stdout string, code int) {
	r.t.Helper()
	build := []string{"build", "--allow-empty", "--cluster", cluster.name}
	all := slices.Concat(build, cluster.BuildArguments(), args, []string{"."})
	stdout, _, code = r.Rplug(r.work, all...)
	return stdout, code
}

// deliver renders the branch, and applies it to the clusters, unless the event is lost. A run may be canceled meanwhile.
func (r *modelRepository) deliver() {
	r.t.Helper()
	for _, cluster := range r.clusters {
		cluster.Wait()
		kind := r.random.IntN(10)
		if kind == 0 {
			r.note("lost the event for %s", cluster.name)
			continue
		}
		var arguments []string
		if r.random.IntN(3) > 0 {
			arguments = append(arguments, "--undo")
		}
		out, code := r.build(cluster, arguments...)
		if code != 0 {
			r.note("cannot render %s", cluster.name)
			continue
		}
		objects := parseObjects(r.t, out)
		first := len(objects)
		if kind == 1 {
			first = r.random.IntN(len(objects) + 1)
			r.note("canceled the run for %s after %d of %d objects", cluster.name, first, len(objects))
		}
		r.remember(cluster, objects[:first], first == len(objects) && len(arguments) > 0)
		cluster.Apply(objects, first, *r.clock)
		if first == len(objects) {
			r.delivered[cluster.name] = out
		}
		if r.random.IntN(2) == 0 {
			cluster.Wait()
		}
	}
}

// remember records the sandboxes whose create steps are applied.
func (r *modelRepository) remember(cluster *modelCluster, objects []*unstructured.Unstructured, isWhole bool) {
	r.t.Helper()
	tree := r.head().tree
	for _, object := range objects {
		key := sandboxKey{cluster.name, object.GetAnnotations()[contract.SandboxKey]}
		found := tree.find(key)
		if object.GetKind() == "Job" && object.GetAnnotations()[contract.PhaseKey] == "create" && len(found) == 1 {
			cluster.applied[SandboxID(object)] = appliedSandbox{
				r.name, key, found[0].spec(), found[0].content(), isWhole, Database{found[0].plugin, found[0].size},
			}
		}
	}
}

func (r *modelRepository) note(format string, args ...any) {
	r.log = append(r.log, fmt.Sprintf("%s %s/%s: ", r.clock.Format("02T15:04"), r.name, r.branch)+fmt.Sprintf(format, args...))
}

// some returns one of the values of a map, sorted by key.
func some[V any](random *rand.Rand, from map[string]V) (name string, value V) {
	names := slices.Sorted(maps.Keys(from))
	if len(names) == 0 {
		return "", value
	}
	name = names[random.IntN(len(names))]
	return name, from[name]
}
