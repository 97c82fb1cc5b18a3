package localrun_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/commands/local/localrun"
	"github.com/resource-plugins/krm-functions/commands/local/localrun/process"
	"github.com/resource-plugins/krm-functions/internal/build"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

func TestMain(m *testing.M) {
	if code, isStep := process.Main(os.Args[1:]); isStep {
		os.Exit(code)
	}
	cache, err := os.MkdirTemp("", "cache-")
	if err == nil {
		err = os.Setenv("XDG_CACHE_HOME", cache) // the key of states
	}
	if err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(cache)
	os.Exit(code)
}

// engine returns the process engine, or skips the test if this machine does not allow namespaces.
func engine(t *testing.T) localrun.Engine {
	t.Helper()
	e, err := process.New(process.Options{})
	require.NoError(t, err)
	if isolated, reason := e.IsIsolated(); !isolated {
		checkout.LeaveOut(t, "bubblewrap does not isolate processes: %v", reason)
	}
	return e
}

// documents parses documents.
func documents(t *testing.T, text string) *krm.ResourceList {
	t.Helper()
	file := filepath.Join(t.TempDir(), "documents.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	read, err := load.Read([]string{file}, load.Options{})
	require.NoError(t, err)
	require.Empty(t, read.Results())
	list := krm.NewList()
	for _, d := range read.Documents {
		list.Append(d.Item)
	}
	return list
}

// plugin returns a plugin with a create phase.
func plugin(create string) string { return pluginWith("", create, "") }

// pluginWith returns a plugin with an overlay and both phases.
func pluginWith(overlay, create, remove string) string {
	text := "name: pp\nspec:\n  runner:\n    image: debian\n"
	if overlay != "" {
		text += "    podTemplateOverlay: |\n" + indented(overlay, 6)
	}
	text += "  create:\n" + indented(create, 2)
	if remove != "" {
		text += "  delete:\n" + indented(remove, 2)
	}
	return text
}

func indented(text string, by int) string {
	var out strings.Builder
	for line := range strings.Lines(strings.Trim(text, "\n") + "\n") {
		out.WriteString(strings.Repeat(" ", by) + line)
	}
	return out.String()
}

// world is a state with the documents of its runs.
type world struct {
	t      *testing.T
	engine localrun.Engine
	folder string
	state  *localrun.State

	events []localrun.Event
	warned []string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	folder := filepath.Join(t.TempDir(), localrun.StateFolder)
	state, err := localrun.OpenState(folder)
	require.NoError(t, err)
	return &world{t: t, engine: engine(t), folder: folder, state: state}
}

// run runs a phase of the plugin pp.
func (w *world) run(text string, request localrun.Request, change ...func(*localrun.Options)) *localrun.Report {
	w.t.Helper()
	report, err := w.try(text, request, change...)
	require.NoError(w.t, err)
	return report
}

func (w *world) try(text string, request localrun.Request, change ...func(*localrun.Options)) (*localrun.Report, error) {
	w.t.Helper()
	request.Plugin = "pp"
	objects, err := localrun.Render(documents(w.t, text), request, build.New())
	if err != nil {
		return nil, err
	}
	w.events, w.warned = nil, nil
	options := localrun.Options{
		Engine: w.engine, State: w.state,
		Observe: func(e localrun.Event) { w.events = append(w.events, e) },
		Warn:    func(message string) { w.warned = append(w.warned, message) },
	}
	for _, c := range change {
		c(&options)
	}
	return localrun.Run(w.t.Context(), objects, options)
}

var create, remove = localrun.Request{Phase: v1alpha1.PhaseCreate}, localrun.Request{Phase: v1alpha1.PhaseDelete}

// with returns a request with params.
func with(params map[string]string) localrun.Request {
	return localrun.Request{Phase: v1alpha1.PhaseCreate, Params: params}
}

// summary formats a report as lines STEP STATE EXIT MESSAGE, sorted, with the outputs below each.
func summary(report *localrun.Report) string {
	lines := make([]string, 0, len(report.Steps))
	for _, s := range report.Steps {
		line := fmt.Sprintf("%s %s %d %s", s.Step, s.State, s.ExitCode, s.Message)
		names := make([]string, 0, len(s.Outputs))
		for name, value := range s.Outputs {
			if len(value) > 100 {
				value = []byte(fmt.Sprintf("%d bytes", len(value)))
			}
			names = append(names, fmt.Sprintf("\n  %s=%q", name, value))
		}
		slices.Sort(names)
		lines = append(lines, strings.TrimSpace(line)+strings.Join(names, ""))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// states returns the states of the steps by name.
func states(report *localrun.Report) map[string]localrun.StepState {
	found := map[string]localrun.StepState{}
	for _, s := range report.Steps {
		found[s.Step] = s.State
	}
	return found
}

// log returns the log of a step.
func log(t *testing.T, report *localrun.Report, step string) string {
	t.Helper()
	for _, s := range report.Steps {
		if s.Step == step {
			text, err := os.ReadFile(s.Log)
			require.NoError(t, err)
			return string(text)
		}
	}
	assert.Fail(t, "no step "+step)
	return ""
}

// objects renders the create phase of the plugin pp.
func (w *world) objects(text string) []*krm.Item {
	w.t.Helper()
	objects, err := localrun.Render(documents(w.t, text), localrun.Request{Plugin: "pp"}, build.New())
	require.NoError(w.t, err)
	return objects
}
