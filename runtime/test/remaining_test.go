package test

import (
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// Child processes of a script write its output. It is published when they have ended.
func TestChildrenThatEnd(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"open":      "(for i in 1 2 3 4 5; do printf $i; sleep 0.1; done) > @/out/dsn &\n",
		"to open":   "(sleep 0.3; printf 12345 > @/out/dsn) &\n",
		"orphan":    "((sleep 0.3; printf 12345 > @/out/dsn) &) &\n",
		"other":     "(exec > @/out/dsn; setsid sh -c 'sleep 0.3; printf 12345') > /dev/null 2>&1 &\n",
		"in a pipe": "mkfifo @/pipe; (sleep 0.3; cat @/pipe > @/out/dsn) & (printf 12345 > @/pipe) &\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newMain(t, "#!/bin/sh\n"+script)
			require.Zero(t, p.run(), p.log)
			p.requireExit(0)
			values, err := p.volume.Outputs([]contract.Output{{Name: "dsn"}})
			require.NoError(t, err)
			assert.Equal(t, "12345", string(values["dsn"]))
			assert.Empty(t, p.log.String())
		})
	}
}

// Some child processes do not end: the step fails if they write an output, or if an output does not exist; otherwise they
// are logged.
func TestChildrenThatDoNotEnd(t *testing.T) {
	t.Parallel()
	const background = " < /dev/null 2> /dev/null & echo $! > @/child\n"
	for name, test := range map[string]struct {
		script string
		code   int
		want   []string
	}{
		"daemon": {
			"printf hunter2 > @/out/dsn\nsleep 60 > /dev/null" + background, 0,
			[]string{`step "provision": processes that the script started still run and end with main: "sleep" (process `},
		},
		"appends": {
			"printf hunter2 > @/out/dsn\nsleep 60 >> @/out/dsn" + background, 1,
			[]string{`output "dsn" from "@/out/dsn": a process still has the file open for writing`, `still run and end with main: "sleep"`},
		},
		"through a link": {
			"ln -s ../real @/out/dsn\nprintf hunter2 > @/real\nsleep 60 >> @/real" + background, 1,
			[]string{"a process still has the file open for writing: the script must wait"},
		},
		"missing": {
			"sleep 60 > /dev/null" + background, 1,
			[]string{"the script must write this file, but it does not exist", `still run and end with main: "sleep"`},
		},
		"reads": {"printf hunter2 > @/out/dsn\nexec < @/out/dsn\nsleep 60 > /dev/null 2>&1 & echo $! > @/child\n", 0, []string{`"sleep"`}},
		"many": {
			"printf hunter2 > @/out/dsn\nfor i in 1 2 3 4 5 6 7; do timeout 20 sleep 19 > /dev/null 2>&1 & done\necho $! > @/child\n", 0,
			[]string{"and 9 more: the script must wait for those that write outputs"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newMain(t, "#!/bin/sh\n"+test.script)
			began := time.Now()
			code := p.run()
			child, err := strconv.Atoi(p.ran("child"))
			require.NoError(t, err)
			killChild(child, "sleep", "timeout")
			assert.Less(t, time.Since(began), 50*time.Second)
			assert.Equal(t, test.code, code, p.log)
			p.requireExit(code)
			for _, want := range test.want {
				assert.Contains(t, p.log.String(), p.in(want))
			}
			assert.NotContains(t, p.log.String(), "hunter2", "a message must not contain a value")
		})
	}
}

// The runner ignores SIGTERM while it waits for processes, since only it has the outputs.
func TestTerminationWhileChildrenRun(t *testing.T) {
	t.Parallel()
	p := newMain(t, "#!/bin/sh\nprintf 12345 > @/out/dsn\n"+
		"(while kill -0 $$; do sleep 0.01; done; echo x > @/ready; sleep 1) > /dev/null 2>&1 &\n")
	main := p.start()
	p.ran("ready")
	require.NoError(t, main.Process.Signal(syscall.SIGTERM))
	_ = main.Wait()
	assert.Zero(t, main.ProcessState.ExitCode(), p.log)
	p.requireExit(0)
}

// The runner also ignores SIGTERM after the end of the script, at any time.
func TestTerminationWhileOutputsAreCopied(t *testing.T) {
	t.Parallel()
	for range checkout.Rounds(5) {
		p := newMain(t, "#!/bin/sh\ntrap '' TERM\necho x > @/ready\nhead -c 900000 /dev/zero > @/out/dsn\n")
		main := p.start()
		p.ran("ready")
		ended := make(chan struct{})
		go func() {
			_ = main.Wait()
			close(ended)
		}()
		for running := true; running; {
			select {
			case <-ended:
				running = false
			case <-time.After(50 * time.Microsecond):
				_ = main.Process.Signal(syscall.SIGTERM)
			}
		}
		require.Zero(t, main.ProcessState.ExitCode(), p.log)
		p.requireExit(0)
	}
}
