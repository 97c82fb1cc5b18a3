package handover

import (
	"encoding/json"
	"fmt"
	"os"
	"path"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// Prepare makes what the runner needs: the lock, the folder for outputs, the plan and the runner itself, copied from
// the file at source. It may be called again, should the kubelet run the init containers twice: nothing that a runner
// left is touched.
func (f *Folder) Prepare(plan contract.Plan, source string) error {
	if err := f.makeLock(); err != nil {
		return err
	}
	if err := f.folder(inside(contract.OutputsFolder), sharedDir); err != nil {
		return err
	}
	content, err := json.Marshal(plan)
	if err != nil {
		return err
	}
	if err := f.write(inside(contract.PlanFile), content, readable); err != nil {
		return err
	}
	runner, err := os.ReadFile(source)
	if err != nil {
		return fmt.Errorf("the helper image must hold the runner: %w", err)
	}
	return f.write(inside(contract.RunnerFile), runner, executable)
}

// WriteInput puts a value into the file below InputsFolder.
func (f *Folder) WriteInput(name string, value []byte) error {
	if err := local(name); err != nil {
		return err
	}
	name = path.Join(inside(contract.InputsFolder), name)
	if err := f.folders(name); err != nil {
		return err
	}
	return f.create(name, value, readable)
}

// Plan is what the input manager left for the runner.
func (f *Folder) Plan() (contract.Plan, error) {
	var plan contract.Plan
	content, err := f.read(inside(contract.PlanFile), contract.MaxOutputBytes)
	if err != nil {
		return plan, fmt.Errorf("the input manager must have run before: %w", err)
	}
	return plan, json.Unmarshal(content, &plan)
}
