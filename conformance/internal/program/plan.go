package program

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// plan is how a process is started.
type plan struct {
	args       []string
	env        []string // nil is the environment of this process
	folder     string   // the working folder; empty is that of this process
	temporary  bool     // the folder is removed afterwards
	attributes *syscall.SysProcAttr
}

func (p Program) plan(conditions []string) (*plan, error) {
	if p.Image != "" {
		return p.containerPlan(conditions)
	}
	made := &plan{args: p.Args}
	var sandbox []string
	for _, condition := range conditions {
		switch condition {
		case "no-network":
			sandbox = append(sandbox, "--unshare-net", "--dev-bind", "/", "/")
		case "read-only":
			sandbox = append(sandbox, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc")
		case "no-environment":
			made.env = []string{}
		case "nobody":
			attributes, err := unprivileged()
			if err != nil {
				return nil, err
			}
			made.attributes = attributes
		case "empty-folder":
			folder, err := os.MkdirTemp("", "krm-conformance-")
			if err != nil {
				return nil, err
			}
			made.folder, made.temporary = folder, true
		default:
			return nil, fmt.Errorf("unknown condition %q", condition)
		}
	}
	if sandbox == nil {
		return made, nil
	}
	program, err := exec.LookPath("bwrap")
	if err != nil {
		return nil, Unavailable{"needs bubblewrap (bwrap) on the PATH"}
	}
	sandbox = append([]string{program}, sandbox...)
	if err := exec.Command(sandbox[0], append(sandbox[1:len(sandbox):len(sandbox)], "true")...).Run(); err != nil {
		return nil, Unavailable{"bubblewrap (bwrap) does not work on this machine: " + err.Error()}
	}
	made.args = append(append(sandbox, "--"), p.Args...)
	return made, nil
}

// containerPlan runs an image as kustomize and kpt do.
func (p Program) containerPlan(conditions []string) (*plan, error) {
	args := []string{p.Runtime, "run", "--rm", "-i", "--network", "none", "--user", "nobody",
		"--security-opt=no-new-privileges"}
	for _, condition := range conditions {
		switch condition {
		case "no-network", "nobody", "no-environment": // as always
		case "read-only":
			args = append(args, "--read-only")
		default:
			return nil, Unavailable{"is tested with programs only"}
		}
	}
	for _, mount := range p.Mounts {
		args = append(args, "--mount", mount)
	}
	return &plan{args: append(append(args, p.Image), p.Args...)}, nil
}

func (p *plan) remove() {
	if p.temporary {
		_ = os.RemoveAll(p.folder)
	}
}

// left returns the files in a temporary folder.
func (p *plan) left() ([]string, error) {
	if !p.temporary {
		return nil, nil
	}
	entries, err := os.ReadDir(p.folder)
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names, err
}
