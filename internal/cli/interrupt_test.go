package cli_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/atomicfile"
	"github.com/resource-plugins/krm-functions/internal/cli"
)

// program is the environment variable that tells a restarted test binary how to run: "within" waits for stdin to end
// inside of atomicfile.Uninterrupted, "idle" outside of it.
const program = "INTERRUPT_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(program) == "" {
		os.Exit(m.Run())
	}
	if os.Getenv(program) == "ignoring" {
		signal.Ignore(os.Interrupt)
	}
	ctx := cli.HandleSignals(func() { fmt.Println("farewell") })
	wait := func() error {
		fmt.Println("ready")
		_, err := io.ReadAll(os.Stdin)
		fmt.Println("whole")
		return err
	}
	if os.Getenv(program) == "within" {
		_ = atomicfile.Uninterrupted(ctx, wait)
		select {} // the signal that was held back ends it
	}
	_ = wait()
}

// started is the program, and its streams.
type started struct {
	*exec.Cmd
	stdin  io.WriteCloser
	stdout io.Reader
}

func start(t *testing.T, mode string) started {
	t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), program+"="+mode)
	stdin, err := command.StdinPipe()
	require.NoError(t, err)
	stdout, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	t.Cleanup(func() { _ = command.Process.Kill() })
	_, err = io.ReadFull(stdout, make([]byte, len("ready\n")))
	require.NoError(t, err)
	return started{command, stdin, stdout}
}

func (s started) rest(t *testing.T) string {
	t.Helper()
	var out bytes.Buffer
	_, err := out.ReadFrom(s.stdout)
	require.NoError(t, err)
	_ = s.Wait()
	return out.String()
}

func TestEndsAtOnce(t *testing.T) {
	t.Parallel()
	for _, one := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		s := start(t, "idle")
		require.NoError(t, s.Process.Signal(one))
		assert.Equal(t, "farewell\n", s.rest(t))
		assert.Equal(t, 128+int(one), s.ProcessState.ExitCode())
	}
}

func TestWaitsForWhatMustBeWhole(t *testing.T) {
	t.Parallel()
	s := start(t, "within")
	require.NoError(t, s.Process.Signal(os.Interrupt))
	require.NoError(t, s.stdin.Close())
	out := s.rest(t)
	assert.True(t, strings.HasPrefix(out, "whole\n"), out)
	assert.Equal(t, 130, s.ProcessState.ExitCode())
}

func TestASecondSignalDoesNotWait(t *testing.T) {
	t.Parallel()
	s := start(t, "within")
	for s.Process.Signal(os.Interrupt) == nil && !ended(s) {
		time.Sleep(10 * time.Millisecond) // the first one is honoured at some time, and one of those after it ends the process
	}
	assert.NotContains(t, s.rest(t), "whole")
}

// ended reports whether the process is gone or waits to be reaped.
func ended(s started) bool {
	state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.Process.Pid))
	return err != nil || bytes.Contains(state, []byte(") Z"))
}

// A program that runs in the background of a shell, or under nohup, is not ended by a Ctrl-C for others.
func TestWhatIsIgnoredStaysIgnored(t *testing.T) {
	t.Parallel()
	s := start(t, "ignoring")
	require.NoError(t, s.Process.Signal(os.Interrupt))
	require.NoError(t, s.stdin.Close())
	assert.Equal(t, "whole\n", s.rest(t))
	assert.Equal(t, 0, s.ProcessState.ExitCode())
}
