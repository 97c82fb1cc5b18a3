package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/resource-plugins/krm-functions/commands/local/localrun"
	"github.com/resource-plugins/krm-functions/internal/atomicfile"
)

// machineFolders are folders of this machine, such as /outputs, in which a step without bubblewrap has its files. The user
// has made them for that; they are empty before and after each step. Of folders for temporary files, only the step's files
// are removed. One step at a time has a folder, also one for temporary files: other steps may have files at the same paths.
type machineFolders struct {
	locks   []*atomicfile.FolderLock
	shared  []string // folders for temporary files
	folders []string // whose content is removed
	files   []string // in the folders for temporary files
}

// claimFolders waits until no other step has the folders of a container's paths, and puts its files there.
func claimFolders(ctx context.Context, container localrun.Container) (*machineFolders, error) {
	m := &machineFolders{}
	paths := pathsOf(container)
	for _, path := range paths {
		if folder, isTemporary := temporaryOf(path); isTemporary {
			m.shared = append(m.shared, folder)
		} else {
			m.folders = append(m.folders, topOf(path))
		}
	}
	m.shared, m.folders = sorted(m.shared), sorted(m.folders)
	if err := m.check(); err != nil {
		return nil, err
	}
	err := m.lock(ctx)
	if err == nil {
		err = m.checkEmpty(paths)
	}
	if err != nil {
		m.unlock()
		return nil, err
	}
	if err := place(container); err != nil {
		m.release()
		return nil, err
	}
	return m, nil
}

// pathsOf returns the absolute paths that a container needs, without that of its script.
func pathsOf(container localrun.Container) (paths []string) {
	for _, file := range filesOf(container) {
		paths = append(paths, filepath.Clean(file.Path))
	}
	for _, folder := range container.Folders {
		paths = append(paths, filepath.Clean(folder))
	}
	if container.Plan != nil {
		for _, output := range container.Plan.Outputs {
			paths = append(paths, filepath.Clean(output.Path))
		}
	}
	return paths
}

// temporaryOf returns the folder for temporary files that a path is in.
func temporaryOf(path string) (folder string, found bool) {
	for _, folder := range []string{"/tmp", temporary} {
		if strings.HasPrefix(path, folder+"/") {
			return folder, true
		}
	}
	return "", false
}

func sorted(folders []string) []string { return slices.Compact(slices.Sorted(slices.Values(folders))) }

// firstMissing returns the highest part of a path that does not exist, or the path.
func firstMissing(path string) string {
	for {
		above := filepath.Dir(path)
		if _, err := os.Lstat(above); err == nil {
			return path
		}
		path = above
	}
}

// topOf returns the first folder of a path: /outputs of /outputs/url.
func topOf(path string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return "/" + name
}

// check returns an error about all folders that the user must make first.
func (m *machineFolders) check() error {
	var missing []string
	for _, folder := range m.folders {
		info, err := os.Lstat(folder)
		switch {
		case errors.Is(err, os.ErrNotExist):
			missing = append(missing, folder)
		case err != nil:
			return err
		case !info.IsDir():
			return fmt.Errorf("%q must be a folder: without bubblewrap, a step has its files in it", folder)
		case unix.Access(folder, unix.W_OK|unix.X_OK) != nil:
			missing = append(missing, folder)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("folders that you may write to must be at %s, since bubblewrap does not work here: make them with `%s`, "+
		"or use --engine docker or --engine podman", strings.Join(missing, ", "), makeFolders(missing))
}

// makeFolders returns the command that makes folders at the root for the user.
func makeFolders(folders []string) string {
	if os.Geteuid() == 0 {
		return "install -d " + strings.Join(folders, " ")
	}
	return `sudo install -d -o "$USER" ` + strings.Join(folders, " ")
}

// lock waits until no other step, of this or another program, has the folders. All steps lock in the same order, or two
// could wait for each other.
func (m *machineFolders) lock(ctx context.Context) error {
	for _, folder := range sorted(slices.Concat(m.shared, m.folders)) {
		lock, err := atomicfile.AwaitFolder(ctx, folder)
		if err != nil {
			return err
		}
		m.locks = append(m.locks, lock)
	}
	return nil
}

// checkEmpty refuses files that are not of the step, and would be removed behind it.
func (m *machineFolders) checkEmpty(paths []string) error {
	for _, folder := range m.folders {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return err
		}
		if len(entries) > 0 {
			return fmt.Errorf("folder %q must be empty before a step, but has %q: remove it", folder, entries[0].Name())
		}
	}
	for _, path := range paths {
		if _, isTemporary := temporaryOf(path); !isTemporary {
			continue
		}
		if _, err := os.Lstat(path); err == nil {
			return fmt.Errorf("%q must not exist before a step: remove it", path)
		}
		m.files = append(m.files, firstMissing(path))
	}
	return nil
}

// place writes the files of a container, and makes its folders.
func place(container localrun.Container) error {
	for _, folder := range container.Folders {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return err
		}
	}
	for _, file := range filesOf(container) {
		if err := os.MkdirAll(filepath.Dir(file.Path), 0o777); err != nil {
			return err
		}
		if err := create(file); err != nil {
			return err
		}
	}
	return nil
}

// create writes a new file. Others may write to folders for temporary files, so it follows no link that one of them has put
// there meanwhile.
func create(file localrun.File) error {
	created, err := os.OpenFile(file.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, file.Mode.Perm())
	if err != nil {
		return err
	}
	_, err = created.Write(file.Content)
	return errors.Join(err, created.Close())
}

// release removes all files of the step, and gives the folders back.
func (m *machineFolders) release() {
	for _, folder := range m.folders {
		entries, _ := os.ReadDir(folder)
		for _, entry := range entries {
			_ = os.RemoveAll(filepath.Join(folder, entry.Name()))
		}
	}
	for _, file := range m.files {
		_ = os.RemoveAll(file)
	}
	m.unlock()
}

func (m *machineFolders) unlock() {
	for _, lock := range m.locks {
		lock.Unlock()
	}
}

// FoldersCommand returns the command that makes the usual folders of steps without bubblewrap, empty if they are there.
func FoldersCommand() string {
	usual := []string{"/inputs", "/outputs"}
	if (&machineFolders{folders: usual}).check() == nil {
		return ""
	}
	return makeFolders(usual)
}
