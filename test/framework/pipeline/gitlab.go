package pipeline

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// gitLabJob is a job of GitLab, as far as it is run: https://docs.gitlab.com/ci/yaml/.
type gitLabJob struct {
	Extends, Stage, Image string
	Rules                 []struct {
		If, When     string
		AllowFailure bool `yaml:"allow_failure"`
	}
	Variables     map[string]string
	ResourceGroup string `yaml:"resource_group"`
	Environment   struct {
		Name, Action string
		OnStop       string `yaml:"on_stop"`
	}
	BeforeScript []string `yaml:"before_script"`
	Script       []string
	AfterScript  []string `yaml:"after_script"`
}

// pushOptions is a hook that records the options of a push with which GitLab opens merge requests:
// https://docs.gitlab.com/topics/git/commit/#push-options.
const pushOptions = `#!/bin/sh
while read -r _ _ reference; do
  [ "$reference" != refs/heads/expired-sandboxes ] || env | sed -n 's/^GIT_PUSH_OPTION_[0-9]*=//p' | sort > "$FORGE/expired"
done
`

type gitLab struct {
	machine
	path string
}

// NewGitLab returns a forge that runs the jobs in a file of the project shop/shop. A merge request is of the branch
// pr-NUMBER.
func NewGitLab(t *testing.T, repository *Repository, path string, options Options) Forge {
	t.Helper()
	hook := filepath.Join(repository.bare(), "hooks", "post-receive")
	require.NoError(t, os.WriteFile(hook, []byte(pushOptions), 0o700)) //nolint:gosec // a program
	return &gitLab{machine{t, repository, options, newAPI(t)}, path}
}

func (g *gitLab) API() *API { return g.api }

func (g *gitLab) Push(number int) Run {
	g.t.Helper()
	g.repository.reference(g.reference(number), fmt.Sprintf("pr-%d", number))
	return g.run(func(_ gitLabJob, when string) bool { return when != "manual" }, g.mergeRequest(number))
}

// Close runs the job that the environment of the merge request names.
func (g *gitLab) Close(number int) (run Run) {
	g.t.Helper()
	environment, stop := "", ""
	for _, j := range g.jobs() {
		if j.Environment.OnStop != "" {
			environment, stop = j.Environment.Name, j.Environment.OnStop
		}
	}
	require.NotEmpty(g.t, stop, "no job has an environment with on_stop")
	j, ok := g.jobs()[stop]
	require.True(g.t, ok, "no job %s", stop)
	require.Equal(g.t, environment, j.Environment.Name)
	require.Equal(g.t, "stop", j.Environment.Action)
	isStop := func(j gitLabJob, when string) bool { return j.Environment.Action == "stop" && when == "manual" }
	return g.run(isStop, g.mergeRequest(number))
}

func (g *gitLab) Nightly() Run {
	g.t.Helper()
	return g.run(func(_ gitLabJob, when string) bool { return when != "manual" }, map[string]string{
		"CI_PIPELINE_SOURCE": "schedule", "reference": "refs/heads/main",
	})
}

func (*gitLab) reference(number int) string {
	return fmt.Sprintf("refs/merge-requests/%d/head", number)
}

func (g *gitLab) mergeRequest(number int) map[string]string {
	g.t.Helper()
	base := ""
	if g.repository.Git("branch", "--list", fmt.Sprintf("pr-%d", number)) != "" {
		base = g.repository.Git("merge-base", "main", fmt.Sprintf("pr-%d", number))
	}
	return map[string]string{
		"CI_PIPELINE_SOURCE": "merge_request_event", "CI_MERGE_REQUEST_IID": strconv.Itoa(number),
		"CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "7", "CI_MERGE_REQUEST_DIFF_BASE_SHA": base, "reference": g.reference(number),
	}
}

// jobs returns the jobs of the file on the branch main, each with those that it extends.
func (g *gitLab) jobs() map[string]gitLabJob {
	g.t.Helper()
	decoder := yaml.NewDecoder(bytes.NewReader([]byte(g.repository.Git("show", "main:"+g.path))))
	decoder.KnownFields(true)
	var jobs map[string]gitLabJob
	require.NoError(g.t, decoder.Decode(&jobs))
	for name, j := range jobs {
		base := jobs[j.Extends]
		if j.Extends != "" && j.BeforeScript == nil {
			j.BeforeScript = base.BeforeScript
		}
		jobs[name] = j
	}
	return jobs
}

// run runs the jobs whose rules and a choice include them.
func (g *gitLab) run(choose func(j gitLabJob, when string) bool, variables map[string]string) (run Run) {
	g.t.Helper()
	reference := variables["reference"]
	delete(variables, "reference")
	maps.Copy(variables, map[string]string{
		"CI_PROJECT_ID": "7", "CI_API_V4_URL": "https://gitlab.example.com/api/v4", "CI_DEFAULT_BRANCH": "main",
		"CI_PROJECT_URL": "https://gitlab.example.com/shop/shop", "CI_REPOSITORY_URL": g.repository.URL, "API_TOKEN": "api-token",
		"CI_JOB_URL":       "https://gitlab.example.com/shop/shop/-/jobs/1",
		"GITLAB_USER_NAME": "dev", "GITLAB_USER_EMAIL": "dev@example.com",
		// A push to the forge reaches the server.
		"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "url." + g.repository.URL + ".insteadOf",
		"GIT_CONFIG_VALUE_0": "https://gitlab.example.com/shop/shop.git",
	})
	jobs := g.jobs()
	for _, name := range slices.Sorted(maps.Keys(jobs)) {
		if j := jobs[name]; !strings.HasPrefix(name, ".") && g.includes(j, choose, variables) {
			run.add(name, g.job(&run, j, reference, variables))
		}
	}
	return run
}

func (g *gitLab) includes(j gitLabJob, choose func(j gitLabJob, when string) bool, variables map[string]string) bool {
	g.t.Helper()
	for _, rule := range j.Rules {
		ok, err := condition(rule.If, func(name string) (string, error) {
			variable, isVariable := strings.CutPrefix(name, "$")
			if !isVariable {
				return "", fmt.Errorf("unknown operand %q", name)
			}
			return variables[variable], nil
		})
		require.NoError(g.t, err)
		if ok {
			return choose(j, rule.When)
		}
	}
	return false
}

// job runs the scripts of a job: before_script and script in one shell, after_script in another one, which can fail.
func (g *gitLab) job(run *Run, j gitLabJob, reference string, variables map[string]string) error {
	g.t.Helper()
	folder := g.t.TempDir()
	if j.Variables["GIT_STRATEGY"] != "none" {
		depth := "20"
		if own := j.Variables["GIT_DEPTH"]; own != "" {
			depth = own
		}
		folder = g.repository.checkout(reference, depth)
	}
	kubeconfig := filepath.Join(g.t.TempDir(), "KUBECONFIG")
	require.NoError(g.t, os.WriteFile(kubeconfig, []byte(g.options.Kubeconfig), 0o600))
	env := []string{"CI_PROJECT_DIR=" + folder, "KUBECONFIG=" + kubeconfig}
	for _, all := range []map[string]string{variables, j.Variables} {
		for name, value := range all {
			env = append(env, name+"="+value)
		}
	}
	shell := []string{"bash", "-eo", "pipefail"}
	err := g.shell(run, folder, strings.Join(slices.Concat(j.BeforeScript, j.Script), "\n"), env, shell...)
	status := "success"
	if err != nil {
		status = "failed"
	}
	env = append(env, "CI_JOB_STATUS="+status)
	if after := g.shell(run, folder, strings.Join(j.AfterScript, "\n"), env, shell...); after != nil {
		run.Log += "\nafter_script: " + after.Error() + "\n"
	}
	return err
}
