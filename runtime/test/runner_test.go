package test

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/runner"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

func TestRunnerIsSmall(t *testing.T) {
	t.Parallel()
	info, err := os.Stat(runnerPath)
	require.NoError(t, err)
	assert.LessOrEqual(t, info.Size(), int64(3_000_000))
}

func TestScriptsThatSucceed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ script, want string }{
		"verbatim":       {"#!/bin/sh\nprintf 'a\\n\\n' > @/out/dsn\n", "a\n\n"},
		"empty output":   {"#!/bin/sh\n: > @/out/dsn\n", ""},
		"no interpreter": {"echo \"$0\" | sed s,.*/,, > @/out/dsn\n", "script\n"},
		"arguments":      {"#!/bin/sh\nprintf '%s|' \"$@\" > @/out/dsn\n", "a b|$HOME||"},
		"through env":    {"#!/usr/bin/env sh\nprintf x > @/out/dsn\n", "x"},
		"a link":         {"#!/bin/sh\nprintf x > @/real\nln -s ../real @/out/dsn\n", "x"},
		"a value":        {"#!/bin/sh\nprintf %s \"$PASSWORD\" > @/out/dsn\n", marker},
		"not ours":       {"#!/bin/sh\nprintf '\\377\\0' > @/out/dsn\n", "\xff\x00"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newMain(t, test.script)
			require.Zero(t, p.run("a b", "$HOME", ""), p.log)
			p.requireExit(0)
			values, err := p.volume.Outputs([]contract.Output{{Name: "dsn"}})
			require.NoError(t, err)
			assert.Equal(t, test.want, string(values["dsn"]))
			assert.Empty(t, p.log.String())
			assert.True(t, p.volume.HasMarker(contract.StartedFile))
		})
	}
}

func TestScriptsThatFail(t *testing.T) {
	t.Parallel()
	tooLarge := strconv.Itoa(contract.MaxOutputBytes + 1)
	for name, test := range map[string]struct {
		script string
		code   int
		want   string
	}{
		"exit 1":       {"#!/bin/sh\necho $PASSWORD > @/out/dsn\nexit 1\n", 1, "the script exited with 1"},
		"exit 255":     {"#!/bin/sh\nexit 255\n", 255, "the script exited with 255"},
		"SIGKILL":      {"#!/bin/sh\nkill -9 $$\n", 137, "the script was killed by SIGKILL"},
		"SIGSEGV":      {"#!/bin/sh\nkill -11 $$\n", 139, "the script was killed by SIGSEGV"},
		"real time":    {"#!/bin/sh\nkill -40 $$\n", 168, "the script was killed by signal 40"},
		"interpreter":  {"#!/opt/none/bash -e\n", 127, `the script's interpreter "/opt/none/bash" is not in the image`},
		"env":          {"#!/usr/bin/env none-such\n", 127, `its interpreter "none-such" is not in the image`},
		"env -S":       {"#!/usr/bin/env -S none-such -x\n", 127, `its interpreter "none-such" is not in the image`},
		"not found":    {"#!/bin/sh\nnone-such-command\n", 127, "the script exited with 127"},
		"CRLF":         {"#!/bin/sh\r\necho x\r\n", 127, `the interpreter "/bin/sh\r" ends in a carriage return`},
		"CRLF option":  {"#!/none/sh -e\r\necho x\r\n", 127, `"/none/sh"`},
		"not allowed":  {"#!@/plain\n", 126, `/plain" must be executable by the user of main`},
		"no output":    {"#!/bin/sh\n", 1, `output "dsn" from "@/out/dsn": the script must write this file`},
		"a folder":     {"#!/bin/sh\nmkdir @/out/dsn\n", 1, "it must be a regular file, not a folder"},
		"a pipe":       {"#!/bin/sh\nmkfifo @/out/dsn\n", 1, "it must be a regular file, not a pipe"},
		"a device":     {"#!/bin/sh\nln -s /dev/zero @/out/dsn\n", 1, "it must be a regular file, not a device"},
		"a stray link": {"#!/bin/sh\nln -s none @/out/dsn\n", 1, "the script must write this file"},
		"a loop":       {"#!/bin/sh\nln -s dsn @/out/dsn\n", 1, "too many levels of symbolic links"},
		"too large":    {"#!/bin/sh\nhead -c " + tooLarge + " /dev/zero > @/out/dsn\n", 1, "more than 1048576 bytes"},
		"endless":      {"#!/bin/sh\ntruncate -s 1T @/out/dsn\n", 1, "more than 1048576 bytes"},
		"volume":       {"#!/bin/sh\necho x > @/out/dsn\nrm -r @io/outputs\n", 1, "resourceplugins"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newMain(t, "")
			p.write(test.script)
			require.NoError(t, os.WriteFile(filepath.Join(p.tmp, "plain"), nil, 0o600))
			assert.Equal(t, test.code, p.run(), p.log)
			p.requireExit(test.code)
			assert.Contains(t, p.log.String(), p.in(test.want))
			assert.Contains(t, p.log.String(), `step "provision"`)
			assert.NotContains(t, p.log.String(), marker)
			p.requireFree()
		})
	}
}

// A script that times out gets SIGTERM, then SIGKILL, and its step fails, whatever its exit code.
func TestScriptsThatTimeOut(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"asked":    "#!/bin/sh\necho x > @/out/dsn\nexec sleep 1000\n",
		"tidies":   "#!/bin/sh\ntrap 'echo x > @/out/dsn; exit 0' TERM\nwhile :; do sleep 0.1; done\n",
		"unmoved":  "#!/bin/sh\ntrap '' TERM\necho x > @/out/dsn\nwhile :; do sleep 0.1; done\n",
		"children": "#!/bin/sh\necho x > @/out/dsn\nsleep 20 < /dev/null > /dev/null 2>&1\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newMain(t, script)
			p.plan(contract.Plan{
				Step: "provision", Generation: "g1", TimeoutSeconds: 1, Outputs: []contract.Output{{Name: "dsn", Path: p.in("@/out/dsn")}},
			})
			assert.Equal(t, 124, p.run(), p.log)
			p.requireExit(124)
			assert.Contains(t, p.log.String(), `step "provision": the script timed out after 1s`)
			p.requireFree()
		})
	}
}

// A script that ends before its limit succeeds.
func TestScriptWithinItsLimit(t *testing.T) {
	t.Parallel()
	p := newMain(t, "#!/bin/sh\nprintf x > @/out/dsn\n")
	p.plan(contract.Plan{
		Step: "provision", TimeoutSeconds: 3600, Outputs: []contract.Output{{Name: "dsn", Path: p.in("@/out/dsn")}},
	})
	require.Zero(t, p.run(), p.log)
	p.requireExit(0)
}

func TestMissingScript(t *testing.T) {
	t.Parallel()
	p := newMain(t, "")
	require.NoError(t, os.Remove(p.script))
	assert.Equal(t, 127, p.run())
	assert.Contains(t, p.log.String(), "must be a file that the user of main can read")
}

func TestNotExecutableScript(t *testing.T) {
	t.Parallel()
	p := newMain(t, "echo x\n")
	require.NoError(t, os.Chmod(p.script, 0o600))
	assert.Equal(t, 126, p.run())
	assert.Contains(t, p.log.String(), "cannot be executed: permission denied")
}

func TestAllMissingOutputsAreNamed(t *testing.T) {
	t.Parallel()
	p := newMain(t, "#!/bin/sh\necho x > @/b\n")
	p.prepare(contract.Output{Name: "a", Path: p.tmp + "/a"}, contract.Output{Name: "b", Path: p.tmp + "/b"},
		contract.Output{Name: "c", Path: p.tmp + "/c"})
	assert.Equal(t, 1, p.run())
	assert.Contains(t, p.log.String(), `output "a" from`)
	assert.Contains(t, p.log.String(), `output "c" from`)
	assert.NotContains(t, p.log.String(), `output "b" from`)
}

func TestTheLargestOutput(t *testing.T) {
	t.Parallel()
	p := newMain(t, "#!/bin/sh\nhead -c 1048576 /dev/zero > @/out/dsn\n")
	require.Zero(t, p.run(), p.log)
	values, err := p.volume.Outputs([]contract.Output{{Name: "dsn"}})
	require.NoError(t, err)
	assert.True(t, bytes.Equal(values["dsn"], make([]byte, contract.MaxOutputBytes)))
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		mark string
		code int
		want string
	}{
		"abandoned": {contract.AbandonedFile, 1, "main started after the start timeout"},
		"twice":     {contract.StartedFile, 1, "must not run twice"},
		"published": {contract.PublishedFile, 0, "the script is not run again"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newMain(t, "#!/bin/sh\necho ran > @/ran\n")
			require.NoError(t, p.volume.SetMarker(test.mark))
			assert.Equal(t, test.code, p.run())
			assert.Contains(t, p.log.String(), test.want)
			assert.NoFileExists(t, filepath.Join(p.tmp, "ran"))
			p.requireFree()
		})
	}
}

func TestAbandonedWhileItWaitsForTheLock(t *testing.T) {
	t.Parallel()
	p := newMain(t, "#!/bin/sh\necho ran > @/ran\n")
	lock, err := p.volume.Lock()
	require.NoError(t, err)
	main := p.start()
	time.Sleep(50 * time.Millisecond)
	require.NoError(t, p.volume.SetMarker(contract.AbandonedFile))
	lock.Unlock()
	err = main.Wait()
	assert.Equal(t, 1, main.ProcessState.ExitCode(), "%v: %s", err, p.log)
	assert.NoFileExists(t, filepath.Join(p.tmp, "ran"))
}

func TestWithoutInputManager(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		remove, want string
		arguments    []string
	}{
		"lock":      {"lock", "cannot open the lock file: the input manager must run first", []string{"/bin/true"}},
		"plan":      {"plan", "cannot read the plan: the input manager must run first", []string{"/bin/true"}},
		"arguments": {"outputs", "usage: runner SCRIPT", nil},
	} {
		p := newMain(t, "")
		require.NoError(t, os.Remove(filepath.Join(p.at, test.remove)))
		var log bytes.Buffer
		code := runner.Runner{Folder: p.at, Reporter: runner.Reporter{Stderr: &log}, Command: test.arguments}.Run()
		assert.Equal(t, 1, code, name)
		assert.Contains(t, log.String(), test.want, name)
	}
	var log bytes.Buffer
	code := runner.Runner{Folder: "/none", Reporter: runner.Reporter{Stderr: &log}, Command: []string{"/bin/true"}}.Run()
	assert.Equal(t, 1, code)
	assert.Contains(t, log.String(), "must be mounted")
}

func TestSignalsAreForwarded(t *testing.T) {
	t.Parallel()
	for _, number := range []syscall.Signal{
		syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGQUIT,
	} {
		script := "#!/bin/sh\ntrap 'echo got > @/out/dsn; exit 0' " + strconv.Itoa(int(number)) +
			"\necho ready > @/ready\nwhile :; do sleep 0.1; done\n"
		p := newMain(t, script)
		main := p.start()
		p.ran("ready")
		require.NoError(t, main.Process.Signal(number))
		_ = main.Wait()
		assert.Zero(t, main.ProcessState.ExitCode(), number)
		p.requireExit(0)
	}
}

func TestSignalThatTheScriptDoesNotCatch(t *testing.T) {
	t.Parallel()
	p := newMain(t, "#!/bin/sh\necho ready > @/ready\nexec sleep 60\n")
	main := p.start()
	p.ran("ready")
	require.NoError(t, main.Process.Signal(syscall.SIGTERM))
	_ = main.Wait()
	assert.Equal(t, 143, main.ProcessState.ExitCode())
	assert.Contains(t, p.log.String(), "the script was killed by SIGTERM")
}

// When the runner is killed, the lock is released at once, there is no exit code, and the script is killed, too.
func TestKilledRunner(t *testing.T) {
	t.Parallel()
	random := checkout.Random(t)
	for range checkout.Rounds(5) {
		p := newMain(t, "#!/bin/sh\necho $$ > @/pid\nexec sleep 60\n")
		main := p.start()
		script, err := strconv.Atoi(p.ran("pid"))
		require.NoError(t, err)
		_, err = p.volume.TryLock()
		require.Error(t, err, "the runner holds the lock")
		time.Sleep(time.Duration(random.IntN(3)) * time.Millisecond)
		require.NoError(t, main.Process.Kill())
		lock, err := p.volume.Lock()
		require.NoError(t, err)
		lock.Unlock()
		_, err = p.volume.Exit()
		require.ErrorContains(t, err, "killed before it wrote an exit code")
		_ = main.Wait()
		require.Eventually(t, func() bool { return !alive(script) }, enough, time.Millisecond)
	}
}

// A runner that is killed at any time writes an exit code only after all outputs.
func TestKilledAtAnyTime(t *testing.T) {
	t.Parallel()
	random := checkout.Random(t)
	ended, rounds := 0, checkout.Rounds(20)
	for range rounds {
		p := newMain(t, "#!/bin/sh\nprintf 12345 > @/out/dsn\n")
		main := p.start()
		time.Sleep(time.Duration(random.IntN(8000)) * time.Microsecond)
		_ = main.Process.Kill()
		_ = main.Wait()
		if code, err := p.volume.Exit(); err == nil {
			ended++
			require.Zero(t, code)
			values, err := p.volume.Outputs([]contract.Output{{Name: "dsn"}})
			require.NoError(t, err)
			require.Equal(t, "12345", string(values["dsn"]))
		}
	}
	t.Logf("%d of %d had ended", ended, rounds)
}

// Orphans are reaped while the script runs, and do not delay its end.
func TestOrphans(t *testing.T) {
	t.Parallel()
	p := newMain(t, `#!/bin/sh
for i in 1 2 3 4 5 6 7 8 9 10; do (sleep 0.01 & echo $! >> @/orphans) ; done
sleep 60 > /dev/null 2>&1 & echo $! > @/long
sleep 0.3
for pid in $(cat @/orphans); do [ -e /proc/$pid ] && echo "$pid" >> @/left; done
echo x > @/out/dsn
`)
	began := time.Now()
	require.Zero(t, p.run(), p.log)
	assert.Less(t, time.Since(began), 30*time.Second)
	assert.NoFileExists(t, filepath.Join(p.tmp, "left"))
	long, err := strconv.Atoi(p.ran("long"))
	require.NoError(t, err)
	killChild(long, "sleep")
}

func TestClosedStderrDoesNotKillTheRunner(t *testing.T) {
	t.Parallel()
	p := newMain(t, "#!/bin/sh\nsleep 0.2\nexit 3\n")
	read, write, err := os.Pipe()
	require.NoError(t, err)
	main := p.command()
	main.Stdout, main.Stderr = write, write
	require.NoError(t, main.Start())
	require.NoError(t, write.Close())
	require.NoError(t, read.Close())
	_ = main.Wait()
	assert.Equal(t, 3, main.ProcessState.ExitCode())
	p.requireExit(3)
}

// The runner waits for all children of its process, here the one of the tests. So no other test may run.
func TestOutOfMemory(t *testing.T) { //nolint:paralleltest // see above
	for version, name := range map[string]string{"v1": "memory/memory.oom_control", "v2": "memory.events"} {
		p := newMain(t, "")
		counter := filepath.Join(p.tmp, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(counter), 0o700))
		require.NoError(t, os.WriteFile(counter, []byte("oom_kill_disable 0\nunder_oom 0\noom_kill 1\n"), 0o600))
		script := "#!/bin/sh\necho 'oom_kill 2' > " + counter + "\nkill -9 $$\n"
		p.write(script)
		var log bytes.Buffer
		code := runner.Runner{
			Folder: p.at, Cgroup: p.tmp, Reporter: runner.Reporter{Stderr: &log}, Command: []string{p.script},
		}.Run()
		assert.Equal(t, 137, code, version)
		assert.Contains(t, log.String(), "killed by SIGKILL: out of memory; raise the memory limit of main", version)
	}
}
