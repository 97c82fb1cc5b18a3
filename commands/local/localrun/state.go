package localrun

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/atomicfile"
	"github.com/resource-plugins/krm-functions/internal/contract"
)

// StateFolder is the name of the folder of a State. Folders with this name are not read as input.
const StateFolder = ".rplug"

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

// record is the state of a step, as in its Secret in a cluster.
type record struct {
	Resource string         `json:"resource"`
	Phase    v1alpha1.Phase `json:"phase"`
	Step     string         `json:"step"`
	// Secret is the name of the step's Secret; empty for a step without data flow.
	Secret string `json:"secret,omitempty"`
	// Published is the generation of the outputs in Data, and Failed the generation that failed last.
	Published string            `json:"published,omitempty"`
	Failed    string            `json:"failed,omitempty"`
	Data      map[string][]byte `json:"data,omitempty"`
	// Code authenticates the other fields: see stateKey.
	Code string `json:"code,omitempty"`
}

// Folders of a state, with a subfolder for each sandbox id.
const (
	stepsFolder = "steps"
	logsFolder  = "logs"
)

// maxRecord is a limit above the size of any record: the outputs of one Secret as base64, and names.
const maxRecord = 2*contract.MaxOutputBytes + 1<<16

// recordFile returns the file of a step with a Secret, or of a step without.
func recordFile(sandboxID, secret string) string {
	return path.Join(stepsFolder, contract.FileName(sandboxID), contract.FileName(secret)+".json")
}

// file returns the file of the step's record. A step without a Secret is identified by its names.
func (s *step) file() string {
	if s.output != "" {
		return recordFile(s.sandboxID, s.output)
	}
	name := contract.ObjectName(contract.Hash("plain", s.resource, string(s.phase), s.name), s.resource, s.name)
	return recordFile(s.sandboxID, "plain-"+name)
}

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

// read returns the record in a file, or nil if the file does not exist, or if no run of this user has written it.
func (s *State) read(file string) (*record, error) {
	r, err := s.readAny(file)
	if err != nil || r == nil || !s.key.verifies(file, r) {
		return nil, err
	}
	return r, nil
}

// readAny returns the record in a file, whoever has written it, or nil if the file does not exist.
func (s *State) readAny(file string) (*record, error) {
	if err := s.check(file); err != nil {
		return nil, err
	}
	opened, err := os.Open(filepath.Join(s.folder, filepath.FromSlash(file)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = opened.Close() }()
	content := make([]byte, 0, 1<<12)
	buffer := bytes.NewBuffer(content)
	if _, err := buffer.ReadFrom(&limited{opened, maxRecord}); err != nil {
		return nil, err
	}
	r, err := parseRecord(buffer.Bytes())
	if err != nil {
		return nil, fmt.Errorf("%s must hold what a run has written: remove it, and the step runs again", opened.Name())
	}
	return r, nil
}

func parseRecord(content []byte) (*record, error) {
	r := &record{}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(r); err != nil {
		return nil, err
	}
	if decoder.More() {
		return nil, errors.New("more than one record")
	}
	return r, nil
}

// write replaces a record.
func (s *State) write(file string, r *record) error {
	code, err := s.key.sign(file, r)
	if err != nil {
		return err
	}
	r.Code = code
	content, err := json.Marshal(r)
	if err == nil {
		err = s.check(file)
	}
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(s.folder, filepath.FromSlash(path.Dir(file))), ownerFolder); err != nil {
		return err
	}
	return s.held.ReplacePrivate(file, append(content, '\n'))
}

// update changes the record of a step.
func (s *State) update(of *step, change func(*record)) error {
	r, err := s.read(of.file())
	if err != nil {
		return err
	}
	if r == nil {
		r = &record{}
	}
	r.Resource, r.Phase, r.Step, r.Secret = of.resource, of.phase, of.name, of.output
	change(r)
	return s.write(of.file(), r)
}

// each calls do with each record of a sandbox, whoever has written it.
func (s *State) each(sandboxID string, do func(file string, r *record) error) error {
	folder := path.Join(stepsFolder, contract.FileName(sandboxID))
	if err := s.check(folder); err != nil {
		return err
	}
	entries, err := os.ReadDir(filepath.Join(s.folder, filepath.FromSlash(folder)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".json") {
			continue
		}
		file := path.Join(folder, entry.Name())
		r, err := s.readAny(file)
		if err != nil {
			return err
		}
		if err := do(file, r); err != nil {
			return err
		}
	}
	return err
}

func (s *State) remove(file string) error {
	return os.Remove(filepath.Join(s.folder, filepath.FromSlash(file)))
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
