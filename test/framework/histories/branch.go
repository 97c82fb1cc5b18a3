package histories

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/stretchr/testify/require"
)

// push pushes the branch and delivers it.
func (r *modelRepository) push() {
	r.t.Helper()
	r.git("push", "-q", "--force", "origin", r.branch)
	r.deliver()
}

func (r *modelRepository) startBranch() {
	r.branch = fmt.Sprintf("pr%d", r.random.IntN(4))
	if slices.Contains(r.branches(), r.branch) {
		r.git("checkout", "-q", r.branch)
		return
	}
	r.git("checkout", "-q", "-B", r.branch)
	r.note("start the branch")
	r.edit()
	r.git("push", "-q", "--force", "origin", r.branch)
}

func (r *modelRepository) switchBranch() {
	all := r.branches()
	if len(all) == 0 {
		return
	}
	r.branch = all[r.random.IntN(len(all))]
	r.git("checkout", "-q", r.branch)
}

// merge merges another branch: with a merge commit, squashed, or forward. Of a conflict one side is taken, or it is
// committed.
func (r *modelRepository) merge() {
	r.t.Helper()
	all := slices.DeleteFunc(r.branches(), func(branch string) bool { return branch == r.branch })
	if len(all) == 0 {
		return
	}
	from := all[r.random.IntN(len(all))]
	arguments := [][]string{{"--no-ff", "--no-commit"}, {"--no-ff", "--no-commit"}, {"--squash"}, {"--squash"},
		{"--no-ff", "--no-commit", "-X", "theirs"}, {"--squash", "-X", "ours"}}[r.random.IntN(6)]
	_, err := r.tryGit(r.work, *r.clock, slices.Concat([]string{"merge", "-q"}, arguments, []string{"origin/" + from})...)
	if err != nil && r.random.IntN(5) == 0 {
		r.note("give up merging %s", from)
		r.git("reset", "-q", "--hard")
		return
	}
	r.note("merge %s %v, conflict: %t", from, arguments, err != nil)
	r.git("add", "-A") // with the markers of conflicts
	at := r.written()
	if out, err := r.tryGit(r.work, at, "commit", "-q", "-m", "merge "+from); err != nil {
		r.note("nothing to merge")
		r.git("reset", "-q", "--hard")
		_ = out
		return
	}
	r.record()
	r.push()
}

func (r *modelRepository) revert() {
	r.t.Helper()
	back := r.random.IntN(3)
	if _, err := r.tryGit(r.work, r.written(), "revert", "--no-edit", fmt.Sprintf("HEAD~%d", back)); err != nil {
		_, _ = r.tryGit(r.work, *r.clock, "revert", "--abort")
		r.git("reset", "-q", "--hard")
		return
	}
	if _, err := os.Stat(filepath.Join(r.work, "rplug.yaml")); err != nil { // the first commit
		r.git("reset", "-q", "--hard", "HEAD~1")
		return
	}
	r.note("revert HEAD~%d", back)
	r.record()
	r.push()
}

// forcePush drops commits of the branch, or writes the last one again.
func (r *modelRepository) forcePush() {
	r.t.Helper()
	if r.random.IntN(2) == 0 {
		if _, err := r.tryGit(r.work, *r.clock, "rev-parse", "-q", "--verify", "HEAD~3"); err != nil {
			return
		}
		r.git("reset", "-q", "--hard", fmt.Sprintf("HEAD~%d", 1+r.random.IntN(2)))
		r.note("force-push an older commit")
	} else {
		if _, err := r.tryGit(r.work, *r.clock, "rev-parse", "-q", "--verify", "HEAD~1"); err != nil {
			return
		}
		out, err := r.tryGit(r.work, r.written(), "commit", "-q", "--amend", "--allow-empty", "-m", "amended "+r.clock.String())
		require.NoError(r.t, err, out)
		r.note("amend")
		r.record()
	}
	r.push()
}

// deleteBranch deletes a branch, and the event is lost: nothing is delivered.
func (r *modelRepository) deleteBranch() {
	r.t.Helper()
	all := slices.DeleteFunc(r.branches(), func(branch string) bool { return branch == "main" })
	if len(all) == 0 {
		return
	}
	gone := all[r.random.IntN(len(all))]
	r.note("delete branch %s", gone)
	r.git("checkout", "-q", "main")
	r.branch = "main"
	r.git("branch", "-q", "-D", gone)
	r.git("push", "-q", "origin", "--delete", gone)
	r.git("fetch", "-q", "--prune")
}
