package test

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/stacks/unpacking"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// files writes files, and creates their folders.
func files(t *testing.T, folder string, names ...string) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte("content of "+name+"\n"), 0o600))
	}
}

// tree returns the entries of a folder: the contents of files, and the types of other entries.
func tree(t *testing.T, folder string) map[string]string {
	t.Helper()
	found := map[string]string{}
	require.NoError(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		name, _ := filepath.Rel(folder, path)
		switch {
		case err != nil:
			return err
		case entry.Type().IsRegular():
			content, err := os.ReadFile(path)
			found[name] = string(content)
			return err
		case name != ".":
			found[name] = entry.Type().String()
		}
		return nil
	}))
	return found
}

func TestCopyCopiesFilesAndFolders(t *testing.T) {
	t.Parallel()
	source, target := registry(t), filepath.Join(t.TempDir(), ".registry")
	files(t, source, "app.yaml", "resources/a/b/crd.yaml", "resources/-", "ünïcode\nname.yaml", "..twodots")
	require.NoError(t, os.Symlink("a/b/crd.yaml", filepath.Join(source, "resources", "link.yaml")))
	want := tree(t, source)
	want["resources/link.yaml"] = want["resources/a/b/crd.yaml"] // a link within the folder becomes a file
	require.NoError(t, os.Chmod(filepath.Join(source, "app.yaml"), 0o4755))
	for range 2 { // the kubelet may run init containers again
		p := newUnpacker(t, nil, unpacking.Installation{})
		require.Zero(t, p.run(unpacking.Copy, source, target), p.log)
		assert.Equal(t, want, tree(t, target))
	}
	info, err := os.Stat(filepath.Join(target, "app.yaml"))
	require.NoError(t, err)
	assert.Equal(t, fs.FileMode(0o644), info.Mode(), "no set-user-id bit, no program")
}

func TestCopyReplacesWhatAnEarlierRunLeft(t *testing.T) {
	t.Parallel()
	source, target, outside := registry(t), t.TempDir(), t.TempDir()
	files(t, source, "app.yaml", "group/crd.yaml")
	files(t, outside, "victim", "crd.yaml")
	require.NoError(t, os.Symlink(filepath.Join(outside, "victim"), filepath.Join(target, "app.yaml")))
	p := newUnpacker(t, nil, unpacking.Installation{})
	require.Zero(t, p.run(unpacking.Copy, source, target), p.log)
	assert.Equal(t, tree(t, source), tree(t, target))

	// A link instead of a folder is an error, since it leads out of the target.
	require.NoError(t, os.RemoveAll(filepath.Join(target, "group")))
	require.NoError(t, os.Symlink(outside, filepath.Join(target, "group")))
	require.Equal(t, 1, p.run(unpacking.Copy, source, target))
	assert.Contains(t, p.message(), "group")
	assert.Equal(t, map[string]string{"victim": "content of victim\n", "crd.yaml": "content of crd.yaml\n"}, tree(t, outside))
}

// For any hostile package image, nothing is written outside the target, nothing is read outside the folder, and the message
// names the file.
func TestCopyRefusesHostilePackages(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		plant func(folder, outside string) error
		want  string
	}{
		"link to a file outside": {
			func(folder, outside string) error { return os.Symlink(outside+"/secret", folder+"/app.yaml") },
			`"app.yaml": must link to a file of the folder`,
		},
		"relative link out": {
			func(folder, _ string) error { return os.Symlink("../../../../../../etc/passwd", folder+"/x.yaml") },
			`"x.yaml": must link to a file of the folder`,
		},
		"link to a folder outside": {
			func(folder, outside string) error { return os.Symlink(outside, folder+"/resources") },
			`"resources": must link to a file of the folder`,
		},
		"link to itself": {
			func(folder, _ string) error { return os.Symlink("loop", folder+"/loop") },
			`"loop": must link to a file of the folder`,
		},
		"link to a process": {
			func(folder, _ string) error { return os.Symlink("/proc/self/environ", folder+"/app.yaml") },
			`"app.yaml": must link to a file of the folder`,
		},
		"named pipe": {
			func(folder, _ string) error { return syscall.Mkfifo(folder+"/pipe.yaml", 0o600) },
			`"pipe.yaml": must be a `,
		},
		"link to a named pipe": {
			func(folder, _ string) error {
				return errors.Join(syscall.Mkfifo(folder+"/z", 0o600), os.Symlink("z", folder+"/a.yaml"))
			},
			`"a.yaml": must link to a file of the folder`,
		},
		"socket": {
			func(folder, _ string) error {
				listener, err := net.Listen("unix", folder+"/s")
				if err == nil {
					listener.(*net.UnixListener).SetUnlinkOnClose(false)
					err = listener.Close()
				}
				return err
			},
			`"s": must be a `,
		},
		"device": {
			func(folder, _ string) error { return syscall.Mknod(folder+"/zero", syscall.S_IFCHR|0o666, 1<<8|5) },
			`"zero": must be a `,
		},
		"many files": {
			func(folder, _ string) error {
				for i := range 10_001 {
					if err := os.WriteFile(fmt.Sprintf("%s/%d.yaml", folder, i), nil, 0o600); err != nil {
						return err
					}
				}
				return nil
			},
			`must have at most 10000 files`,
		},
		"deep": {
			func(folder, _ string) error { return os.MkdirAll(folder+strings.Repeat("/a", 129), 0o700) },
			`the path must have at most 128 elements`,
		},
		"large": {
			func(folder, _ string) error {
				return errors.Join(os.WriteFile(folder+"/large.yaml", nil, 0o600), os.Truncate(folder+"/large.yaml", 16<<20+1)) // sparse
			},
			`"large.yaml": must not be larger than 16777216 bytes`,
		},
		"link to the folder itself": {
			func(folder, _ string) error {
				return errors.Join(os.Rename(folder, folder+"2"), os.Symlink(folder+"2", folder))
			},
			`/.registry must be a folder`,
		},
		"no folder": {
			func(folder, _ string) error { return os.RemoveAll(folder) }, `/.registry must exist`,
		},
		"a file in place of the folder": {
			func(folder, _ string) error {
				return errors.Join(os.RemoveAll(folder), os.WriteFile(folder, nil, 0o600))
			},
			`/.registry must be a folder`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := t.TempDir()
			source, outside := filepath.Join(base, ".registry"), filepath.Join(base, "o")
			files(t, base, ".registry/first/crd.yaml", "o/secret")
			before := tree(t, outside)
			if err := test.plant(source, outside); err != nil {
				checkout.LeaveOut(t, "this machine does not allow it: %v", err)
			}
			volume := filepath.Join(base, "v")
			require.NoError(t, os.Mkdir(volume, 0o755))
			p := newUnpacker(t, nil, unpacking.Installation{})
			require.Equal(t, 1, p.run(unpacking.Copy, source, filepath.Join(volume, ".registry")), p.log)
			assert.Contains(t, p.message(), "in the package image: ")
			assert.Contains(t, p.message(), test.want)
			assert.Equal(t, before, tree(t, outside))
			assert.Empty(t, tree(t, volume), "nothing is copied of a package that is refused")
		})
	}
}

// registry returns an empty `.registry` folder.
func registry(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), ".registry")
	require.NoError(t, os.Mkdir(folder, 0o755))
	return folder
}

// The copied program runs without other files, as in a package image with only YAML.
func TestCopySelfCopiesAProgramThatRuns(t *testing.T) {
	t.Parallel()
	volume, source := t.TempDir(), registry(t)
	files(t, source, "app.yaml")
	for range 2 {
		out, err := exec.Command(unpackerPath, unpacking.CopySelf, volume).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	assert.Equal(t, []string{"unpacker"}, names(t, volume))
	command := exec.Command(filepath.Join(volume, "unpacker"), unpacking.Copy, source, filepath.Join(volume, ".registry"))
	command.Env = []string{}
	out, err := command.CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Equal(t, tree(t, source), tree(t, filepath.Join(volume, ".registry")))
	assert.Equal(t, "/unpacker", unpacking.Copied[len(unpacking.VolumeMount):], "where the renderer expects it")
}

func names(t *testing.T, folder string) (found []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, entry := range entries {
		found = append(found, entry.Name())
	}
	return found
}
