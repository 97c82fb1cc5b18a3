package host_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
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
	ends := map[string]int{}
	for round := range checkout.Rounds(30) {
		f := newFixture(t, map[string]string{
			"PROJECT": projectText, "a.txt": "1\n", "b.txt": "1\n", "c/d.txt": "1\n", "image.png": "\x89PNG\x00", "run.sh": "#!/bin/sh\n",
		})
		require.NoError(t, os.Chmod(filepath.Join(f.project, "run.sh"), 0o750))
		require.NoError(t, os.Symlink("a.txt", filepath.Join(f.project, "link")))
		require.NoError(t, os.Mkdir(filepath.Join(f.project, "empty"), 0o700))
		var scripts string
		for _, name := range []string{"one", "two"} {
			script := randomScript(random)
			f.plugin(name, script+"\n")
			scripts += "\n" + script
		}
		want, wait := f.digests(), func() {}
		if random.IntN(3) == 0 {
			wait = f.race(time.Duration(random.IntN(50)) * time.Millisecond)
			want["race.txt"] = digest(0o600, "race\n")
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
		if ends[endOf(err)]++; err == nil {
			promise(want, run)
		}
		wait()
		time.Sleep(300 * time.Millisecond) // for leftover processes of plugins
		require.Equal(t, want, f.digests(), "round %d: %v%s", round, err, scripts)
		require.NoFileExists(t, filepath.Join(filepath.Dir(f.project), "out"))
	}
	t.Logf("%v", ends)
	assert.Positive(t, ends["done"])
	assert.Greater(t, len(ends), 2)
}

// endOf returns how a run has ended.
func endOf(err error) string {
	var failed *external.FailedError
	switch {
	case err == nil:
		return "done"
	case errors.Is(err, context.Canceled):
		return "cancelled"
	case errors.Is(err, external.ErrTime):
		return "out of time"
	case errors.As(err, &failed):
		return "failed"
	}
	return "refused or killed"
}

// promise applies the changes of a run to digests.
func promise(want map[string]string, run *host.Run) {
	for _, change := range run.Changes {
		if change.After == nil {
			delete(want, change.Path)
			continue
		}
		mode := fs.FileMode(0o644)
		if change.Before != nil {
			mode = 0o640
		}
		want[change.Path] = digest(mode, string(change.After))
		for folder := path.Dir(change.Path); folder != "." && want[folder] == ""; folder = path.Dir(folder) {
			want[folder] = digest(fs.ModeDir|0o755, "")
		}
	}
}

// digests returns the digests of all files, links and folders of the project, but for the folder of the host's state.
func (f fixture) digests() map[string]string {
	f.t.Helper()
	found := map[string]string{}
	require.NoError(f.t, filepath.WalkDir(f.project, func(name string, entry fs.DirEntry, err error) error {
		relative, _ := filepath.Rel(f.project, name)
		if err != nil || relative == "." {
			return err
		}
		if relative == ".rplug" {
			return fs.SkipDir
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		var content []byte
		switch {
		case info.Mode().IsRegular():
			content, err = os.ReadFile(name)
		case info.Mode()&fs.ModeSymlink != 0:
			var target string
			target, err = os.Readlink(name)
			content = []byte(target)
		}
		found[filepath.ToSlash(relative)] = digest(info.Mode(), string(content))
		return err
	}))
	return found
}

func digest(mode fs.FileMode, content string) string {
	return fmt.Sprintf("%v %x", mode, sha256.Sum256([]byte(content)))
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
