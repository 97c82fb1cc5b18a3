package localrun

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
)

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

// read returns the record in a file, or nil if the file does not exist, or if no run of this user has written it.
func (s *State) read(file string) (*record, error) {
	r, err := s.readAny(file)
	if err != nil || r == nil || !s.key.verifies(file, r) {
		return nil, err
	}
	return r, nil
}

// readAny returns the record in a file by any writer, or nil if the file does not exist.
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

// each calls do with each record of a sandbox, by any writer.
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
