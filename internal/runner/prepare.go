package runner

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// Prepare writes the files that the runner needs: the lock, the folder for outputs, and the plan. It may be called
// again, since the kubelet may run init containers twice; files of a runner that has already started are kept.
func (v *Volume) Prepare(plan contract.Plan) error {
	if err := v.createLock(); err != nil {
		return err
	}
	if err := v.makeFolder(relative(contract.OutputsFolder), sharedDir); err != nil {
		return err
	}
	content, err := json.Marshal(plan)
	if err != nil {
		return err
	}
	return v.write(relative(contract.PlanFile), content, readable)
}

// CopyRunner copies the runner from the file at source, which is in the helper image.
func (v *Volume) CopyRunner(source string) error {
	runner, err := os.ReadFile(source)
	if err != nil {
		return fmt.Errorf("cannot read the runner of the helper image: %w", err)
	}
	return v.write(relative(contract.RunnerFile), runner, executable)
}

func (v *Volume) createLock() error {
	name := relative(contract.LockFile)
	file, err := v.root.OpenFile(name, os.O_RDWR|os.O_CREATE, writable)
	if err != nil {
		return err
	}
	return errors.Join(file.Chmod(writable), file.Close())
}

// WriteInput writes a value to a file below InputsFolder.
func (v *Volume) WriteInput(name string, value []byte) error {
	if err := checkLocal(name); err != nil {
		return err
	}
	name = path.Join(relative(contract.InputsFolder), name)
	if err := v.makeParents(name); err != nil {
		return err
	}
	return v.create(name, value, readable)
}

// WriteReads writes the publications that were read, by producer, for the output manager.
func (v *Volume) WriteReads(publications []string) error {
	content, err := json.Marshal(publications)
	if err != nil {
		return err
	}
	return v.write(relative(contract.ReadsFile), content, readable)
}

// Reads returns the publications that WriteReads wrote.
func (v *Volume) Reads() (publications []string, err error) {
	content, err := v.read(relative(contract.ReadsFile), maxReads)
	if err != nil {
		return nil, fmt.Errorf("cannot read the file of the input manager: %w", err)
	}
	return publications, json.Unmarshal(content, &publications)
}

// maxReads limits the file of WriteReads, in bytes: each publication has fewer than 100.
const maxReads = contract.MaxProducers * 100

// Plan reads the plan that the input manager wrote.
func (v *Volume) Plan() (contract.Plan, error) {
	var plan contract.Plan
	content, err := v.read(relative(contract.PlanFile), contract.MaxOutputBytes)
	if err != nil {
		return plan, fmt.Errorf("cannot read the plan: the input manager must run first: %w", err)
	}
	return plan, json.Unmarshal(content, &plan)
}
