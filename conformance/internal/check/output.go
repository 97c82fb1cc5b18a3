package check

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/conformance/internal/resourcelist"
)

// succeeds: the function ends with exit code 0; a validator may also report an error result.
func succeeds(j *judgement) error {
	if failure := j.only().failure(j.suite.Profile); failure != "" {
		j.problem("%s", failure)
	}
	return nil
}

// one-document: stdout is one YAML mapping.
func oneDocument(j *judgement) error {
	if r := j.only(); r.err != nil {
		j.problem("%s; it begins with %s", r.err, shorten(string(r.Stdout)))
	}
	return nil
}

// unique-keys: no mapping has a key twice.
func uniqueKeys(j *judgement) error {
	if !j.answered() {
		return nil
	}
	var walk func(node *yaml.Node)
	walk = func(node *yaml.Node) {
		seen := map[string]bool{}
		for i, child := range node.Content {
			if node.Kind == yaml.MappingNode && i%2 == 0 {
				if seen[child.Value] {
					j.problem("line %d of stdout: key %q is there twice in a mapping", child.Line, child.Value)
				}
				seen[child.Value] = true
			}
			walk(child)
		}
	}
	walk(j.only().list.Root)
	return nil
}

// utf8: stdout of every run is UTF-8.
func utf8Output(j *judgement) error {
	for _, r := range j.runs {
		if !utf8.Valid(r.Stdout) {
			j.problemOf(r, "stdout is not UTF-8")
		}
	}
	return nil
}

// no-crash: no run was ended by a signal or with a stack trace. Cases judge the time limit themselves.
func noCrash(j *judgement) error {
	for _, r := range j.runs {
		switch stderr := string(r.Stderr); {
		case r.TimedOut:
		case r.Signal != "":
			j.problemOf(r, "ended by signal: %s", r.Signal)
		case strings.Contains(stderr, "goroutine 1 [running]"), strings.Contains(stderr, "Traceback (most recent call last)"):
			j.problemOf(r, "ended with a stack trace: %s", shorten(stderr))
		}
	}
	return nil
}

// explained: every failed run has a message on stderr, or an error result.
func explained(j *judgement) error {
	for _, r := range j.runs {
		if r.Exit > 0 && len(bytes.TrimSpace(r.Stderr)) == 0 && !r.hasError() {
			j.problemOf(r, "exit code %d without a message on stderr and without a result", r.Exit)
		}
	}
	return nil
}

// stdout-reserved: stdout of every failed run is empty or one ResourceList.
func stdoutReserved(j *judgement) error {
	for _, r := range j.runs {
		if r.Exit == 0 || len(r.Stdout) == 0 {
			continue
		}
		if r.list == nil || text(r.list.Root, "kind") != "ResourceList" {
			j.problemOf(r, "failed, and stdout is neither empty nor a ResourceList: %s", shorten(string(r.Stdout)))
		}
	}
	return nil
}

// final-newline: stderr of every run is empty or ends with a line break.
func finalNewline(j *judgement) error {
	for _, r := range j.runs {
		if len(r.Stderr) > 0 && !bytes.HasSuffix(r.Stderr, []byte("\n")) {
			j.problemOf(r, "stderr does not end with a line break: %s", shorten(string(r.Stderr)))
		}
	}
	return nil
}

// error-exit: a run with a result of severity error has an exit code other than 0.
func errorExit(j *judgement) error {
	seen := false
	for _, r := range j.runs {
		if !r.hasError() {
			continue
		}
		seen = true
		if r.Exit == 0 {
			j.problemOf(r, "exit code 0 with a result of severity error")
		}
	}
	if !seen {
		j.unknown = "no run had a result of severity error: give a list that the function rejects, with --invalid FILE"
	}
	return nil
}

// text returns the text of a scalar, or "".
func text(node *yaml.Node, path ...string) string {
	if found := resourcelist.Get(node, path...); found != nil {
		return found.Value
	}
	return ""
}
