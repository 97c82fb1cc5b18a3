package pipeline

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// workflow is a workflow of GitHub, as far as it is run:
// https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax.
type workflow struct {
	Name        string
	On          yaml.Node
	Permissions map[string]string
	Concurrency struct {
		Group            string
		CancelInProgress bool `yaml:"cancel-in-progress"`
	}
	Defaults struct{ Run struct{ Shell string } }
	Env      map[string]string
	Jobs     map[string]*workflowJob
}

type workflowJob struct {
	If          string
	RunsOn      string `yaml:"runs-on"`
	Timeout     int    `yaml:"timeout-minutes"`
	Permissions map[string]string
	Steps       []workflowStep
}

type workflowStep struct {
	ID, Name, If, Uses, Run string
	With, Env               map[string]string
}

type gitHub struct {
	machine
	path string
}

// NewGitHub returns a forge that runs a workflow of the repository shop/shop. Its secret PREVIEW_KUBECONFIG is the
// kubeconfig of the options. A pull request is of the branch pr-NUMBER.
func NewGitHub(t *testing.T, repository *Repository, path string, options Options) Forge {
	t.Helper()
	return &gitHub{machine{t, repository, options, newAPI(t)}, path}
}

func (g *gitHub) API() *API { return g.api }

func (g *gitHub) Push(number int) Run {
	g.t.Helper()
	r, branch := g.repository, fmt.Sprintf("pr-%d", number)
	r.Git("switch", "--quiet", "--detach", "main")
	r.Git("merge", "--quiet", "--no-ff", "--message", "merge", branch)
	r.reference(fmt.Sprintf("refs/pull/%d/merge", number), "HEAD")
	return g.pullRequest(number, "synchronize")
}

func (g *gitHub) Close(number int) Run {
	g.t.Helper()
	return g.pullRequest(number, "closed")
}

func (g *gitHub) pullRequest(number int, action string) Run {
	g.t.Helper()
	return g.run(map[string]string{
		"github.event_name": "pull_request", "github.event.action": action, "github.event.number": strconv.Itoa(number),
		"github.event.pull_request.head.repo.full_name": "shop/shop", "github.actor": "dev",
		"github.ref": fmt.Sprintf("refs/pull/%d/merge", number),
	})
}

func (g *gitHub) Nightly() Run {
	g.t.Helper()
	return g.run(map[string]string{"github.event_name": "schedule", "github.event.number": "", "github.ref": "refs/heads/main"})
}

// run runs all jobs of the workflow on the branch main whose conditions an event meets.
func (g *gitHub) run(event map[string]string) (run Run) {
	g.t.Helper()
	decoder := yaml.NewDecoder(bytes.NewReader([]byte(g.repository.Git("show", "main:"+g.path))))
	decoder.KnownFields(true)
	var w workflow
	require.NoError(g.t, decoder.Decode(&w))
	maps.Copy(event, map[string]string{
		"github.repository": "shop/shop", "github.event.repository.default_branch": "main", "github.token": "token",
		"github.server_url": "https://github.com", "github.run_id": "1", "secrets.PREVIEW_KUBECONFIG": g.options.Kubeconfig,
	})
	for _, name := range slices.Sorted(maps.Keys(w.Jobs)) {
		j := &jobRun{gitHub: g, workflow: &w, job: w.Jobs[name], context: maps.Clone(event), run: &run}
		if j.holds(j.job.If) {
			run.add(name, j.steps())
		}
	}
	return run
}

// jobRun is one run of a job.
type jobRun struct {
	*gitHub
	workflow *workflow
	job      *workflowJob
	context  map[string]string // the values of expressions
	run      *Run
	failed   error
	folder   string // the checkout
	env      []string
}

var expression = regexp.MustCompile(`\$\{\{ (.*?) \}\}`)

// holds reports whether a condition is met.
func (j *jobRun) holds(text string) bool {
	j.t.Helper()
	if found := expression.FindStringSubmatch(text); found != nil {
		text = found[1]
	}
	ok, err := condition(text, func(name string) (string, error) {
		switch value, ok := j.context[name]; {
		case name == "!cancelled()":
			return "true", nil
		case !ok:
			return "", fmt.Errorf("unknown expression %q", name)
		default:
			return value, nil
		}
	})
	require.NoError(j.t, err)
	return ok
}

// expand replaces the expressions in a text.
func (j *jobRun) expand(text string) string {
	j.t.Helper()
	return expression.ReplaceAllStringFunc(text, func(found string) string {
		value, ok := j.context[expression.FindStringSubmatch(found)[1]]
		require.True(j.t, ok, "unknown expression %s", found)
		return value
	})
}

func (j *jobRun) steps() error {
	j.t.Helper()
	temp := j.t.TempDir()
	variables := filepath.Join(temp, "variables")
	require.NoError(j.t, os.WriteFile(variables, nil, 0o600))
	j.env = []string{
		"RUNNER_TEMP=" + temp, "GITHUB_ENV=" + variables, "GITHUB_REPOSITORY=shop/shop", "GITHUB_REPOSITORY_OWNER=shop",
		"GITHUB_REF_NAME=" + strings.TrimPrefix(j.context["github.ref"], "refs/heads/"),
	}
	j.addEnv(j.workflow.Env)
	for _, step := range j.job.Steps {
		if step.If == "" && j.failed != nil || step.If != "" && !j.holds(step.If) {
			continue
		}
		err := j.step(step)
		if j.failed == nil {
			j.failed = err
		}
		outcome := "success"
		if err != nil {
			outcome = "failure"
		}
		j.context["steps."+step.ID+".outcome"] = outcome
		text, err := os.ReadFile(variables)
		require.NoError(j.t, err)
		j.env = append(j.env, strings.Fields(string(text))...)
	}
	return j.failed
}

func (j *jobRun) addEnv(env map[string]string) {
	j.t.Helper()
	for name, value := range env {
		j.env = append(j.env, name+"="+j.expand(value))
	}
}

// step runs a script or an action.
func (j *jobRun) step(step workflowStep) error {
	j.t.Helper()
	switch action, _, _ := strings.Cut(step.Uses, "@"); action {
	case "actions/checkout":
		reference, depth := cmp.Or(j.expand(step.With["ref"]), j.context["github.ref"]), cmp.Or(step.With["fetch-depth"], "1")
		j.folder = j.repository.checkout(reference, depth)
		return nil
	case "actions/setup-go":
		return nil
	case "":
	default:
		j.t.Fatalf("unknown action %s", step.Uses)
	}
	shared := j.env
	defer func() { j.env = shared }()
	j.env = slices.Clone(shared)
	j.addEnv(step.Env)
	require.Equal(j.t, "bash", j.workflow.Defaults.Run.Shell)
	return j.shell(j.run, j.folder, step.Run, j.env, "bash", "--noprofile", "--norc", "-eo", "pipefail")
}
