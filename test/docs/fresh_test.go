//go:build e2e

package docs

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
	"github.com/resource-plugins/krm-functions/test/framework/goproxy"
	"github.com/resource-plugins/krm-functions/test/framework/registry"
)

// TestFreshDebian runs tutorials like a reader on a fresh Debian with only bubblewrap, git and Go, from the installation
// of this checkout to the last command, and prints the time. It needs root, debootstrap and docker-registry.
func TestFreshDebian(t *testing.T) {
	for _, page := range []string{tutorial, databasePage} {
		t.Run(page, func(t *testing.T) { runFresh(t, page) })
	}
}

func runFresh(t *testing.T, path string) {
	t.Helper()
	debootstrap := checkout.Program(t, "debootstrap", "debootstrap")
	if os.Geteuid() != 0 {
		checkout.LeaveOut(t, "debootstrap needs root")
	}
	text, err := os.ReadFile(filepath.Join(checkout.Root(), path))
	require.NoError(t, err)
	page := string(text)
	if path == databasePage {
		page = strings.ReplaceAll(page, "ghcr.io/resource-plugins/plugins:stable", publishPlugins(t))
	}
	listed, err := commands(page)
	require.NoError(t, err)
	install := installation(page)
	require.NotEmpty(t, install)

	source, proxy, debian := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "debian")
	require.NoError(t, checkout.Copy(source))
	goproxy.Publish(t, source, proxy, "v0.1.0")
	packages := filepath.Join(checkout.Root(), "bin", "debian-packages")
	require.NoError(t, os.MkdirAll(packages, 0o755))
	out, err := exec.Command(debootstrap, "--variant=minbase", "--include=bubblewrap,ca-certificates,git", "--cache-dir="+packages,
		"bookworm", debian, "http://deb.debian.org/debian").CombinedOutput()
	require.NoError(t, err, "%s", out)

	results := filepath.Join(debian, "results")
	require.NoError(t, os.Mkdir(results, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(debian, "results", "run"), []byte(walkthrough(install, listed)), 0o755))
	enter := exec.Command("unshare", "--mount", "--pid", "--fork", "--kill-child", "bash", "-euc", enterDebian, "enter",
		debian, goEnv(t, "GOROOT"), proxy, filepath.Join(goEnv(t, "GOMODCACHE"), "cache", "download"))
	enter.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/root", "GOTOOLCHAIN=local", "CGO_ENABLED=0", "GONOSUMDB=" + goproxy.Path,
		"GOPROXY=file:///proxy,file:///modules," + goEnv(t, "GOPROXY")}
	out, err = enter.CombinedOutput()
	require.NoError(t, err, "%s", out)

	for i, c := range listed {
		got, err := os.ReadFile(filepath.Join(results, fmt.Sprint(i)))
		require.NoError(t, err)
		code, err := os.ReadFile(filepath.Join(results, fmt.Sprint(i, ".exit")))
		require.NoError(t, err)
		assert.Equal(t, strconv.Itoa(c.exit), strings.TrimSpace(string(code)), "%s:%d: $ %s\n%s", path, c.line, c.text, got)
		lines := strings.Split(strings.TrimSuffix(string(got), "\n"), "\n")
		assert.True(t, len(c.want) == 0 || matches(c.want, lines), "%s:%d: $ %s\nprints\n%s", path, c.line, c.text, got)
	}
	times, err := os.ReadFile(filepath.Join(results, "seconds"))
	require.NoError(t, err)
	t.Logf("%d commands in a fresh Debian: %s", len(listed), bytes.TrimSpace(times))
}

// publishPlugins pushes the plugins of this checkout to a registry on this machine, and returns their reference.
func publishPlugins(t *testing.T) string {
	t.Helper()
	program, reference := filepath.Join(t.TempDir(), "rplug"), registry.Start(t, t.TempDir())+"/plugins:stable"
	require.NoError(t, checkout.BuildProgram(program, "cmd/rplug"))
	out, err := exec.Command(program, "catalog", "push", reference, "--catalog",
		filepath.Join(checkout.Root(), "plugins", "catalog.yaml")).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return reference
}

// enterDebian makes a folder the root of a namespace: unlike chroot, that allows bubblewrap to create namespaces. Its
// arguments are the folder, and the folders to mount: Go, the proxy with this checkout, and the module cache of this
// machine. The certificates are this machine's, since its network may need them: Go queries the checksum database for each
// module.
const enterDebian = `
debian=$1
mount --make-rprivate /
mount --bind "$debian" "$debian"
bind() { mkdir -p "$debian/$2"; mount --bind "$1" "$debian/$2"; mount -o remount,bind,ro "$debian/$2"; }
bind "$2" usr/local/go
bind "$3" proxy
bind "$4" modules
cp --remove-destination /etc/ssl/certs/ca-certificates.crt "$debian/etc/ssl/certs/" # in a folder that packages write to
mount -t proc proc "$debian/proc"
mount --rbind /dev "$debian/dev"
cd "$debian"
mkdir old
pivot_root . old
export PATH=/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
umount -l /old
mkdir /root/first
cd /root/first
exec bash -eu /results/run
`

// walkthrough is a script that runs the commands of a page, each in a new shell, and writes their output, their exit codes,
// and the total time.
func walkthrough(install string, listed []command) string {
	var script strings.Builder
	fmt.Fprintf(&script, "SECONDS=0\n%s\ninstalled=$SECONDS\n", install)
	for i, c := range listed {
		fmt.Fprintf(&script, "code=0; bash -c %s > /results/%d 2>&1 < /dev/null || code=$?; echo $code > /results/%d.exit\n",
			quote(c.text), i, i)
	}
	script.WriteString(`echo "install $installed s, all other commands $((SECONDS - installed)) s" > /results/seconds` + "\n")
	return script.String()
}

func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// installation returns the shell block of a page's section "Install".
func installation(page string) string {
	_, section, _ := strings.Cut(page, "\n## Install\n")
	section, _, _ = strings.Cut(section, "\n## ")
	_, block, _ := strings.Cut(section, "\n```sh\n")
	block, _, _ = strings.Cut(block, "\n```")
	return block
}

func goEnv(t *testing.T, key string) string {
	t.Helper()
	value, err := exec.Command("go", "env", key).Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(value))
}
