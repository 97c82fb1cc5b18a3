package histories

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// sweepRun is a run of rplug sweep in a new clone.
type sweepRun struct {
	*modelRepository
	clone     string
	isFull    bool // the clone has all commits and branches
	isApplied bool // the render is always applied
	arguments []string
	// given are the commits, and names the names, that are wanted.
	given []*modelCommit
	names []string
}

// newSweep clones a repository, and chooses the revisions and names that are wanted.
func newSweep(r *modelRepository) *sweepRun {
	r.t.Helper()
	s := &sweepRun{modelRepository: r, clone: filepath.Join(r.t.TempDir(), "clone")}
	branches := r.branches()
	branch := branches[r.random.IntN(len(branches))]
	var arguments []string
	s.isFull = r.random.IntN(2) == 0
	if !s.isFull {
		arguments = [][]string{
			{"--single-branch"}, {"--depth", "1"}, {"--depth", "3", "--no-single-branch"}, {"--depth", "6"},
		}[r.random.IntN(4)]
	}
	s.start(branch, arguments...)
	switch r.random.IntN(5) {
	case 0, 1, 2:
		s.wantAll()
	case 3:
		other := branches[r.random.IntN(len(branches))]
		if _, err := r.tryGit(s.clone, *r.clock, "rev-parse", "-q", "--verify", "origin/"+other); err == nil {
			s.arguments = append(s.arguments, "--ref", "origin/"+other)
			s.want(other)
		}
	default:
		for _, key := range s.given[0].tree.keys() {
			s.names = append(s.names, key.name)
		}
		s.names = append(s.names, fmt.Sprintf("s%d", r.random.IntN(8)))
		file := s.clone + ".names"
		require.NoError(r.t, os.WriteFile(file, []byte(strings.ToUpper(strings.Join(s.names, "\n"))), 0o600))
		s.arguments = append(s.arguments, "--names", file)
	}
	r.note("sweep %s, full: %t, %v", branch, s.isFull, s.arguments)
	return s
}

// newFullSweep clones all of a repository. The sandboxes of all branches are wanted.
func newFullSweep(r *modelRepository) *sweepRun {
	r.t.Helper()
	s := &sweepRun{modelRepository: r, clone: filepath.Join(r.t.TempDir(), "clone"), isFull: true, isApplied: true}
	s.start(r.branches()[0])
	s.wantAll()
	r.note("sweep all branches")
	return s
}

// start clones a branch.
func (s *sweepRun) start(branch string, arguments ...string) {
	s.t.Helper()
	s.gitIn(s.origin, slices.Concat([]string{"clone", "-q", "-b", branch, "file://" + s.origin, s.clone}, arguments)...)
	s.want(branch)
}

// wantAll wants all branches of the repository, even those that the clone lacks.
func (s *sweepRun) wantAll() {
	s.t.Helper()
	s.arguments = append(s.arguments, "--all-branches")
	for _, one := range s.branches() {
		s.want(one)
	}
}

func (s *sweepRun) want(branch string) {
	s.t.Helper()
	s.given = append(s.given, s.commits[s.gitIn(s.origin, "rev-parse", "refs/heads/"+branch)])
}

func (s *sweepRun) run(count *Count) {
	s.t.Helper()
	commits := s.reachable(s.clone)
	for _, cluster := range s.clusters {
		dump := s.clone + "." + cluster.name
		require.NoError(s.t, os.WriteFile(dump, cluster.dump(s.t), 0o600))
		arguments := append([]string{"sweep", "-f", dump}, s.arguments...)
		out, stderr, code := s.Rplug(s.clone, append(arguments, "-o", "json")...)
		require.Contains(s.t, []int{0, 1}, code, stderr)
		listed := readLeftovers(s.t, out)
		count.Listed += len(listed)
		out, stderr, code = s.Rplug(s.clone, append(arguments, "--render")...)
		require.Contains(s.t, []int{0, 1}, code, stderr)
		objects := parseObjects(s.t, out)
		rendered := map[string]bool{}
		for _, object := range objects {
			if id := SandboxID(object); id != "" {
				rendered[id] = true
			}
		}
		s.check(cluster, commits, listed, rendered, count)
		s.tearDown(cluster, objects, rendered)
	}
}

// check compares a list and a render with the model.
func (s *sweepRun) check(
	cluster *modelCluster, commits map[string][]string, listed map[string]*leftover, rendered map[string]bool, count *Count,
) {
	s.t.Helper()
	ids := cluster.ids()
	require.Subset(s.t, ids, sortedKeys(listed))
	require.Subset(s.t, ids, sortedKeys(rendered))
	count.Rendered += len(rendered)
	for _, id := range ids {
		key := cluster.keyOf(id)
		context := fmt.Sprintf("%v (%s) applied %+v, listed %+v\n%s",
			key, id, cluster.applied[id], listed[id], strings.Join(s.log, "\n"))
		isWanted := slices.Contains(s.names, key.name)
		mayBeWanted := isWanted
		for _, one := range s.given {
			isWanted = isWanted || one.tree.wants(key, id)
			mayBeWanted = mayBeWanted || isWanted || one.tree.mayHave(key.name)
		}
		switch {
		case isWanted:
			require.False(s.t, rendered[id], "a document wants it: %s", context)
			require.False(s.t, s.isFull && listed[id] != nil, "it is named, and a document wants it: %s", context)
		case !mayBeWanted: // of a file with the markers of a conflict, some documents can be read
			require.Contains(s.t, listed, id, "it is not named: %s", context)
		}
		applied, isApplied := cluster.applied[id]
		if mayBeWanted && !isWanted {
			count.Unread++
		}
		if rendered[id] {
			require.False(s.t, mayBeWanted, "a document may want it: %s", context)
			require.True(s.t, !isApplied || applied.repository == s.name, "it is of another repository: %s", context)
			s.requireProven(cluster, commits, id, context)
		}
		if !mayBeWanted && s.mustRender(cluster, commits, id) {
			count.Due++
			require.True(s.t, rendered[id], "it is not torn down: %s", context)
		}
	}
}

// mustRender reports whether there is no doubt that a sandbox is one of the repository that has leaked.
func (s *sweepRun) mustRender(cluster *modelCluster, commits map[string][]string, id string) bool {
	s.t.Helper()
	for _, one := range s.given {
		if one.tree.isUnread() {
			return false
		}
	}
	applied := cluster.applied[id]
	specs, deleted := s.known(commits, applied.key)
	return s.isFull && !s.isShared(commits, applied.key, id) && applied.repository == s.name && applied.isWhole &&
		slices.Contains(specs, applied.spec) && !cluster.youngest(id).After(deleted)
}

// requireProven requires that the commits of the clone know a sandbox as the cluster has it, and that nothing of it is
// younger.
func (s *sweepRun) requireProven(cluster *modelCluster, commits map[string][]string, id, context string) {
	s.t.Helper()
	key := cluster.keyOf(id)
	require.False(s.t, s.isShared(commits, key, id), "documents of another cluster have had its id: %s", context)
	for commit := range commits {
		if s.commits[commit].tree.isUnread() {
			return
		}
	}
	latest, contents := s.about(commits, key)
	require.False(s.t, cluster.youngest(id).After(latest), "an object is younger than the last commit about it: %s", context)
	if applied := cluster.applied[id]; applied.isWhole {
		require.Contains(s.t, contents, applied.content, "no commit has the document of its teardown: %s", context)
	}
}

// tearDown applies a render, and removes the rest of its sandboxes. Their databases are deleted by the plugin and with the
// size that have made them or are in force, and no others are.
func (s *sweepRun) tearDown(cluster *modelCluster, objects []*unstructured.Unstructured, rendered map[string]bool) {
	s.t.Helper()
	if len(rendered) == 0 || !s.isApplied && s.random.IntN(4) == 0 {
		return
	}
	s.note("tear down %v of %s", sortedKeys(rendered), cluster.name)
	want := cluster.Databases()
	before := maps.Clone(want)
	maps.DeleteFunc(want, func(id string, _ Database) bool { return rendered[id] })
	cluster.Apply(objects, len(objects), *s.clock)
	cluster.Wait()
	require.Equal(s.t, want, cluster.Databases(), "only the databases of sandboxes that are torn down are deleted")
	for id := range rendered {
		// A canceled run leaves Jobs of an older state. When that is applied again, they do not run, and the database is that of
		// another state than the one that is in force.
		made, exists := before[id]
		if deleted := cluster.Deleted()[id]; exists && deleted != cluster.applied[id].database {
			require.Equal(s.t, made, deleted, "%v is deleted as another one\n%s", cluster.keyOf(id), strings.Join(s.log, "\n"))
		}
		cluster.Remove(id)
		delete(cluster.applied, id)
	}
}
