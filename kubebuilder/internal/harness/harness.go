// Package harness tests external plugins of kubebuilder against the actual protocol, and against additional needs of hosts
// and users. Its main type is Harness:
//
//	report := harness.Harness{Plugin: plugin}.Run(ctx)
//
// A plugin is called in an empty folder, as kubebuilder does, with the requests of every subcommand and with requests that
// often reveal faults. Checks lists the checks and their reasons.
package harness

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"github.com/resource-plugins/krm-functions/kubebuilder/internal/external"
	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
)

// Harness tests one plugin.
type Harness struct {
	// Plugin is the plugin under test.
	Plugin external.Plugin
	// Args are arguments with which a command succeeds, by command. The default is DefaultArgs.
	Args map[string][]string
	// Files is the number of files in the large universe; 0 means DefaultFiles.
	Files int
	// Answer limits the time of a response to flags and metadata; 0 means DefaultAnswer.
	Answer time.Duration
	// Time is how long the answer to any other request may take; DefaultTime if it is 0. Behind a plugin that has not answered,
	// all checks are skipped.
	Time time.Duration
	// Exchanges are replayed first.
	Exchanges []Exchange
	// Progress is called with the name of each check, or of each exchange, before it runs; it may be nil.
	Progress func(name string)

	memory *memory
}

// memory has the findings of earlier checks of a plugin: a fault is reported by one check.
type memory struct {
	// causes are the checks that have reported an invalid response, by its fault.
	causes map[string]string
	// unstable are the commands whose files differ each time.
	unstable map[string]bool
}

func (h Harness) progress(name string) {
	if h.Progress != nil {
		h.Progress(name)
	}
}

// DefaultArgs are the arguments that kubebuilder itself requires.
var DefaultArgs = map[string][]string{
	v1alpha1.CommandCreateAPI:     {"--group", "demo", "--version", "v1", "--kind", "Demo"},
	v1alpha1.CommandCreateWebhook: {"--group", "demo", "--version", "v1", "--kind", "Demo"},
}

// Defaults of a Harness.
const (
	DefaultFiles  = 2000
	DefaultAnswer = time.Second
	DefaultTime   = time.Minute
)

// State is the result state of a check.
type State string

// States of checks.
const (
	Passed  State = "passed"
	Failed  State = "failed"
	Skipped State = "skipped" // does not apply to the plugin
)

// Result is the result of a check.
type Result struct {
	Check string `json:"check"`
	State State  `json:"state"`
	// Messages describe the failures, or why the check was skipped.
	Messages []string `json:"messages,omitempty"`

	isHung bool // the plugin has not answered in time
}

func (r Result) hung() bool { return r.isHung }

// Report is the end of all checks of a plugin.
type Report struct {
	Plugin string `json:"plugin"`
	Path   string `json:"path"`
	// IsChain means that two plugins were tested in one chain.
	IsChain bool `json:"chain,omitempty"`
	// Exchanges are the results of the replayed exchanges.
	Exchanges []Result `json:"exchanges,omitempty"`
	Results   []Result `json:"results"`
}

// all returns the results of the exchanges and the checks.
func (r Report) all() []Result { return slices.Concat(r.Exchanges, r.Results) }

// Hung reports whether the plugin has not answered in time.
func (r Report) Hung() bool { return slices.ContainsFunc(r.all(), Result.hung) }

// Failed reports whether a check has failed.
func (r Report) Failed() bool {
	return slices.ContainsFunc(r.all(), func(result Result) bool { return result.State == Failed })
}

// Check is a check of a plugin.
type Check struct {
	// ID is the name of the check.
	ID string
	// Demand is the required behavior, and Why the reason.
	Demand, Why string

	run func(*session)
}

// withDefaults returns the harness with its defaults, and a new memory.
func (h Harness) withDefaults() Harness {
	if h.Files == 0 {
		h.Files = DefaultFiles
	}
	if h.Answer == 0 {
		h.Answer = DefaultAnswer
	}
	if h.Time == 0 {
		h.Time = DefaultTime
	}
	h.memory = &memory{causes: map[string]string{}, unstable: map[string]bool{}}
	return h
}

// Run replays the exchanges and runs all checks in sequence.
func (h Harness) Run(ctx context.Context) (Report, error) {
	h = h.withDefaults()
	report := Report{Plugin: h.Plugin.Key(), Path: h.Plugin.Path}
	var err error
	if report.Exchanges, err = h.replay(ctx); err != nil {
		return report, err
	}
	hung := slices.ContainsFunc(report.Exchanges, Result.hung)
	for _, check := range Checks {
		if hung {
			report.Results = append(report.Results, Result{
				check.ID, Skipped, []string{"the plugin has not answered in time before"}, false,
			})
			continue
		}
		h.progress(check.ID)
		result, err := h.inFolder(ctx, check.ID, check.run)
		if err != nil {
			return report, err
		}
		report.Results = append(report.Results, result)
		hung = result.isHung
	}
	return report, nil
}

// inFolder runs a check in a new empty folder. If the context has ended, the error is its cause.
func (h Harness) inFolder(ctx context.Context, name string, check func(*session)) (Result, error) {
	folder, err := os.MkdirTemp("", "rplug-harness-")
	if err != nil {
		return Result{}, err
	}
	s := &session{Harness: h, ctx: ctx, folder: folder, check: name}
	check(s)
	if err := errors.Join(context.Cause(ctx), os.RemoveAll(folder)); err != nil {
		return Result{}, err
	}
	return s.result(name), nil
}
