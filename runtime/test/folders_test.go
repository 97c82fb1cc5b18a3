package test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// A script may continue after commands that fail because a volume is full, but then its output is not published.
func TestFullVolume(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		script, options string
		code            int
		want            string
	}{
		"short value":     {"head -c 100000 /dev/zero > @/out/dsn", "size=16k", 1, `output "dsn" from "@/out/dsn": its volume is full`},
		"empty value":     {"head -c 100000 /dev/zero > @/out/a; echo x > @/out/dsn", "size=16k", 1, "its volume is full"},
		"no inodes":       {"for i in 1 2 3 4 5; do touch @/out/$i; done; touch @/out/dsn", "nr_inodes=4", 1, "its volume is full"},
		"room":            {"printf x > @/out/dsn", "size=16k", 0, ""},
		"freed":           {"head -c 100000 /dev/zero > @/out/a; rm @/out/a; printf x > @/out/dsn", "size=16k", 0, ""},
		"without a limit": {"printf x > @/out/dsn", "size=0,nr_inodes=0", 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newMain(t, "#!/bin/sh\n"+test.script+"\nexit 0\n")
			folder := filepath.Join(p.tmp, "out")
			require.NoError(t, os.Mkdir(folder, 0o755))
			if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, test.options); err != nil {
				checkout.LeaveOut(t, "this machine does not allow to mount a small file system: %v", err)
			}
			t.Cleanup(func() { assert.NoError(t, syscall.Unmount(folder, 0)) })
			assert.Equal(t, test.code, p.run(), p.log)
			p.requireExit(test.code)
			assert.Contains(t, p.log.String(), p.in(test.want))
		})
	}
}

// If main is not root and cannot write its outputs, the message explains the reason and the solution.
func TestFoldersThatAreNotWritable(t *testing.T) {
	t.Parallel()
	const advice = ": run main as another user, mount an emptyDir there in podTemplateOverlay, or set valueFromPath to a file in a " +
		"writable folder such as /tmp"
	for name, test := range map[string]struct {
		script string
		mode   os.FileMode // of the folder that the script writes to; 0: it does not exist
		code   int
		want   string
	}{
		"mkdir fails": {
			"set -e\nmkdir -p @/out\n", 0, 1,
			`the script exited with 1; user 65534 of main cannot create the folder "@/out"` + advice,
		},
		"missing folder": {
			"echo x > @/out/dsn\nexit 0\n", 0, 1,
			`does not exist; user 65534 of main cannot create the folder "@/out"` + advice,
		},
		"folder of root": {
			"echo x > @/out/dsn\nexit 0\n", 0o755, 1,
			`does not exist; user 65534 of main cannot write to the folder "@/out"` + advice,
		},
		"writable folder": {"printf x > @/out/dsn\n", 0o777, 0, ""},
		"not written":     {"exit 0\n", 0o777, 1, `the script must write this file, but it does not exist` + "\n"},
		"other failure":   {"exit 3\n", 0o777, 3, "the script exited with 3\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if os.Getuid() != 0 {
				checkout.LeaveOut(t, "only root can run main as another user")
			}
			p := newMain(t, "#!/bin/sh\n"+test.script)
			for _, folder := range []string{filepath.Dir(p.at), filepath.Dir(p.tmp), p.tmp} {
				require.NoError(t, os.Chmod(folder, 0o755))
			}
			require.NoError(t, os.Chmod(p.at, 0o777)) // as an emptyDir
			require.NoError(t, os.Chmod(p.script, 0o755))
			if test.mode != 0 {
				require.NoError(t, os.Mkdir(filepath.Join(p.tmp, "out"), 0o755))
				require.NoError(t, os.Chmod(filepath.Join(p.tmp, "out"), test.mode))
			}
			main := p.command()
			main.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
			require.NoError(t, main.Start())
			_ = main.Wait()
			assert.Equal(t, test.code, main.ProcessState.ExitCode(), p.log)
			assert.Contains(t, p.log.String(), p.in(test.want))
		})
	}
}
