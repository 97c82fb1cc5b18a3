package localrun

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/atomicfile"
	"github.com/resource-plugins/krm-functions/internal/contract"
)

// StateFolder is the name of the folder of a State. Folders with this name are not read as input.
const StateFolder = ".rplug"

// KeptFolder is a folder for Options.Keep.
const KeptFolder = StateFolder + "/kept"

// State is a folder that replaces the Secrets of the cluster: it holds published outputs, and logs. Only one process at a
// time changes it.
type State struct {
	folder string
	held   *atomicfile.FolderLock // during a run
	key    stateKey
	lost   error // why the key is that of this process only
}

// Modes of folders and files in the state: outputs are secrets.
const (
	ownerFolder = 0o700
	ownerFile   = 0o600
)

// OpenState opens a state. A missing folder is created, with a file that makes git ignore it.
func OpenState(folder string) (*State, error) {
	if err := os.MkdirAll(folder, ownerFolder); err != nil {
		return nil, err
	}
	info, err := os.Lstat(folder)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s must be a folder, since it keeps the outputs of steps", folder)
	}
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(folder, ownerFolder); err != nil {
		return nil, err
	}
	file := filepath.Join(folder, ".gitignore")
	if info, err := os.Lstat(file); err != nil || info.Size() == 0 { // empty after a process was killed
		if err := os.WriteFile(file, []byte("*\n"), ownerFile); err != nil {
			return nil, err
		}
	}
	s := &State{folder: folder}
	s.key, s.lost = openKey(folder)
	return s, nil
}

// lock waits until no other run uses the folder.
func (s *State) lock(ctx context.Context) (unlock func(), err error) {
	held, err := atomicfile.LockFolder(ctx, s.folder)
	if err != nil {
		return nil, err
	}
	s.held = held
	return held.Unlock, nil
}

// Folders of a state, with a subfolder for each sandbox id.
const (
	stepsFolder = "steps"
	logsFolder  = "logs"
)

// check returns an error if a file of the state, or a folder in it, is a link or something else that a run does not write: a
// cloned repository may hold it, and outputs would be written elsewhere.
func (s *State) check(file string) error {
	at := s.folder
	parts := strings.Split(file, "/")
	for i, part := range parts {
		at = filepath.Join(at, part)
		info, err := os.Lstat(at)
		switch isLast := i == len(parts)-1; {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case isLast && !info.Mode().IsRegular() && !info.IsDir(), !isLast && !info.IsDir():
			return fmt.Errorf("%s must be a file or folder that a run has written, not a link: remove it", at)
		}
	}
	return nil
}

// begin prepares the state for a phase. Records of steps without data flow in the other phase are removed, like their Jobs
// by `kubectl apply --prune`, so that a create, a delete and another create each run all steps. With rerun, the records of
// this phase are removed, too, and so are records that no run of this user has written.
func (s *State) begin(p *phase, rerun bool, warn func(string)) error {
	resources := map[string]bool{}
	for _, step := range p.steps {
		resources[step.resource] = true
	}
	return s.each(p.sandboxID, func(file string, r *record) error {
		if !s.key.verifies(file, r) {
			if warn != nil {
				warn(s.foreign(file))
			}
			return s.remove(file)
		}
		isOther := r.Phase != p.name && r.Secret == ""
		if resources[r.Resource] && (isOther || rerun && r.Phase == p.name) {
			return s.remove(file)
		}
		return nil
	})
}

// foreign is the message about a record that is ignored.
func (s *State) foreign(file string) string {
	at := filepath.Join(s.folder, filepath.FromSlash(file))
	if s.lost != nil {
		return fmt.Sprintf("%s is ignored, and its step runs again: the key of records is not kept: %v", at, s.lost)
	}
	return at + " is ignored, and its step runs again: no run of yours has written it as it is"
}

// clean removes all records of a resource, but keeps logs.
func (s *State) clean(sandboxID, resource string) error {
	err := s.each(sandboxID, func(file string, r *record) error {
		if r.Resource != resource {
			return nil
		}
		return s.remove(file)
	})
	// This fails if other resources have records.
	_ = os.Remove(filepath.Join(s.folder, stepsFolder, contract.FileName(sandboxID)))
	return err
}

// log creates the log file of a step. Links in the folder are not followed out of it.
func (s *State) log(of *step) (*os.File, error) {
	root, err := os.OpenRoot(s.folder)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	folder := path.Join(logsFolder, contract.FileName(of.sandboxID))
	if err := root.MkdirAll(folder, ownerFolder); err != nil {
		return nil, err
	}
	name := contract.ObjectName(contract.Hash(of.resource, string(of.phase), of.name), of.resource, string(of.phase), of.name)
	file := path.Join(folder, name+".log")
	if err := root.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return root.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, ownerFile)
}
