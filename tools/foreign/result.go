package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
)

// result is the report of krm-conformance on a function.
type result struct {
	Function *function      `json:"-"`
	Counts   map[string]int `json:"counts"`
	Cases    []*outcome     `json:"cases"`
}

type outcome struct {
	ID       string         `json:"id" yaml:"case"`
	Title    string         `json:"title" yaml:"title"`
	Level    string         `json:"level" yaml:"level"`
	Sentence string         `json:"sentence" yaml:"sentence,omitempty"`
	By       string         `json:"reliedOnBy" yaml:"reliedOnBy,omitempty"`
	Status   string         `json:"status" yaml:"-"`
	Cause    string         `json:"-" yaml:"cause,omitempty"`
	Problems []string       `json:"problems" yaml:"problems"`
	Runs     []*observation `json:"runs" yaml:"runs"`
}

type observation struct {
	Stdin  string `json:"stdin" yaml:"stdin"`
	Exit   int    `json:"exitCode" yaml:"exitCode"`
	Signal string `json:"signal" yaml:"signal,omitempty"`
	Stdout string `json:"stdout" yaml:"stdout"`
	Stderr string `json:"stderr" yaml:"stderr"`
}

// test builds a function and runs the suite on it.
func test(builder *builder, suite string, f *function) (*result, error) {
	command, err := builder.build(f)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "foreign-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	args := []string{"--output", "json", "--profile", f.Profile, "--timeout", "5m"} // also on a busy machine
	for _, flag := range []struct{ name, text string }{{"config", f.Config}, {"items", f.Items}, {"invalid", f.Invalid}} {
		if flag.text == "" {
			continue
		}
		file := filepath.Join(folder, flag.name+".yaml")
		if err := os.WriteFile(file, []byte(flag.text), 0o600); err != nil {
			return nil, err
		}
		args = append(args, "--"+flag.name, file)
	}
	for id, reason := range f.Skip {
		args = append(args, "--skip", id+"="+reason)
	}
	cmd := exec.Command(suite, append(append(args, "--"), command...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		return nil, fmt.Errorf("krm-conformance: %w: %s", err, stderr.String())
	}
	made := &result{Function: f}
	return made, json.Unmarshal(out, made)
}

// failed returns the failed cases.
func (r *result) failed() []*outcome {
	var failed []*outcome
	for _, o := range r.Cases {
		if o.Status == "failed" {
			failed = append(failed, o)
		}
	}
	return failed
}

// The limits of a file of inputs and outputs.
const (
	maxRuns   = 2       // of a case
	maxStream = 3 << 10 // bytes of a stream
)

// write writes the failed cases with their input and output. Without a failure the file is removed.
func (r *result) write(file string) error {
	failed := r.failed()
	if len(failed) == 0 {
		return os.RemoveAll(file)
	}
	for _, o := range failed {
		o.Problems = o.Problems[:min(len(o.Problems), maxRuns)]
		o.Runs = o.Runs[:min(len(o.Runs), maxRuns)]
		for _, run := range o.Runs {
			run.Stdin, run.Stdout, run.Stderr = shorten(run.Stdin), shorten(run.Stdout), shorten(run.Stderr)
		}
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "# Cases of krm-conformance that %s of %s failed. Written by `make foreign`.\n", r.Function.Name,
		r.Function.source())
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(failed); err != nil {
		return err
	}
	return os.WriteFile(file, out.Bytes(), 0o644) //nolint:gosec // a file of the repository
}

func shorten(text string) string {
	if len(text) <= maxStream {
		return text
	}
	return strings.ToValidUTF8(text[:maxStream], "") + fmt.Sprintf("\n… (%d bytes)\n", len(text))
}
