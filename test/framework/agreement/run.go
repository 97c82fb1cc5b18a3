package agreement

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/resource-plugins/krm-functions/commands/local/localrun"
	"github.com/resource-plugins/krm-functions/internal/build"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// End is the result of a step.
type End struct {
	Succeeded bool
	ExitCode  int
	// Message is the reason of a failure.
	Message string
	// Outputs are the published values, each as Sum.
	Outputs map[string]string
}

// varying matches the parts of messages that differ between runs: process ids, and the name of the producer that failed
// first.
var varying = regexp.MustCompile(`\(process [0-9]+\)|: step "[^"]*" failed and its outputs are needed`)

// Message returns a message without the varying parts.
func Message(text string) string {
	return varying.ReplaceAllStringFunc(strings.TrimSpace(text), func(part string) string {
		if strings.HasPrefix(part, "(") {
			return "(process)"
		}
		return ": a producer failed and its outputs are needed"
	})
}

// RunAll calls Run for plugins, several at a time. folder returns a new folder for each.
func RunAll(ctx context.Context, engine localrun.Engine, plugins []Plugin, folder func() string) ([]map[string]End, error) {
	const atOnce = 8
	ends, errs, turns := make([]map[string]End, len(plugins)), make([]error, len(plugins)), make(chan struct{}, atOnce)
	var group sync.WaitGroup
	for i, plugin := range plugins {
		turns <- struct{}{}
		in := folder()
		group.Go(func() {
			defer func() { <-turns }()
			if ends[i], errs[i] = Run(ctx, engine, plugin, in); errs[i] != nil {
				errs[i] = fmt.Errorf("%s: %w", plugin.Name, errs[i])
			}
		})
	}
	group.Wait()
	return ends, errors.Join(errs...)
}

// Sum returns the length and digest of a value, and the value itself if it is short.
func Sum(value []byte) string {
	if len(value) <= 80 {
		return fmt.Sprintf("%q", value)
	}
	return fmt.Sprintf("%d bytes %x", len(value), sha256.Sum256(value))
}

// Run runs the create phase of a plugin with an engine and a state in folder. It returns the results by step.
func Run(ctx context.Context, engine localrun.Engine, plugin Plugin, folder string) (map[string]End, error) {
	file := filepath.Join(folder, "documents.yaml")
	if err := os.WriteFile(file, []byte(plugin.Documents), 0o600); err != nil {
		return nil, err
	}
	read, err := load.Read([]string{file}, load.Options{})
	if err != nil {
		return nil, err
	}
	list := krm.NewList()
	for _, document := range read.Documents {
		list.Append(document.Item)
	}
	objects, err := localrun.Render(list, localrun.Request{Plugin: plugin.Name, Sandbox: plugin.Name}, build.New())
	if err != nil {
		return nil, err
	}
	state, err := localrun.OpenState(filepath.Join(folder, localrun.StateFolder))
	if err != nil {
		return nil, err
	}
	report, err := localrun.Run(ctx, objects, localrun.Options{Engine: engine, State: state})
	if err != nil {
		return nil, err
	}
	ends := map[string]End{}
	for _, step := range report.Steps {
		end := End{
			Succeeded: step.State == localrun.Done, ExitCode: step.ExitCode, Message: Message(step.Message),
			Outputs: map[string]string{},
		}
		for name, value := range step.Outputs {
			end.Outputs[name] = Sum(value)
		}
		ends[step.Step] = end
	}
	return ends, nil
}
