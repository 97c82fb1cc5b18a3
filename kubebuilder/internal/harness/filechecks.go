package harness

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
)

func checkPaths(s *session) {
	for command, response := range inOrder(s.supported(commands...)) {
		for _, name := range slices.Sorted(maps.Keys(response.Universe)) {
			if problem := v1alpha1.CheckUniversePath(name); problem != "" {
				s.fail("%s: a path %s", command, problem)
			}
		}
		s.checkHostileArgs(command)
	}
}

// hostile is a value that leads out of the project when used in a path.
const hostile = "../../../tmp/escaped"

// checkHostileArgs replaces each argument with a value that leads out of the project.
func (s *session) checkHostileArgs(command string) {
	args := s.args(command)
	for i := range args {
		if strings.HasPrefix(args[i], "-") {
			continue
		}
		request := s.request(command)
		request.Args = slices.Clone(args)
		request.Args[i] = hostile
		response := s.answers(fmt.Sprintf("%s %q", command, request.Args), request)
		if response == nil || response.Error {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(response.Universe)) {
			if problem := v1alpha1.CheckUniversePath(name); problem != "" {
				s.fail("%s %q: must be refused, since a path %s", command, request.Args, problem)
				break
			}
		}
	}
	s.checkFolder(command)
}

// checkFolder reports files that the plugin wrote itself.
func (s *session) checkFolder(command string) {
	if entries, err := os.ReadDir(s.folder); err == nil && len(entries) > 0 {
		s.fail("%s: must return files, and not write them itself, as %q", command, entries[0].Name())
	}
}

func checkProjectFile(s *session) {
	for command, response := range inOrder(s.supported(v1alpha1.CommandInit)) {
		if _, found := response.Universe["PROJECT"]; found {
			s.fail("%s: must not return PROJECT", command)
		}
	}
}

// others are files that do not belong to the plugin. Bytes that are not UTF-8 arrive as U+FFFD.
var others = map[string]string{
	"main.go": "package main\n", ".git/config": "[core]\n",
	"docs/logo.png": "\ufffdPNG\r\n\x1a\n\x00\ufffd", "latin1.txt": "caf\ufffd\n",
	"crlf.txt": "a\r\nb\r\n", "no-newline.txt": "a", "empty.txt": "", "\u00fcmlaut \u20ac.txt": "\u00fc",
}

func checkChangedOnly(s *session) {
	for command := range inOrder(s.supported(commands...)) {
		request := s.request(command)
		maps.Copy(request.Universe, others)
		response := s.succeed(request)
		if response == nil {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(response.Universe)) {
			if before, existed := request.Universe[name]; existed && before == response.Universe[name] {
				s.fail("%s: must not return %q, which it has not changed", command, name)
			} else if _, isOther := others[name]; isOther {
				s.fail("%s: must not change %q, which is not its own", command, name)
			}
		}
	}
}

func checkLargeProject(s *session) {
	for command, response := range inOrder(s.supported(v1alpha1.CommandInit, v1alpha1.CommandCreateAPI)) {
		request := s.request(command)
		for i := range s.Files {
			request.Universe[fmt.Sprintf("src/%d/%d.go", i%20, i)] = strings.Repeat("// a line of a large project\n", 50)
		}
		large := s.succeed(request)
		if large == nil {
			continue
		}
		maps.DeleteFunc(large.Universe, func(name, content string) bool { // for the check "changed-only"
			before, existed := request.Universe[name]
			return existed && before == content && response.Universe[name] != content
		})
		if !s.sameFiles(command, large.Universe, response.Universe) {
			s.fail("%s: must return the same files for a project with %d others", command, s.Files)
		}
	}
}

func checkIdempotent(s *session) {
	for command, response := range inOrder(s.supported(commands...)) {
		if s.memory.unstable[command] {
			continue
		}
		request := s.request(command)
		maps.Copy(request.Universe, response.Universe)
		again := s.succeed(request)
		if again == nil {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(again.Universe)) {
			if request.Universe[name] != again.Universe[name] {
				s.fail("%s: must not change %q when it runs again", command, name)
			}
		}
	}
}

func checkSameBytes(s *session) {
	for command, response := range inOrder(s.supported(commands...)) {
		again := s.succeed(s.request(command))
		if again == nil {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(response.Universe)) {
			if response.Universe[name] != again.Universe[name] {
				s.fail("%s: %q must be the same each time", command, name)
				s.memory.unstable[command] = true
			}
		}
	}
}

// checkChainOrder compares the files with those in front of the other plugins of the chain: they may depend on the plugins,
// but not on their order.
func checkChainOrder(s *session) {
	others := []string{"go.kubebuilder.io/v4", "other.example.org/v1"}
	for command := range inOrder(s.supported(commands...)) {
		var first *v1alpha1.Response
		for place := range len(others) + 1 {
			chain := slices.Insert(slices.Clone(others), place, s.Plugin.Key())
			request := s.request(command)
			request.PluginChain = chain
			request.Config["layout"] = chain
			response := s.succeed(request)
			switch {
			case response == nil:
			case first == nil:
				first = response
			case !s.sameFiles(command, response.Universe, first.Universe):
				s.fail("%s: must return the same files in the chain %s", command, strings.Join(chain, ", "))
			}
		}
	}
}
