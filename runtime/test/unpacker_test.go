package test

import (
	"encoding/json"
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

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/runtime/internal/unpacker"
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

// unpackerRun runs the unpacker on a folder, as in a Pod.
type unpackerRun struct {
	messages

	program   unpacker.Program
	variables map[string]string
}

func newUnpacker(t *testing.T) *unpackerRun {
	t.Helper()
	p := &unpackerRun{messages: newMessages(t), variables: map[string]string{
		contract.NamespaceVariable: "ns", unpacking.SettingsVariable: settingsOf(t, "storage"),
	}}
	p.program = unpacker.Program{
		Getenv: func(name string) string { return p.variables[name] }, Reporter: p.reporter(),
	}
	return p
}

func settingsOf(t *testing.T, name string) string {
	t.Helper()
	text, err := json.Marshal(unpacking.Settings{
		Name: name, Controller: name, Scope: "Cluster", Image: "registry.example.org/" + name + ":v1.0.0",
	})
	require.NoError(t, err)
	return string(text)
}

// example copies the `.registry` folder of an example.
func example(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), ".registry")
	require.NoError(t, os.CopyFS(folder, os.DirFS(filepath.Join(checkout.Root(), "examples", "stacks", "base", "storage", ".registry"))))
	return folder
}

// unpacked returns the objects that a run has written.
func unpacked(t *testing.T, file string) (objects []unpacking.Unpacked) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &objects))
	return objects
}

func TestUnpackWritesTheObjects(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "objects.json")
	p := newUnpacker(t)
	require.Zero(t, p.program.Run([]string{unpacking.Unpack, example(t), file}), p.log)
	var kinds []string
	for _, object := range unpacked(t, file) {
		kinds = append(kinds, object.Kind)
		isOfPackage := object.Kind == "CustomResourceDefinition" || object.Kind == "Stack"
		assert.Equal(t, isOfPackage, object.Digest != "", object.Key)
		var read struct {
			Metadata struct{ Name, Namespace string }
		}
		require.NoError(t, json.Unmarshal(object.Object, &read))
		assert.Equal(t, object.Name, read.Metadata.Name)
		if object.Kind == "Deployment" {
			assert.Equal(t, "ns", read.Metadata.Namespace, "that of the Pod, which a kustomization changes after rendering")
		}
	}
	assert.Equal(t, []string{"CustomResourceDefinition", "ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Stack", "Deployment"}, kinds)
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, fs.FileMode(0o644), info.Mode(), "another container reads it")
}

// The kubelet may run init containers again. A link in the volume leads nowhere.
func TestUnpackReplacesWhatAnEarlierRunLeft(t *testing.T) {
	t.Parallel()
	source, volume, outside := example(t), t.TempDir(), filepath.Join(t.TempDir(), "victim")
	file := filepath.Join(volume, "objects.json")
	require.NoError(t, os.WriteFile(outside, []byte("kept"), 0o600))
	for _, plant := range []func() error{
		func() error { return nil },
		func() error { return os.WriteFile(file, []byte("[{"), 0o600) },
		func() error { return errors.Join(os.Remove(file), os.Symlink(outside, file)) },
	} {
		require.NoError(t, plant())
		p := newUnpacker(t)
		require.Zero(t, p.program.Run([]string{unpacking.Unpack, source, file}), p.log)
		assert.Len(t, unpacked(t, file), 6)
	}
	text, err := os.ReadFile(outside)
	require.NoError(t, err)
	assert.Equal(t, "kept", string(text))
}

// A link within the folder is read as the file.
func TestUnpackFollowsLinksWithinTheFolder(t *testing.T) {
	t.Parallel()
	source, folder := example(t), t.TempDir()
	p := newUnpacker(t)
	require.Zero(t, p.program.Run([]string{unpacking.Unpack, source, filepath.Join(folder, "plain.json")}), p.log)
	app := filepath.Join(source, "app.yaml")
	require.NoError(t, os.Rename(app, filepath.Join(source, "other.txt")))
	require.NoError(t, os.Symlink("other.txt", app))
	require.Zero(t, p.program.Run([]string{unpacking.Unpack, source, filepath.Join(folder, "linked.json")}), p.log)
	assert.Equal(t, unpacked(t, filepath.Join(folder, "plain.json")), unpacked(t, filepath.Join(folder, "linked.json")))
}

func TestUnpackerUsage(t *testing.T) {
	t.Parallel()
	for _, arguments := range [][]string{nil, {"what"}, {"unpack", "one"}, {"unpack", "one", "two", "more"}, {"copy-self"}} {
		p := newUnpacker(t)
		require.Equal(t, 2, p.program.Run(arguments))
		assert.Equal(t, "usage: unpacker copy-self DIR | unpack FOLDER FILE\n", p.message())
	}
}

func TestUnpackerNeedsSettings(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                   "environment variable RESOURCEPLUGINS_PACKAGE_SETTINGS must be set",
		"{":                  "cannot read the settings in RESOURCEPLUGINS_PACKAGE_SETTINGS: the unpacker image must have the version",
		`{"name":"a","x":1}`: `unknown field "x"`,
		`{}`:                 "the settings must have a name",
	} {
		p := newUnpacker(t)
		p.variables[unpacking.SettingsVariable] = text
		require.Equal(t, 1, p.program.Run([]string{unpacking.Unpack, example(t), filepath.Join(t.TempDir(), "o.json")}))
		assert.Contains(t, p.message(), want)
	}
	p := newUnpacker(t)
	p.variables = nil
	require.Equal(t, 1, p.program.Run([]string{unpacking.Unpack, example(t), filepath.Join(t.TempDir(), "o.json")}))
	assert.Contains(t, p.message(), "environment variable RESOURCEPLUGINS_NAMESPACE must be set")
}

// For any hostile package image, nothing is written, nothing is read outside the folder, and the message names the file.
func TestUnpackRefusesHostilePackages(t *testing.T) {
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
			p := newUnpacker(t)
			require.Equal(t, 1, p.program.Run([]string{unpacking.Unpack, source, filepath.Join(volume, "objects.json")}), p.log)
			assert.Contains(t, p.message(), `package "storage": in the package image: `)
			assert.Contains(t, p.message(), test.want)
			assert.Equal(t, before, tree(t, outside))
			assert.Empty(t, tree(t, volume), "nothing is written of a package that is refused")
		})
	}
}

// The copied program runs without other files, as in a package image with only YAML.
func TestCopySelfCopiesAProgramThatRuns(t *testing.T) {
	t.Parallel()
	volume := t.TempDir()
	for range 2 {
		out, err := exec.Command(unpackerPath, unpacking.CopySelf, volume).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	assert.Equal(t, []string{"unpacker"}, names(t, volume))
	file := filepath.Join(volume, filepath.Base(unpacking.ObjectsFile))
	command := exec.Command(filepath.Join(volume, "unpacker"), unpacking.Unpack, example(t), file)
	command.Env = []string{contract.NamespaceVariable + "=ns", unpacking.SettingsVariable + "=" + settingsOf(t, "storage")}
	out, err := command.CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Len(t, unpacked(t, file), 6)
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
