package test

import (
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

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// files writes files, with their folders.
func files(t *testing.T, folder string, names ...string) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte("content of "+name+"\n"), 0o600))
	}
}

// tree returns what is in a folder: of files the content, of others the type.
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
	source, target := t.TempDir(), filepath.Join(t.TempDir(), ".registry")
	files(t, source, "app.yaml", "resources/a/b/crd.yaml", "resources/-", "ünïcode\nname.yaml", "..twodots")
	require.NoError(t, os.Mkdir(filepath.Join(source, "empty"), 0o700))
	require.NoError(t, os.Chmod(filepath.Join(source, "app.yaml"), 0o4755))
	for range 2 { // the kubelet may run init containers again
		p := newUnpacker(t, nil, contract.Installation{})
		require.Zero(t, p.run(contract.UnpackerCopy, source, target), p.log)
		assert.Equal(t, tree(t, source), tree(t, target))
	}
	info, err := os.Stat(filepath.Join(target, "app.yaml"))
	require.NoError(t, err)
	assert.Equal(t, fs.FileMode(0o644), info.Mode(), "no set-user-id bit, no program")
}

func TestCopyReplacesWhatAnEarlierRunLeft(t *testing.T) {
	t.Parallel()
	source, target, outside := t.TempDir(), t.TempDir(), t.TempDir()
	files(t, source, "app.yaml", "group/crd.yaml")
	files(t, outside, "victim", "crd.yaml")
	require.NoError(t, os.Symlink(filepath.Join(outside, "victim"), filepath.Join(target, "app.yaml")))
	p := newUnpacker(t, nil, contract.Installation{})
	require.Zero(t, p.run(contract.UnpackerCopy, source, target), p.log)
	assert.Equal(t, tree(t, source), tree(t, target))

	// A link in place of a folder is an error, since it leads out of the target.
	require.NoError(t, os.RemoveAll(filepath.Join(target, "group")))
	require.NoError(t, os.Symlink(outside, filepath.Join(target, "group")))
	require.Equal(t, 1, p.run(contract.UnpackerCopy, source, target))
	assert.Contains(t, p.message(), "group")
	assert.Equal(t, map[string]string{"victim": "content of victim\n", "crd.yaml": "content of crd.yaml\n"}, tree(t, outside))
}

// Whatever is in a package image, nothing is written outside the target, nothing outside the folder is read, and the
// message names the file.
func TestCopyRefusesHostilePackages(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		plant func(folder, outside string) error
		want  string
	}{
		"link to a file outside": {
			func(folder, outside string) error { return os.Symlink(outside+"/secret", folder+"/app.yaml") },
			`/app.yaml" in the package image must be a regular file or a folder, not a symbolic link`,
		},
		"relative link out": {
			func(folder, _ string) error { return os.Symlink("../../../../../../etc/passwd", folder+"/x.yaml") },
			`/x.yaml" in the package image must be a regular file or a folder, not a symbolic link`,
		},
		"link to a folder outside": {
			func(folder, outside string) error { return os.Symlink(outside, folder+"/resources") },
			`/resources" in the package image must be a regular file or a folder, not a symbolic link`,
		},
		"link to itself": {
			func(folder, _ string) error { return os.Symlink("loop", folder+"/loop") },
			`/loop" in the package image must be a regular file or a folder, not a symbolic link`,
		},
		"link within": {
			func(folder, _ string) error { return os.Symlink("b.yaml", folder+"/a.yaml") },
			`/a.yaml" in the package image must be a regular file or a folder, not a symbolic link`,
		},
		"named pipe": {
			func(folder, _ string) error { return syscall.Mkfifo(folder+"/pipe.yaml", 0o600) },
			`/pipe.yaml" in the package image must be a regular file or a folder, not a named pipe`,
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
			`/s" in the package image must be a regular file or a folder, not a socket`,
		},
		"device": {
			func(folder, _ string) error { return syscall.Mknod(folder+"/zero", syscall.S_IFCHR|0o666, 1<<8|5) },
			`/zero" in the package image must be a regular file or a folder, not a device`,
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
			`must not bring the package to more than 10000 files and folders`,
		},
		"deep": {
			func(folder, _ string) error { return os.MkdirAll(folder+strings.Repeat("/a", 51), 0o700) },
			strings.Repeat("/a", 50) + `" in the package image must not be in more than 50 folders`,
		},
		"large": {
			func(folder, _ string) error {
				return os.WriteFile(folder+"/large", nil, 0o600)
			},
			`/large" in the package image must not bring the package to more than 100 MiB`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := t.TempDir()
			source, outside := filepath.Join(base, "s"), filepath.Join(base, "o")
			files(t, base, "s/first/crd.yaml", "o/secret")
			before := tree(t, outside)
			if err := test.plant(source, outside); err != nil {
				t.Skipf("this machine does not allow it: %v", err)
			}
			if name == "large" { // sparse
				require.NoError(t, os.Truncate(filepath.Join(source, "large"), 100<<20+1))
			}
			volume := filepath.Join(base, "v")
			require.NoError(t, os.Mkdir(volume, 0o755))
			p := newUnpacker(t, nil, contract.Installation{})
			require.Equal(t, 1, p.run(contract.UnpackerCopy, source, filepath.Join(volume, ".registry")), p.log)
			assert.Contains(t, p.message(), test.want)
			assert.Equal(t, before, tree(t, outside))
			entries, err := os.ReadDir(volume)
			require.NoError(t, err)
			require.Len(t, entries, 1)
			for file, content := range tree(t, volume) {
				assert.NotContains(t, content, "secret", file)
			}
		})
	}
}

func TestCopyRefusesASourceThatIsNoFolder(t *testing.T) {
	t.Parallel()
	folder, target := t.TempDir(), filepath.Join(t.TempDir(), "t")
	files(t, folder, "file", "real/app.yaml")
	require.NoError(t, os.Symlink("real", filepath.Join(folder, "link")))
	for name, want := range map[string]string{
		"missing": `the package image must have the folder "` + folder + `/missing"`,
		"file":    `must be a folder, not a file`,
		"link":    `must be a folder, not a symbolic link`,
	} {
		p := newUnpacker(t, nil, contract.Installation{})
		require.Equal(t, 1, p.run(contract.UnpackerCopy, filepath.Join(folder, name), target))
		assert.Contains(t, p.message(), want)
		assert.NoFileExists(t, target)
	}
}

// The program that is copied runs without anything else, as in a package image that has only YAML.
func TestCopySelfCopiesAProgramThatRuns(t *testing.T) {
	t.Parallel()
	volume, source := t.TempDir(), t.TempDir()
	files(t, source, "app.yaml")
	for range 2 {
		out, err := exec.Command(unpackerPath, contract.UnpackerCopySelf, volume).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	assert.Equal(t, []string{"unpacker"}, names(t, volume))
	command := exec.Command(filepath.Join(volume, "unpacker"), contract.UnpackerCopy, source, filepath.Join(volume, ".registry"))
	command.Env = []string{}
	out, err := command.CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Equal(t, tree(t, source), tree(t, filepath.Join(volume, ".registry")))
	assert.Equal(t, "/unpacker", contract.UnpackerCopied[len(contract.PackageVolumeMount):], "where the renderer expects it")
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
