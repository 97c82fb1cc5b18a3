package process

import (
	"errors"
	"os"
	"os/exec"
)

func supported() error {
	return errors.New("the process engine runs on Unix systems only: use --engine docker or --engine podman")
}

func setGroup(*exec.Cmd, bool) {}

func regainTerminal(*os.File) {}

func endGroup(*exec.Cmd) {}

func awaitOthers(int, string) bool { return false }

func exitCode(state *os.ProcessState) int { return state.ExitCode() }
