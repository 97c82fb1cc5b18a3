package host_test

import (
	"context"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/kubebuilder/internal/external"
	"github.com/resource-plugins/krm-functions/kubebuilder/internal/host"
	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// actions are commands that a plugin may run before it answers; NUMBER is a random one.
var actions = []string{
	"",
	"echo direct > direct-NUMBER.txt",
	"echo other > a.txt; rm -f b.txt",
	"mkdir -p dNUMBER/e; echo x > dNUMBER/e/f; ln -s /etc/passwd link-NUMBER",
	"rm -rf ./*",
	"(sleep 0.2; echo late > late.txt) &",
	"setsid sh -c 'sleep 0.2; echo late > late.txt' > /dev/null 2>&1 < /dev/null &",
	"chmod 000 a.txt; git init -q . 2> /dev/null || true",
	"while :; do echo y >> grows.txt; sleep 0.01; done > /dev/null 2>&1 &",
}

// answers are how it answers.
var answers = []string{
	`echo '{"universe": {"made.txt": "made", "a.txt": "changed"}}'`,
	`echo '{"universe": {"sub/made.txt": "made"}, "deleted": ["b.txt"]}'`,
	`echo '{}'`,
	`echo '{"error": true, "errorMsgs": ["no"]}'`,
	`echo '{"universe": {"../out": "x", "made.txt": "made"}}'`,
	`echo '{"universe": {"made.txt": "made"'; exit 1`,
	`sleep 60`,
	`kill -9 $$`,
}

// Whatever plugins do, the project is as before after an error, and has the changes of the run and no others after a success:
// plugins write, remove, fork, hang and are killed, other processes write at the same time, and runs are cancelled.
// TEST_ROUNDS=10 makes 300 runs.
func TestRandomChainsChangeAllOrNothing(t *testing.T) {
	t.Parallel()
	random := checkout.Random(t)
	succeeded, failed := 0, 0
	for round := range checkout.Rounds(30) {
		f := newFixture(t, map[string]string{
			"PROJECT": projectText, "a.txt": "1\n", "b.txt": "1\n", "c/d.txt": "1\n", "image.png": "\x89PNG\x00",
		})
		outside := filepath.Dir(f.project)
		var scripts string
		for _, name := range []string{"one", "two"} {
			script := randomScript(random)
			f.plugin(name, script+"\n")
			scripts += "\n" + script
		}
		want := f.files()
		if random.IntN(3) == 0 {
			want["race.txt"] = "race\n"
			f.t.Cleanup(f.race(time.Duration(random.IntN(50)) * time.Millisecond))
		}
		ctx, cancel := context.WithCancel(t.Context())
		if random.IntN(4) == 0 {
			time.AfterFunc(time.Duration(random.IntN(100))*time.Millisecond, cancel)
		}
		run, err := host.Host{Root: f.root, Limits: external.Limits{Time: 2 * time.Second}}.Run(ctx, host.Call{
			Project: f.project, Command: v1alpha1.CommandEdit, Plugins: []string{"one/v1", "two/v1"},
		})
		if err == nil {
			err = run.Commit()
			run.End()
		}
		cancel()
		if err == nil {
			succeeded++
			for _, change := range run.Changes {
				if want[change.Path] = string(change.After); change.After == nil {
					delete(want, change.Path)
				}
			}
		} else {
			failed++
		}
		time.Sleep(300 * time.Millisecond) // for what plugins have left behind
		got := f.files()
		if _, isRaced := want["race.txt"]; isRaced {
			got["race.txt"] = "race\n" // it may come later
		}
		maps.DeleteFunc(got, func(name, _ string) bool { return filepath.Dir(name) == ".rplug" })
		require.Equal(t, want, got, "round %d: %v%s", round, err, scripts)
		_, statErr := os.Stat(filepath.Join(outside, "out"))
		require.ErrorIs(t, statErr, os.ErrNotExist)
	}
	t.Logf("%d runs succeeded, %d failed", succeeded, failed)
	assert.Positive(t, succeeded)
	assert.Positive(t, failed)
}

// randomScript returns the script of a plugin.
func randomScript(random *rand.Rand) string {
	script := strings.ReplaceAll(actions[random.IntN(len(actions))], "NUMBER", strconv.Itoa(random.IntN(100)))
	answer := answers[random.IntN(3)] // most plugins succeed
	if random.IntN(3) == 0 {
		answer = answers[random.IntN(len(answers))]
	}
	return script + "\n" + answer
}

// race writes a file into the project while plugins run; the function that it returns waits for that.
func (f fixture) race(after time.Duration) func() {
	done := make(chan struct{})
	time.AfterFunc(after, func() {
		defer close(done)
		_ = os.WriteFile(filepath.Join(f.project, "race.txt"), []byte("race\n"), 0o600)
	})
	return func() { <-done }
}
