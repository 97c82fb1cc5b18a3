package plugintest

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
)

// check runs the check script of a phase in the folder of the document's file.
func (l *round) check(ctx context.Context, phase v1alpha1.Phase) ([]string, []Log) {
	text := l.testCase.Expectation(phase).Check
	file, err := os.CreateTemp(l.folder, "check-")
	if err == nil {
		_, err = file.WriteString(text)
	}
	if err == nil {
		err = file.Close()
	}
	if err != nil {
		return []string{err.Error()}, nil
	}
	ctx, stop := within(ctx, l.timeout())
	defer stop()
	run, err := startProcess(l.test.folder, l.variables(), append(interpreter(text), file.Name()))
	if err != nil {
		return []string{fmt.Sprintf("the check script cannot run: %v", err)}, nil
	}
	defer run.stop()
	what := fmt.Sprintf("the check script after %s", phase)
	select {
	case <-run.ended:
		if run.err == nil {
			return nil, nil
		}
		return []string{fmt.Sprintf("%s must succeed: %v", what, run.err)}, logOf(what, run.output.String())
	case <-ctx.Done():
		run.stop()
		return []string{fmt.Sprintf("%s: %v", what, context.Cause(ctx))}, logOf(what, run.output.String())
	}
}

// logOf returns the last lines of a text as a log; empty for an empty text.
func logOf(what, text string) []Log {
	if text = lastLines(text); text == "" {
		return nil
	}
	return []Log{{what, text}}
}

// interpreter returns the program that runs a script: that of its first line, or a shell.
func interpreter(script string) []string {
	line, _, _ := strings.Cut(script, "\n")
	if rest, found := strings.CutPrefix(line, "#!"); found {
		if words := strings.Fields(rest); len(words) > 0 {
			return words
		}
	}
	return []string{"/bin/sh"}
}

// variables returns the variables of a check script, with the expected objects and their addresses.
func (l *round) variables() []string {
	variables := map[string]string{
		contract.SandboxIDVariable:    contract.DeriveSandboxID(l.test.Name, strings.ToLower(l.testCase.Name)),
		contract.SandboxNameVariable:  l.testCase.Name,
		contract.ResourceNameVariable: l.test.resourceName(),
	}
	for name, value := range l.params() {
		variables[variable("PARAM", name)] = value
	}
	for _, phase := range v1alpha1.Phases {
		for key, value := range l.published[phase] {
			variables[variable("OUTPUT", key)] = string(value)
		}
	}
	for _, f := range l.fixtures {
		variables[variable("FIXTURE", f.Name, v1alpha1.FixtureHost)] = localhost
		if f.port != 0 {
			variables[variable("FIXTURE", f.Name, v1alpha1.FixturePort)] = strconv.Itoa(f.port)
		}
	}
	environment := slices.Clone(l.suite.machine.Environment)
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		if value := variables[name]; !strings.Contains(value, "\x00") { // variables cannot contain zero bytes
			environment = append(environment, name+"="+value)
		}
	}
	return environment
}

// variable joins words to the name of a variable.
func variable(words ...string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToUpper(strings.Join(words, "_")))
}

// program returns a command in which a relative path of the program is relative to a folder.
func program(command []string, folder string) []string {
	if first := command[0]; strings.ContainsRune(first, '/') && !filepath.IsAbs(first) {
		command = slices.Clone(command)
		command[0] = filepath.Join(folder, first)
	}
	return command
}
