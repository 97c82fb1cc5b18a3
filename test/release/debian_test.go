//go:build e2e

package release

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// A minimal Debian has neither curl nor sudo: downloads come from a folder, and the user is root.
const (
	curl = `#!/bin/sh
# Copies what would be downloaded to the working directory.
set -eu
for argument; do
  case $argument in https://*) cp "/release/${argument##*/}" .;; esac
done
`
	sudo = "#!/bin/sh\nexec \"$@\"\n"
	// tryOut renders an example with each installed program, as an unprivileged user.
	tryOut = `
cd /examples
for program in $PROGRAMS; do
  test "$("$program" --version)" = "$program v$VERSION"
done
rplug validate hello-db
validate-plugin hello-db
rplug build hello-db | grep -q '^kind: Job'
rplug build hello-db > /tmp/built.yaml
{ render-phase hello-db; } > /tmp/rendered.yaml
grep -q '^kind: Job' /tmp/rendered.yaml
`
)

// TestInstallPage_inDebian runs the commands of the page in a minimal Debian.
func TestInstallPage_inDebian(t *testing.T) {
	s := built(t)
	debootstrap := checkout.Program(t, "debootstrap", "debootstrap")
	if os.Getuid() != 0 {
		checkout.LeaveOut(t, "debootstrap needs root")
	}
	base := filepath.Join(t.TempDir(), "debian")
	out, err := exec.Command(debootstrap, "--variant=minbase", "bookworm", base).CombinedOutput()
	if err != nil {
		checkout.LeaveOut(t, "debootstrap must be able to make a Debian: %v: %s", err, out)
	}
	for _, test := range []struct{ heading, after string }{
		{"An archive", `
test -s "$HOME/.local/rplug/LICENSE"
`},
		{"Debian and Ubuntu", `
kubectl-rplug --help 2>&1 | grep -q 'kubectl rplug'
test -s /usr/share/doc/rplug/copyright
bash -c '. /usr/share/bash-completion/completions/rplug && type -t __start_rplug' | grep -qx function
zcat /usr/share/man/man1/rplug-validate.1.gz | grep -q 'rplug-validate'
dpkg --verify rplug
sudo apt-get remove -y rplug
! command -v rplug
test -z "$(dpkg -L rplug 2> /dev/null | grep /usr/bin/)"
`},
	} {
		t.Run(test.heading, func(t *testing.T) {
			root := filepath.Join(t.TempDir(), "root")
			require.NoError(t, exec.Command("cp", "-a", base, root).Run())
			commands, err := section(installPage(t), test.heading)
			require.NoError(t, err)
			// The commands for uninstalling come last.
			commands = strings.ReplaceAll(commands, strings.TrimPrefix(contract.ImageTag, "v"), s.version)
			commands = strings.ReplaceAll(commands, "amd64", runtime.GOARCH)
			publish(t, s, root)
			script := "set -eu\ncd /root\n" + commands + tryOut + test.after
			require.NoError(t, os.WriteFile(filepath.Join(root, "install"), []byte(script), 0o600))
			run := exec.Command("unshare", "--mount", "--pid", "--net", "--fork", "chroot", root, "/usr/bin/env", "-i", "HOME=/root",
				"PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "VERSION="+s.version, "PROGRAMS="+strings.Join(programs(t), " "),
				"DEBIAN_FRONTEND=noninteractive", "bash", "-x", "/install")
			printed, err := run.CombinedOutput()
			require.NoError(t, err, string(printed))
		})
	}
	t.Run("a changed file", func(t *testing.T) {
		root := filepath.Join(t.TempDir(), "root")
		require.NoError(t, exec.Command("cp", "-a", base, root).Run())
		commands, err := section(installPage(t), "An archive")
		require.NoError(t, err)
		commands = strings.ReplaceAll(commands, strings.TrimPrefix(contract.ImageTag, "v"), s.version)
		publish(t, s, root)
		archive, err := os.OpenFile(filepath.Join(root, "release", filepath.Base(s.archive("rplug", "linux_amd64"))), os.O_APPEND|os.O_WRONLY, 0)
		require.NoError(t, err)
		_, err = archive.WriteString("x")
		require.NoError(t, err)
		require.NoError(t, archive.Close())
		require.NoError(t, os.WriteFile(filepath.Join(root, "install"), []byte("set -eu\ncd /root\n"+commands), 0o600))
		printed, err := exec.Command("chroot", root, "bash", "/install").CombinedOutput()
		require.Error(t, err)
		assert.Contains(t, string(printed), "FAILED")
		assert.NoDirExists(t, filepath.Join(root, "root", ".local"))
	})
}

// publish copies the files of a release, examples and the programs of the page to a Debian.
func publish(t *testing.T, s snapshot, root string) {
	t.Helper()
	release := filepath.Join(root, "release")
	require.NoError(t, os.Mkdir(release, 0o755))
	for name := range s.checksums(t) {
		require.NoError(t, exec.Command("cp", filepath.Join(s.folder, name), release).Run())
	}
	require.NoError(t, exec.Command("cp", filepath.Join(s.folder, "checksums.txt"), release).Run())
	require.NoError(t, exec.Command("cp", "-a", filepath.Join(checkout.Root(), "examples"), root).Run())
	for name, text := range map[string]string{"curl": curl, "sudo": sudo} {
		require.NoError(t, os.WriteFile(filepath.Join(root, "usr", "local", "bin", name), []byte(text), 0o755)) //nolint:gosec // a program
	}
}

// TestTwoSnapshotsAreTheSame makes two builds in two clones of the last commit.
func TestTwoSnapshotsAreTheSame(t *testing.T) {
	for _, tool := range []string{"goreleaser", "sbom"} {
		checkout.Tool(t, tool)
	}
	var sums [2]map[string]string
	var manifests [2][]byte
	for i := range sums {
		clone := filepath.Join(t.TempDir(), "clone", string(rune('a'+i)))
		for _, command := range [][]string{
			{"git", "clone", "--quiet", checkout.Root(), clone},
			{"mkdir", "-p", filepath.Join(clone, "bin")},
			{"cp", "-a", filepath.Join(checkout.Root(), "bin", "tools"), filepath.Join(clone, "bin", "tools")},
			{"touch", filepath.Join(clone, "bin", "tools", "goreleaser"), filepath.Join(clone, "bin", "tools", "sbom")},
			{"make", "-C", clone, "--silent", "release-snapshot"},
		} {
			run := exec.Command(command[0], command[1:]...)
			run.Env = append(os.Environ(), "MAKEFLAGS=") // if make runs the tests
			out, err := run.CombinedOutput()
			require.NoError(t, err, "%v\n%s", command, out)
		}
		s := snapshot{folder: filepath.Join(clone, "bin", "release")}
		sums[i] = s.checksums(t)
		for _, name := range []string{"homebrew/Casks/rplug.rb", "krew/rplug.yaml"} {
			text, err := os.ReadFile(filepath.Join(s.folder, name))
			require.NoError(t, err)
			manifests[i] = append(manifests[i], text...)
		}
	}
	assert.Len(t, sums[0], 26, "12 archives with their lists, and 2 packages")
	assert.Equal(t, sums[0], sums[1])
	assert.Equal(t, string(manifests[0]), string(manifests[1]))
}
