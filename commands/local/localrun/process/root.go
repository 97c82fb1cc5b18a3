package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/commands/local/localrun"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/runner"
)

// temporary is a folder for temporary files besides /tmp.
const temporary = "/var/tmp"

// capabilities are those of a container that runs as root, without the one that makes devices. Bubblewrap lets root keep
// all: a script could mount read-only folders again, and write to the machine.
// https://github.com/moby/moby/blob/v28.0.0/oci/caps/defaults.go
var capabilities = []string{
	"CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FSETID", "CAP_FOWNER", "CAP_NET_RAW", "CAP_SETGID", "CAP_SETUID", "CAP_SETFCAP",
	"CAP_SETPCAP", "CAP_NET_BIND_SERVICE", "CAP_SYS_CHROOT", "CAP_KILL", "CAP_AUDIT_WRITE",
}

// root collects bubblewrap's arguments for a root folder that looks like that of this machine. Its folders are read-only;
// writable are only the root folder itself, which is in memory, folders for temporary files, and the folders of a step. A
// folder above a path of the step is created, and each of its entries is mounted.
type root struct {
	arguments []string
	created   map[string]bool
	kept      string // the folder that keeps the writable folders; empty if they are in memory
}

// writable returns the arguments for an empty folder that a step may write to.
func (r *root) writable(mode, path string) []string {
	if r.kept != "" {
		source := filepath.Join(r.kept, path)
		if os.MkdirAll(source, 0o700) == nil && os.Chmod(source, 0o777) == nil { //nolint:gosec // below a private folder
			return []string{"--bind", source, path}
		}
	}
	return []string{"--perms", mode, "--tmpfs", path}
}

// bubblewrapArguments returns the arguments for a container, each followed by a zero byte. Files to mount are written to
// folder.
func bubblewrapArguments(container localrun.Container, folder string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	r := &root{created: map[string]bool{filepath.Dir(temporary): true}}
	r.add("--unshare-pid", "--as-pid-1", "--die-with-parent", "--clearenv")
	if os.Geteuid() != 0 { // most images run as root
		r.add("--unshare-user", "--uid", "0", "--gid", "0")
	} else {
		r.add("--cap-drop", "ALL")
		for _, name := range capabilities {
			r.add("--cap-add", name)
		}
	}
	for _, variable := range container.Env {
		r.add("--setenv", variable.Name, variable.Value)
	}
	var step root // after the machine's folders, since it is mounted into them
	if container.Keep != "" {
		r.kept = filepath.Join(folder, rootFolder)
	}
	for _, path := range append([]string{home}, container.Folders...) {
		step.add(r.writable("0777", r.create(path))...)
	}
	message := container.TerminationMessagePath()
	err = os.WriteFile(messageFile(folder), nil, 0o600)
	step.add("--bind", messageFile(folder), r.create(message))
	if container.Plan != nil {
		err = errors.Join(err, prepareVolume(volumeFolder(folder), *container.Plan))
		step.add("--bind", volumeFolder(folder), r.create(contract.IOFolder))
		for _, output := range container.Plan.Outputs {
			r.create(output.Path)
		}
	}
	step.add("--ro-bind", self, r.create(contract.RunnerFile))
	for i, file := range container.Files {
		source := filepath.Join(folder, fmt.Sprintf("file-%d", i))
		err = errors.Join(err, os.WriteFile(source, file.Content, 0o600), os.Chmod(source, file.Mode.Perm()))
		step.add("--ro-bind", source, r.create(file.Path))
	}
	if working := container.WorkingDir; working != "" {
		step.add("--dir", r.create(working), "--chdir", working)
	} else {
		step.add("--chdir", "/")
	}
	r.entries("/")
	all := slices.Concat(r.arguments, step.arguments)
	for _, argument := range all {
		if strings.ContainsRune(argument, 0) {
			err = errors.Join(err, fmt.Errorf("variables and paths must not contain zero bytes: %q", argument))
		}
	}
	return strings.Join(all, "\x00") + "\x00", err
}

// prepareVolume creates the shared volume of a step as a folder.
func prepareVolume(folder string, plan contract.Plan) error {
	if err := os.Mkdir(folder, 0o700); err != nil {
		return err
	}
	volume, err := runner.OpenVolume(folder)
	if err != nil {
		return err
	}
	return volume.Prepare(plan)
}

func (r *root) add(arguments ...string) { r.arguments = append(r.arguments, arguments...) }

// create creates the folders above a path, so that it can be a mount point or written to, and returns the path without
// links.
func (r *root) create(path string) string {
	path = filepath.Clean(path)
	existing := filepath.Dir(path)
	for ; existing != "/"; existing = filepath.Dir(existing) {
		if found, err := filepath.EvalSymlinks(existing); err == nil {
			path = filepath.Join(found, strings.TrimPrefix(path, existing))
			existing = found
			break
		}
	}
	for ; existing != "/"; existing = filepath.Dir(existing) {
		r.created[existing] = true
	}
	return path
}

// entries mounts the entries of a folder of this machine. Entries that the user may not read are empty.
func (r *root) entries(folder string) {
	found, _ := os.ReadDir(folder)
	for _, entry := range found {
		r.mount(filepath.Join(folder, entry.Name()))
	}
}

// mount mounts a file or folder of this machine.
func (r *root) mount(path string) {
	info, err := os.Lstat(path)
	switch {
	case err != nil: // it was removed, or the user may not access it
	case path == "/tmp", path == temporary:
		r.add(r.writable("1777", path)...)
	case path == "/proc":
		r.add("--proc", path)
	case path == "/dev":
		r.add("--dev", path)
	case info.Mode()&fs.ModeSymlink != 0:
		if target, err := os.Readlink(path); err == nil {
			r.add("--symlink", target, path)
		}
	case r.created[path]:
		r.add("--perms", fmt.Sprintf("%o", info.Mode().Perm()), "--dir", path)
		r.entries(path)
	default:
		r.add("--ro-bind-try", path, path)
	}
}
