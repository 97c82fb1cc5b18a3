//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// page runs the commands of docs/howto/kubectl.md for a sandbox, unchanged.
type page struct {
	*testNamespace
	sandbox string
	folder  string            // the working directory of the commands
	scripts map[string]string // the sh blocks by heading
}

func newPage(s *testNamespace, sandbox string) *page {
	s.t.Helper()
	lockSandbox(s.t, sandbox)
	text, err := os.ReadFile(filepath.Join(checkout.Root(), "docs", "howto", "kubectl.md"))
	require.NoError(s.t, err)
	p := &page{testNamespace: s, sandbox: sandbox, folder: s.t.TempDir(), scripts: map[string]string{}}
	heading, isScript := "", false
	for line := range strings.Lines(string(text)) {
		switch title, isHeading := strings.CutPrefix(line, "## "); {
		case isHeading:
			heading = strings.TrimSpace(title)
		case strings.HasPrefix(line, "```"):
			isScript = line == "```sh\n"
		case isScript:
			p.scripts[heading] += line
		}
	}
	p.write("status.gotemplate", p.bash("rplug status --print-template"))
	return p
}

// write writes a file for the commands.
func (p *page) write(file, text string) {
	p.t.Helper()
	require.NoError(p.t, os.WriteFile(filepath.Join(p.folder, file), []byte(text), 0o644))
}

// run runs the commands below a heading of the page.
func (p *page) run(heading string) string {
	p.t.Helper()
	require.NotEmpty(p.t, p.scripts[heading], "the page must have commands below %q", heading)
	id := contract.DeriveSandboxID("e2e", p.sandbox)
	return p.bash(strings.ReplaceAll(p.scripts[heading], contract.SandboxIDKey+"=ID", contract.SandboxIDKey+"="+id))
}

func (p *page) bash(script string) string {
	p.t.Helper()
	stdout, _, err := execute(p.command(script), "")
	require.NoError(p.t, err, stdout)
	return stdout
}

func (p *page) command(script string) *exec.Cmd {
	command := exec.Command("bash", "-euo", "pipefail", "-c", script)
	command.Dir = p.folder
	command.Env = append(os.Environ(), "KUBECONFIG="+filepath.Join(suite.node, "kubeconfig"),
		"PATH="+suite.programs+":"+filepath.Dir(suite.kubectl)+":"+os.Getenv("PATH"))
	return command
}

// statusReport is the JSON of rplug status.
type statusReport struct {
	Status string
	Steps  []struct {
		State, Step, Detail string
		Containers          []struct{ Container, Message string }
	}
}

// states returns the states by step.
func (r statusReport) states() map[string]string {
	states := map[string]string{}
	for _, step := range r.Steps {
		states[step.Step[strings.LastIndex(step.Step, "/")+1:]] = step.State
	}
	return states
}

// status returns the report of rplug status about a file. The template for kubectl must give the same result, except that it
// does not know missing Jobs, and knows only the end of a Workflow or PipelineRun.
func (p *page) status(file string, arguments ...string) statusReport {
	p.t.Helper()
	report := p.jsonStatus(file, arguments...)
	isKnown := p.engine == "" || p.hasEnded()
	if report.Status != "InProgress" && report.Status != "Missing" && isKnown {
		alone := p.bash("kubectl get -f " + file + " --ignore-not-found -o go-template-file=status.gotemplate")
		assert.True(p.t, strings.HasSuffix(alone, "status: "+report.Status+"\n"), "%v\n%s", report, alone)
	}
	return report
}

// jsonStatus returns the report of rplug status about a file, for states that the template does not know.
func (p *page) jsonStatus(file string, arguments ...string) (report statusReport) {
	p.t.Helper()
	stdout, stderr, _ := execute(p.command("rplug status -o json --render "+file+" "+strings.Join(arguments, " ")), "")
	require.NoError(p.t, json.Unmarshal([]byte(stdout), &report), stderr)
	return report
}

// found returns the report of rplug status about the sandbox without its render.
func (p *page) found() statusReport {
	p.t.Helper()
	var report statusReport
	stdout, stderr, _ := execute(p.command("rplug status -o json -n "+p.name+" "+p.sandbox), "")
	require.NoError(p.t, json.Unmarshal([]byte(stdout), &report), stderr)
	return report
}

// ready waits until create.yaml is ready. The report without the render must be the same.
func (p *page) ready() {
	p.t.Helper()
	report := p.status("create.yaml", "--wait", "--timeout", timeout.String())
	require.Equal(p.t, "Ready", report.Status, "%+v", report)
	found := p.found()
	assert.Equal(p.t, report.Status, found.Status, "%+v", found)
	assert.Equal(p.t, report.states(), found.states())
}
