// Package histories compares rplug sweep, remove and expire with a model in random histories of two Git repositories that
// deliver to two clusters: sandboxes are created, edited, renamed, split, reverted, deleted and merged with conflicts,
// commits are squashed and force-pushed, and deliveries are lost or canceled. Sandboxes that no document wants are always
// named, and nothing is ever torn down that a document wants or that is not proven to be the same sandbox.
//
//	options := histories.Options{Plugin: plugin, Rplug: rplug, NewCluster: newCluster, Operations: 30}
//	histories.Run(t, random, &options, &count)
//
// The model knows the sandboxes of each commit, with no code of the commands. NewMemory returns a cluster without programs.
package histories

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Options are the programs and clusters of a history.
type Options struct {
	// Plugin returns the document of the plugin db@1.VERSION.0. Its step of the create phase makes a database of the plugin and
	// of the param "size", and that of the delete phase deletes it.
	Plugin func(version int) string
	// Rplug runs rplug in a folder.
	Rplug func(folder string, args ...string) (stdout, stderr string, code int)
	// NewCluster returns a cluster without objects.
	NewCluster func(name string) Cluster
	// Operations is how many operations more than 10 a history has at most.
	Operations int
}

// Count counts the sandboxes that rplug sweep had to judge.
type Count struct {
	// Listed sandboxes had no document, Rendered ones were torn down, and Due ones had to be. Of Unread ones, the document
	// cannot be read.
	Listed, Rendered, Due, Unread int
}

// GitEnvironment returns variables that keep the configuration of this machine out of git, also of that which rplug runs.
func GitEnvironment() []string {
	return []string{
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=test", "GIT_COMMITTER_NAME=test",
		"GIT_AUTHOR_EMAIL=test@localhost", "GIT_COMMITTER_EMAIL=test@localhost",
	}
}

// Run runs a history.
func Run(t *testing.T, random *rand.Rand, options *Options, count *Count) {
	t.Helper()
	clock := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	newCluster := func(name string) *modelCluster {
		return &modelCluster{options.NewCluster(name), name, map[string]appliedSandbox{}}
	}
	clusters := []*modelCluster{newCluster("a"), newCluster("b")}
	repositories := []*modelRepository{
		newModelRepository(t, random, options, "first", &clock, clusters),
		newModelRepository(t, random, options, "other", &clock, clusters),
	}
	wait := func() {
		for _, cluster := range clusters {
			cluster.Wait()
		}
	}
	for range 10 + random.IntN(options.Operations) {
		wait()
		clock = clock.Add(time.Duration(1+random.IntN(200)) * time.Minute)
		r := repositories[max(0, random.IntN(5)-3)]
		switch kind := random.IntN(20); {
		case kind == 0:
			r.remove()
			r.removeDone() // while Jobs may run
		case kind == 1:
			r.removeDone()
		case kind == 2:
			r.expire()
		case kind < 7:
			newSweep(r).run(count)
		default:
			r.change()
		}
	}
	wait()
	for range 2 {
		for _, r := range repositories {
			newSweep(r).run(count)
		}
	}
	end(repositories, count)
}

// end sweeps with all branches of each repository. Then all databases are those of sandboxes that a document wants, or that
// are named, and not proven to be the same sandbox.
func end(repositories []*modelRepository, count *Count) {
	for _, r := range repositories {
		newFullSweep(r).run(count)
	}
	for _, cluster := range repositories[0].clusters {
		ids, t := cluster.ids(), repositories[0].t
		for id := range cluster.Databases() {
			require.Contains(t, ids, id, "%v has a database, and no object by which rplug sweep could name it\n%s",
				cluster.keyOf(id), strings.Join(slices.Concat(repositories[0].log, repositories[1].log), "\n"))
		}
	}
}

// leftover is a sandbox that rplug sweep lists.
type leftover struct{ ID, Name, State, Reason string }

func readLeftovers(t *testing.T, text string) map[string]*leftover {
	t.Helper()
	var found []*leftover
	require.NoError(t, json.Unmarshal([]byte(text), &found))
	listed := map[string]*leftover{}
	for _, one := range found {
		listed[one.ID] = one
	}
	return listed
}
