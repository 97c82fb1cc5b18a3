// Package pipeline runs the CI of a repository on this machine: the steps of a workflow of GitHub, or the jobs of a
// .gitlab-ci.yml, with the shells, variables and checkouts that the runners of these forges have. Repository is a local Git
// server. The API of the forge and the installers of programs are scripts, which refuse calls that they do not know.
//
//	repository := pipeline.NewRepository(t, files)
//	forge := pipeline.NewGitHub(t, repository, pipeline.Options{Path: programs})
//	run := forge.Push(42)
package pipeline

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Forge runs the CI of a repository at an event.
type Forge interface {
	// Push is the event of a pull request that was opened, or whose branch was pushed to.
	Push(number int) Run
	// Close is the event of a pull request that was closed, or merged.
	Close(number int) Run
	// Nightly is the event of the schedule.
	Nightly() Run
	// API stands in for that of the forge.
	API() *API
}

// Options are the environment of the CI.
type Options struct {
	// Path are folders of programs, such as rplug and kubectl.
	Path []string
	// Kubeconfig is the text of the file to which the users of the CI give access.
	Kubeconfig string
	// Env has more variables, as NAME=VALUE.
	Env []string
}

// Run is the result of an event.
type Run struct {
	Failed []string // the jobs that failed, sorted
	Passed []string // the jobs that passed, sorted
	Log    string   // the output of all jobs
}

func (r *Run) add(job string, err error) {
	if err != nil {
		r.Log += "\n" + job + ": " + err.Error() + "\n"
		r.Failed = append(r.Failed, job)
		return
	}
	r.Passed = append(r.Passed, job)
}

// machine runs the scripts of a forge.
type machine struct {
	t          *testing.T
	repository *Repository
	options    Options
	api        *API
}

// shell runs a script in a folder, and adds its output to the log.
func (m *machine) shell(run *Run, folder, script string, env []string, shell ...string) error {
	m.t.Helper()
	file := filepath.Join(m.t.TempDir(), "script")
	require.NoError(m.t, os.WriteFile(file, []byte(script), 0o600))
	command := exec.CommandContext(m.t.Context(), shell[0], append(shell[1:], file)...)
	command.Dir = folder
	path := slices.Concat([]string{m.api.folder}, m.options.Path, []string{os.Getenv("PATH")})
	command.Env = slices.Concat([]string{
		"PATH=" + strings.Join(path, string(os.PathListSeparator)), "HOME=" + m.api.home, "CI=true", "FORGE=" + m.api.folder,
	}, gitEnv, m.options.Env, env)
	out, err := command.CombinedOutput()
	run.Log += string(out)
	return err
}
