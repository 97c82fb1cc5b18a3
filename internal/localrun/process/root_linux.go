package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/resource-plugins/krm-functions/local/localrun"
)

// base is where the new root is made, on a file system in memory. The step has a folder of that name of its own, which is
// empty.
const base = "/tmp"

// temporary is another folder for temporary files, which is empty, too: an overlay cannot copy a folder of a user who is not
// in the user namespace.
const temporary = "/var/tmp"

// The folders below base: the new root, and what overlays write to.
const (
	newRoot = base + "/root"
	layers  = base + "/layers"
	oldRoot = "/.old"
)

// root makes a root folder that looks like that of the machine. An overlay shows a folder of the machine and takes what is
// written. It must not have mounts below it: the kernel refuses that in user namespaces, since it could show what a mount
// hides. So folders with mounts, and above paths that must be writable, are made anew, with an overlay for each entry.
type root struct {
	mounts []string        // the mount points of the machine
	made   map[string]bool // folders that are made anew in any case
	layers int
}

// enterRoot changes to a new root folder in which the paths can be made.
func enterRoot(paths []string) error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("cannot make mounts private: %w", err)
	}
	r := &root{made: map[string]bool{filepath.Dir(temporary): true}}
	var err error
	if r.mounts, err = mountPoints(); err != nil {
		return err
	}
	for _, path := range paths {
		if isRoot() {
			break // may write to the folders of an overlay, whoever owns them
		}
		for above := filepath.Dir(existing(path)); ; above = filepath.Dir(above) {
			r.made[above] = true
			if above == "/" {
				break
			}
		}
	}
	if err := syscall.Mount("rplug", base, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, "mode=0755"); err != nil {
		return fmt.Errorf("cannot mount a file system in memory: %w", err)
	}
	if err := errors.Join(os.Mkdir(newRoot, 0o755), os.Mkdir(layers, 0o700)); err != nil {
		return err
	}
	if err := bind(newRoot, newRoot, 0); err != nil {
		return err
	}
	if err := r.entries("/"); err != nil {
		return err
	}
	return pivot()
}

// isRoot reports whether the user is root of the machine, not of a user namespace alone.
func isRoot() bool {
	users, err := os.ReadFile("/proc/self/uid_map")
	return err == nil && strings.Join(strings.Fields(string(users)), " ") == "0 0 4294967295"
}

// existing returns the deepest folder above a path that exists, without links.
func existing(path string) string {
	for path = filepath.Dir(path); path != "/"; path = filepath.Dir(path) {
		if found, err := filepath.EvalSymlinks(path); err == nil {
			return found
		}
	}
	return path
}

// pivot changes to the new root, and lets go of the old one.
func pivot() error {
	if err := os.Mkdir(newRoot+oldRoot, 0o700); err != nil {
		return err
	}
	if err := syscall.PivotRoot(newRoot, newRoot+oldRoot); err != nil {
		return fmt.Errorf("pivot_root: %w", err)
	}
	if err := os.Chdir("/"); err != nil {
		return err
	}
	if err := syscall.Unmount(oldRoot, syscall.MNT_DETACH); err != nil {
		return err
	}
	return os.Remove(oldRoot)
}

// entries adds the entries of a folder that is made anew.
func (r *root) entries(folder string) error {
	found, err := os.ReadDir(folder)
	if err != nil && folder != "/" {
		return nil // a folder that the user may not read is empty
	}
	for _, entry := range found {
		if err := r.add(filepath.Join(folder, entry.Name())); err != nil {
			return err
		}
	}
	return err
}

// add makes a file or folder of the machine in the new root. What cannot be shown is empty there.
func (r *root) add(path string) error {
	target := newRoot + path
	switch path {
	case base, temporary:
		return errors.Join(os.Mkdir(target, 0o777), os.Chmod(target, 0o777|fs.ModeSticky))
	case "/proc":
		return mountProc(target)
	case "/dev":
		return mountDevices(target)
	case "/sys":
		if err := os.Mkdir(target, 0o755); err != nil {
			return err
		}
		_ = bind(path, target, syscall.MS_RDONLY)
		return nil
	}
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return nil //nolint:nilerr // it has gone, or the user may not see it
	case info.Mode()&fs.ModeSymlink != 0:
		to, err := os.Readlink(path)
		if err != nil {
			return err
		}
		return os.Symlink(to, target)
	case !info.IsDir():
		if err := os.WriteFile(target, nil, 0o600); err != nil {
			return err
		}
		_ = bind(path, target, syscall.MS_RDONLY)
		return nil
	}
	if err := makeLike(target, info); err != nil {
		return err
	}
	if r.isMade(path) {
		return r.entries(path)
	}
	if r.overlay(path, target, info) != nil {
		_ = bind(path, target, syscall.MS_RDONLY)
	}
	return nil
}

// isMade reports whether a folder is made anew: there is a mount below it, or a path that must be writable.
func (r *root) isMade(path string) bool {
	if r.made[path] {
		return true
	}
	for _, mount := range r.mounts {
		if strings.HasPrefix(mount, path+"/") {
			return true
		}
	}
	return false
}

// overlay shows a folder, and keeps what is written to it in memory.
func (r *root) overlay(path, target string, info fs.FileInfo) error {
	if strings.ContainsAny(path, `,:\`) {
		return syscall.EINVAL // options cannot hold it
	}
	r.layers++
	layer := filepath.Join(layers, strconv.Itoa(r.layers))
	upper, work := layer+"/upper", layer+"/work"
	if err := os.Mkdir(layer, 0o700); err != nil {
		return err
	}
	if err := errors.Join(makeLike(upper, info), os.Mkdir(work, 0o700)); err != nil {
		return err
	}
	options := "lowerdir=" + path + ",upperdir=" + upper + ",workdir=" + work
	err := syscall.Mount("overlay", target, "overlay", 0, options+",userxattr")
	if err != nil { // before Linux 5.11, or with rights of root that userxattr takes away
		err = syscall.Mount("overlay", target, "overlay", 0, options)
	}
	return err
}

// makeLike makes a folder with the mode and, if possible, the owner of another one.
func makeLike(target string, info fs.FileInfo) error {
	if err := os.Mkdir(target, 0o755); err != nil {
		return err
	}
	if system, ok := info.Sys().(*syscall.Stat_t); ok {
		_ = os.Lchown(target, int(system.Uid), int(system.Gid))
	}
	return os.Chmod(target, info.Mode()&(fs.ModePerm|fs.ModeSticky))
}

// bind shows a file or folder at another path, with what is mounted below it.
func bind(path, target string, flags uintptr) error {
	if err := syscall.Mount(path, target, "", syscall.MS_BIND|syscall.MS_REC, ""); err != nil {
		return err
	}
	if flags == 0 {
		return nil
	}
	// In a user namespace the flags of the file system must stay.
	var system syscall.Statfs_t
	if err := syscall.Statfs(target, &system); err != nil {
		return err
	}
	const kept = syscall.MS_NOSUID | syscall.MS_NODEV | syscall.MS_NOEXEC
	return syscall.Mount("", target, "", syscall.MS_BIND|syscall.MS_REMOUNT|flags|uintptr(system.Flags)&kept, "")
}

// mountProc shows the processes of the namespace; where the kernel refuses that, as in containers that hide parts of /proc,
// those of the machine.
func mountProc(target string) error {
	if err := os.Mkdir(target, 0o555); err != nil {
		return err
	}
	if syscall.Mount("proc", target, "proc", syscall.MS_NOSUID|syscall.MS_NODEV|syscall.MS_NOEXEC, "") == nil {
		return nil
	}
	return bind("/proc", target, 0)
}

// mountDevices makes the devices that containers have
// (https://github.com/opencontainers/runtime-spec/blob/v1.2.0/config-linux.md#default-devices).
func mountDevices(target string) error {
	if err := os.Mkdir(target, 0o755); err != nil {
		return err
	}
	for _, name := range []string{"null", "zero", "full", "random", "urandom", "tty"} {
		if err := os.WriteFile(filepath.Join(target, name), nil, 0o600); err != nil {
			return err
		}
		if err := bind("/dev/"+name, filepath.Join(target, name), 0); err != nil {
			return err
		}
	}
	for name, to := range map[string]string{
		"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2",
	} {
		if err := os.Symlink(to, filepath.Join(target, name)); err != nil {
			return err
		}
	}
	shared := filepath.Join(target, "shm")
	return errors.Join(os.Mkdir(shared, 0o777), os.Chmod(shared, 0o777|fs.ModeSticky))
}

// mountEmpty makes an empty folder that every user may write to.
func mountEmpty(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return syscall.Mount("rplug", folder, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, "mode=0777")
}

// mountFile makes a file that nobody can change, as volumes with ConfigMaps and Secrets are.
func mountFile(file localrun.File) error {
	if err := writeFile(file.Path, file.Content, file.Mode); err != nil {
		return err
	}
	return bind(file.Path, file.Path, syscall.MS_RDONLY)
}

// mountPoints returns the mount points (proc(5), mountinfo).
func mountPoints() ([]string, error) {
	content, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	var points []string
	for line := range strings.Lines(string(content)) {
		if fields := strings.Fields(line); len(fields) > 4 {
			points = append(points, strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(fields[4]))
		}
	}
	return points, nil
}
