package review

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/build"
	"github.com/resource-plugins/krm-functions/internal/incremental"
	"github.com/resource-plugins/krm-functions/test/framework/changes"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// options are flags of rplug diff.
var options = [][]string{
	nil, {"--phases", "create,delete"}, {"--cluster", "staging"}, {"--cluster", "other"}, {"--set", "team=db"},
	{"--helper-image", "example.com/helper:1"}, {"--delivery", "helm"}, {"--workload", "Pod"}, {"--output", "json"},
	{"--output", "markdown"}, {"--show-values"}, {"--exit-code"}, {"--graph", "dot"}, {"--exclude", "split*"}, {"--no-forks"},
}

// older are older states.
var older = [][]string{nil, {"HEAD~1"}, {"HEAD~1..HEAD"}, {"--base", "older"}}

// diff runs rplug diff on the documents of a folder, and returns its output. Few sandboxes are rendered in parts, too.
func diff(args ...string) (printed string, caches []*incremental.Cache) {
	var mutex sync.Mutex
	f := newDiffFlags(nil)
	f.inParts = func(chain build.Chain, cache *incremental.Cache) *build.Parts {
		parts := chain.InParts(cache)
		if parts != nil {
			parts.EvenIfFew()
		}
		mutex.Lock()
		defer mutex.Unlock()
		if cache != nil {
			caches = append(caches, cache)
		}
		return parts
	}
	command := f.command()
	var out bytes.Buffer
	command.SetOut(&out)
	command.SetErr(&out)
	command.SetArgs(args)
	command.SilenceUsage = true
	err := command.ExecuteContext(context.Background())
	return fmt.Sprintf("%s%v\n", out.String(), err), caches
}

// repository is one whose documents are compared with an older state.
type repository struct {
	*changes.Repository

	t *testing.T
}

// step changes the documents, and compares them with an older state. It returns how many sandboxes were left out.
func (r *repository) step() (reused int) {
	r.Change()
	switch r.Random.IntN(4) {
	case 0:
		r.Commit(r.t)
	case 1:
		require.NoError(r.t, os.RemoveAll("older"))
		require.NoError(r.t, os.CopyFS("older", os.DirFS(r.Path)))
		r.Log = append(r.Log, "copy")
	}
	r.Write(r.t)
	if r.Random.IntN(3) == 0 {
		time.Sleep(120 * time.Millisecond) // so that times show that files did not change
	}
	state, paths := older[r.Random.IntN(len(older))], []string{"--", "in"}
	if len(state) > 1 {
		paths = paths[1:] // with --base, all arguments are paths
	}
	args := slices.Concat(options[max(0, r.Random.IntN(2*len(options))-len(options))], state, paths)
	r.Log = append(r.Log, strings.Join(args, " "))
	want, _ := diff(append([]string{"--no-cache"}, args...)...)
	for range 2 { // the second call reuses the documents that the first one read
		got, caches := diff(args...)
		require.Equal(r.t, want, got, strings.Join(r.Log, "\n"))
		if len(caches) > 0 {
			reused += len(caches[len(caches)-1].Reused())
		}
	}
	return reused
}

// After any changes, diff prints the same with a cache as without.
func TestDiffIsThatWithoutCache(t *testing.T) {
	random := checkout.Random(t)
	reused, steps := 0, 0
	for i := range checkout.Rounds(20) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			r := &repository{changes.NewRepository(t, rand.New(rand.NewPCG(random.Uint64(), 0))), t}
			require.NoError(t, os.Mkdir("older", 0o755))
			for range 6 {
				steps++
				if r.step() > 0 {
					reused++
				}
			}
		})
	}
	t.Logf("%d of %d comparisons left out sandboxes", reused, steps)
	assert.Greater(t, reused, steps/8)
}

// A side without any object is rendered at once: there is nothing about it in the index.
func TestDiffOfSidesWithoutObjects(t *testing.T) {
	for name, isOlder := range map[string]bool{"the older one": true, "the newer one": false} {
		t.Run(name, func(t *testing.T) {
			r := changes.NewRepository(t, rand.New(rand.NewPCG(1, 1)))
			r.Plugins = map[string]string{"1.0.0": "nothing", "2.0.0": "two"} // the first one has no create phase
			write := func(plugin string) {
				for _, all := range r.Files {
					for _, s := range all {
						s.Plugin = plugin
					}
				}
				r.Write(t)
			}
			older, newer := "db@2.0.0", "db@1.0.0"
			if isOlder {
				older, newer = newer, older
			}
			write(older)
			r.Commit(t)
			write(newer)
			want, _ := diff("--no-cache", "--", "in")
			for range 2 {
				got, _ := diff("--", "in")
				assert.Equal(t, want, got)
			}
		})
	}
}
