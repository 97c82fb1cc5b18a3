package histories

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// specs returns the specs of the sandboxes by their files, in their order.
func (t modelTree) specs() map[string][]string {
	all := map[string][]string{}
	for name, file := range t {
		for _, s := range file.sandboxes {
			all[name] = append(all[name], s.spec())
		}
	}
	return all
}

// remove marks a sandbox absent, and nothing else.
func (r *modelRepository) remove() {
	r.t.Helper()
	tree := r.tree()
	keys := tree.keys()
	if len(keys) == 0 {
		return
	}
	key := keys[r.random.IntN(len(keys))]
	for _, one := range keys { // rather one that the other cluster has, too
		if other := (sandboxKey{r.clusters[0].name, one.name}); one.cluster != other.cluster && slices.Contains(keys, other) {
			key = [...]sandboxKey{one, other}[r.random.IntN(2)]
		}
	}
	_, stderr, code := r.Rplug(r.work, "remove", strings.ToUpper(key.name), "--cluster", key.cluster)
	r.note("remove %s/%s: %d", key.cluster, key.name, code)
	if tree.isUnread() || len(tree.find(key)) > 1 {
		require.Equal(r.t, 1, code, stderr)
	} else {
		require.Zero(r.t, code, "%s\n%s", stderr, strings.Join(r.log, "\n"))
		tree.find(key)[0].isAbsent = true
	}
	require.Equal(r.t, tree.specs(), r.tree().specs())
	r.commit("remove")
	r.push()
}

// removeDone drops the documents whose delete phase is complete, and no others.
func (r *modelRepository) removeDone() {
	r.t.Helper()
	for _, cluster := range r.clusters {
		before := r.tree()
		render, code := r.build(cluster)
		if old := r.delivered[cluster.name]; old != "" && r.random.IntN(3) == 0 {
			render, code = old, 0
		}
		if code != 0 {
			continue
		}
		folder := r.t.TempDir()
		require.NoError(r.t, os.WriteFile(filepath.Join(folder, "render.yaml"), []byte(render), 0o600))
		require.NoError(r.t, os.WriteFile(filepath.Join(folder, "dump.json"), cluster.dump(r.t), 0o600))
		_, stderr, code := r.Rplug(r.work, "remove", "--done", "--cluster", cluster.name,
			"--render", filepath.Join(folder, "render.yaml"), "--file", filepath.Join(folder, "dump.json"))
		require.Contains(r.t, []int{0, 1, 3}, code, stderr)
		after := r.tree()
		dropped := r.dropped(cluster, before, after)
		if len(dropped) == 0 {
			require.Equal(r.t, before.specs(), after.specs())
			continue
		}
		r.note("dropped %v", dropped)
		r.commit("drop")
		r.push()
		for _, id := range dropped {
			if r.random.IntN(2) == 0 {
				cluster.Remove(id)
			}
		}
	}
}

// dropped returns the ids of the sandboxes whose documents are gone: they were absent, and their databases are deleted.
func (r *modelRepository) dropped(cluster *modelCluster, before, after modelTree) (ids []string) {
	r.t.Helper()
	for _, key := range before.keys() {
		if len(after.find(key)) == len(before.find(key)) {
			continue
		}
		require.Equal(r.t, cluster.name, key.cluster)
		for _, s := range before.find(key) {
			require.True(r.t, s.isAbsent, "%v was present", key)
		}
		id := ""
		for _, object := range cluster.Objects() {
			if object.GetAnnotations()[contract.SandboxKey] == key.name && object.GetAnnotations()[contract.PhaseKey] == "delete" {
				id = SandboxID(object)
			}
		}
		require.NotEmpty(r.t, id, "%v has no delete phase", key)
		require.NotContains(r.t, cluster.Databases(), id, "%v has a database", key)
		ids = append(ids, id)
	}
	return ids
}

// expire marks the sandboxes absent whose ttl has passed, and no others.
func (r *modelRepository) expire() {
	r.t.Helper()
	before, lives := r.tree(), r.head().lives
	want := before.specs()
	_, stderr, code := r.Rplug(r.work, "expire", "--write", "--at", r.clock.Format(time.RFC3339))
	if before.isUnread() {
		require.Equal(r.t, 1, code, stderr)
		require.Equal(r.t, want, r.tree().specs())
		return
	}
	require.Zero(r.t, code, stderr)
	after := r.tree()
	var expired []string
	for name, file := range before {
		require.Len(r.t, after[name].sandboxes, len(file.sandboxes))
		for i, s := range file.sandboxes {
			life, isExpired := lives[s.key()], after[name].sandboxes[i].isAbsent && !s.isAbsent
			if isExpired {
				expired = append(expired, s.cluster+"/"+s.name)
			}
			if life.isUnsure { // the latest time counts
				require.False(r.t, isExpired && !r.mayBeDue(s), "%v\n%s", s, strings.Join(r.log, "\n"))
				s.isAbsent = after[name].sandboxes[i].isAbsent
				continue
			}
			isDue := !s.isAbsent && r.isDue(s, life)
			require.Equal(r.t, isDue, isExpired, "%v of %v\n%s", s, life, strings.Join(r.log, "\n"))
			s.isAbsent = s.isAbsent || isDue
		}
	}
	require.Equal(r.t, before.specs(), after.specs())
	r.note("expired %v", expired)
	r.commit("expire")
	r.push()
}

// isDue reports whether the ttl of a sandbox has passed.
func (r *modelRepository) isDue(s *modelSandbox, life modelLife) bool {
	start := life.created
	if s.from == "updatedAt" {
		start = life.updated
	}
	return r.hasPassed(s, start)
}

// mayBeDue reports whether the ttl of a sandbox has passed since the first commit that may have it.
func (r *modelRepository) mayBeDue(s *modelSandbox) bool {
	first := *r.clock
	for _, commit := range r.commits {
		if commit.time.Before(first) && (len(commit.tree.find(s.key())) > 0 || commit.tree.mayHave(s.name)) {
			first = commit.time
		}
	}
	return r.hasPassed(s, first)
}

func (r *modelRepository) hasPassed(s *modelSandbox, start time.Time) bool {
	lifetimes := map[string]time.Duration{"90m": 90 * time.Minute, "8h": 8 * time.Hour, "2d": 48 * time.Hour}
	return s.ttl != "" && !start.Add(lifetimes[s.ttl]).After(*r.clock)
}

// reachable returns the commits that a clone has, with their parents.
func (r *modelRepository) reachable(clone string) map[string][]string {
	r.t.Helper()
	all := map[string][]string{}
	for line := range strings.Lines(r.gitIn(clone, "rev-list", "--all", "--parents")) {
		words := strings.Fields(line)
		all[words[0]] = words[1:]
	}
	return all
}

// known returns the specs that documents of a key have had in commits, and when one was last deleted.
func (r *modelRepository) known(commits map[string][]string, key sandboxKey) (specs []string, deleted time.Time) {
	for id, parents := range commits {
		for _, s := range r.commits[id].tree.find(key) {
			s := *s
			s.isAbsent = false
			specs = append(specs, s.spec())
		}
		isGone := func(parent string) bool {
			return len(r.commits[parent].tree.find(key)) > 0 && len(r.commits[id].tree.find(key)) == 0
		}
		if slices.ContainsFunc(parents, isGone) && r.commits[id].written.After(deleted) {
			deleted = r.commits[id].written
		}
	}
	return specs, deleted
}

// about returns when a commit last changed a file with a sandbox, and the contents that its documents have had.
func (r *modelRepository) about(commits map[string][]string, key sandboxKey) (latest time.Time, contents []string) {
	add := func(file, other *modelFile, written time.Time) {
		for _, s := range file.sandboxes {
			if s.key() == key && (other == nil || file.text() != other.text()) {
				contents = append(contents, s.content())
				if written.After(latest) {
					latest = written
				}
			}
		}
	}
	for id, parents := range commits {
		commit := r.commits[id]
		if len(parents) == 0 { // or the clone has no older ones
			parents = []string{""}
		}
		for _, parent := range parents {
			before := modelTree{}
			if parent != "" {
				before = r.commits[parent].tree
			}
			for name, file := range commit.tree {
				add(file, before[name], commit.written)
			}
			for name, file := range before {
				add(file, commit.tree[name], commit.written)
			}
		}
	}
	return latest, contents
}

// isShared reports whether documents of other clusters have had the id of a sandbox.
func (r *modelRepository) isShared(commits map[string][]string, key sandboxKey, id string) bool {
	for commit := range commits {
		for _, file := range r.commits[commit].tree {
			for _, s := range file.sandboxes {
				if s.id == id && s.cluster != key.cluster {
					return true
				}
			}
		}
	}
	return false
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
