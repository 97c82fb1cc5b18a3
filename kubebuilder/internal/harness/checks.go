package harness

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
)

// subcommands are the arguments of the commands flags and metadata, with the commands that they refer to.
var subcommands = []struct{ arg, command string }{
	{"--init", v1alpha1.CommandInit}, {"--api", v1alpha1.CommandCreateAPI},
	{"--webhook", v1alpha1.CommandCreateWebhook}, {"--edit", v1alpha1.CommandEdit},
}

// commands are the commands that write files.
var commands = []string{
	v1alpha1.CommandInit, v1alpha1.CommandCreateAPI, v1alpha1.CommandCreateWebhook, v1alpha1.CommandEdit,
}

// Commands returns the commands of the harness that write files.
func Commands() []string { return slices.Clone(commands) }

// Checks are the checks, in this order.
var Checks = []Check{
	{"metadata", "answers metadata for init, api, webhook and edit, with a description",
		"kubebuilder asks for all four on each run, --help included", checkMetadata},
	{"flags", "answers flags for init, api, webhook and edit",
		"kubebuilder binds the flags that are listed, and no others", checkFlags},
	{"time", "answers flags and metadata at once", "kubebuilder asks eight times before it does anything", checkTime},
	{"command", "succeeds with one of the four commands, and with each command of --args",
		"everything else is checked with them", checkCommand},
	{"answer", "answers each request within the limit of time", "a plugin that hangs makes kubebuilder hang", checkAnswer},
	{"same-bytes", "answers the same request with the same files", "a diff shows what is new otherwise", checkSameBytes},
	{"echo", "repeats apiVersion and command of the request", "a host cannot tell otherwise which request is answered",
		checkEcho},
	{"null-args", "accepts null as args", "kubebuilder sends it if the user gives none", checkNullArgs},
	{"equals", "accepts --flag=value as --flag value", "users write both, and kubebuilder passes on what they write",
		checkEquals},
	{"unknown-flag", "ignores a flag that it does not know",
		"each plugin of a chain gets the flags of all: the design says that an unrecognized flag is no error", checkUnknownFlag},
	{"unknown-command", "refuses an unknown command with errorMsgs, and exits with 0",
		"later releases send others, such as delete", checkUnknownCommand},
	{"old-host", "works without pluginChain and config", "releases before v4.10 send neither", checkOldHost},
	{"paths", "returns paths that stay in the project", "kubebuilder writes to any path", checkPaths},
	{"project-file", "does not return PROJECT at init", "kubebuilder writes it itself, and breaks the run otherwise",
		checkProjectFile},
	{"changed-only", "returns only files that it has changed",
		"kubebuilder sends binary files with U+FFFD for bytes that are not UTF-8, and writes back what is returned",
		checkChangedOnly},
	{"shared-files", "keeps what others have written in a file that it changes, such as README.md",
		"the universe has the file as it is; a plugin that writes it from nothing drops the rest without a message",
		checkSharedFiles},
	{"unknown-fields", "keeps the fields that it does not know in a file of YAML or JSON that it rewrites",
		"later releases and other plugins write them", checkUnknownFields},
	{"large-project", "works on a project with many files", "kubebuilder sends every file", checkLargeProject},
	{"idempotent", "changes nothing when it runs again on what it has made", "users run commands again", checkIdempotent},
	{"chain-order", "returns the same files at each place of a chain",
		"pluginChain is the layout with the plugin in front, not the order of execution", checkChainOrder},
}

// question returns the request for the flags or the metadata of a subcommand.
func question(command, arg string) v1alpha1.Request {
	return v1alpha1.Request{
		APIVersion: v1alpha1.APIVersion, Command: command, Args: []string{arg}, Universe: map[string]string{},
	}
}

func checkMetadata(s *session) {
	for _, sub := range subcommands {
		response := s.succeed(question(v1alpha1.CommandMetadata, sub.arg))
		if response != nil && response.Metadata.Description == "" {
			s.fail("metadata %s: must give a description", sub.arg)
		}
	}
}

// flagsOf returns the response with the flags of a subcommand.
func (s *session) flagsOf(arg string) *v1alpha1.Response {
	return s.succeed(question(v1alpha1.CommandFlags, arg))
}

func checkFlags(s *session) {
	types := v1alpha1.FlagTypes()
	for _, sub := range subcommands {
		response := s.flagsOf(sub.arg)
		if response == nil {
			continue
		}
		seen := map[string]bool{}
		for _, flag := range response.Flags {
			switch problem := v1alpha1.CheckFlagName(flag.Name); {
			case problem != "":
				s.fail("flags %s: a name %s", sub.arg, problem)
			case seen[flag.Name]:
				s.fail("flags %s: must list %q once", sub.arg, flag.Name)
			case !slices.Contains(types, flag.Type):
				s.fail("flags %s: the type of %q must be one of %s, not %q", sub.arg, flag.Name, strings.Join(types, ", "), flag.Type)
			case flag.Usage == "":
				s.fail("flags %s: %q must have a usage", sub.arg, flag.Name)
			}
			seen[flag.Name] = true
		}
	}
}

func checkTime(s *session) {
	for _, command := range []string{v1alpha1.CommandFlags, v1alpha1.CommandMetadata} {
		for _, sub := range subcommands {
			start := time.Now()
			_, err := s.send(question(command, sub.arg))
			if taken := time.Since(start); err == nil && taken > s.Answer {
				s.fail("%s %s: must take less than %s, not %s", command, sub.arg, s.Answer, taken.Round(time.Millisecond))
			}
		}
	}
}

func checkCommand(s *session) {
	for _, command := range commands {
		if _, given := s.Args[command]; given {
			s.succeed(s.request(command))
		}
	}
	if len(s.failures) > 0 {
		return
	}
	for _, command := range commands {
		isSupported := len(s.supported(command)) > 0
		if s.skipped = ""; isSupported {
			return
		}
	}
	for _, command := range commands {
		s.succeed(s.request(command))
	}
}

// checkAnswer sends each command, whether it is supported or not.
func checkAnswer(s *session) {
	for _, command := range commands {
		_, _ = s.send(s.request(command))
	}
}

func checkEcho(s *session) {
	for command, response := range inOrder(s.supported(commands...)) {
		if response.APIVersion != v1alpha1.APIVersion {
			s.fail("%s: apiVersion must be %q, not %q", command, v1alpha1.APIVersion, response.APIVersion)
		}
		if response.Command != command {
			s.fail("%s: command must be %q, not %q", command, command, response.Command)
		}
	}
}

// inOrder iterates over the responses in the order of their commands.
func inOrder(responses map[string]*v1alpha1.Response) iter.Seq2[string, *v1alpha1.Response] {
	return func(yield func(string, *v1alpha1.Response) bool) {
		for _, command := range commands {
			if response := responses[command]; response != nil && !yield(command, response) {
				return
			}
		}
	}
}

// errNoMessages is the error of a response with an error but no reason.
var errNoMessages = errors.New("an error must have errorMsgs, a list: error_msg and other keys are lost")

// answers sends a request, which may be refused, and reports an invalid response.
func (s *session) answers(what string, request v1alpha1.Request) *v1alpha1.Response {
	response, err := s.send(request)
	if err != nil {
		s.lacks(what, err)
		return nil
	}
	if response.Error && len(response.ErrorMsgs) == 0 {
		s.lacks(what, errNoMessages)
	}
	return response
}

func checkNullArgs(s *session) {
	for _, command := range commands {
		request := s.request(command)
		request.Args = nil
		s.answers(command+" with null as args", request)
	}
}

func checkUnknownFlag(s *session) {
	for command, response := range inOrder(s.supported(commands...)) {
		for _, unknown := range [][]string{{"--no-such-flag", "x"}, {"--no-such-switch"}} {
			request := s.request(command)
			request.Args = append(slices.Clone(request.Args), unknown...)
			other, err := s.send(request)
			switch {
			case err != nil:
				s.lacks(fmt.Sprintf("%s %q", command, request.Args), err)
			case other.Error:
				s.fail("%s %q: must ignore %s, which may be of another plugin in the chain, but fails: %s",
					command, request.Args, unknown[0], strings.Join(other.ErrorMsgs, "; "))
			case !s.sameFiles(command, other.Universe, response.Universe):
				s.fail("%s %q: must make the same files as without %s", command, request.Args, unknown[0])
			}
		}
	}
}

func checkUnknownCommand(s *session) {
	request := s.request("no such command")
	if response := s.answers("an unknown command", request); response != nil && !response.Error {
		s.fail("an unknown command: must be refused with `error: true` and errorMsgs")
	}
}

func checkEquals(s *session) {
	checked := false
	for command, response := range inOrder(s.supported(commands...)) {
		request := s.request(command)
		joined := []string{}
		for i := 0; i < len(request.Args); i++ {
			isFlag := func(at int) bool { return at < len(request.Args) && strings.HasPrefix(request.Args[at], "--") }
			if isFlag(i) && i+1 < len(request.Args) && !isFlag(i+1) {
				joined, i = append(joined, request.Args[i]+"="+request.Args[i+1]), i+1
				continue
			}
			joined = append(joined, request.Args[i])
		}
		if slices.Equal(joined, request.Args) {
			continue
		}
		checked = true
		request.Args = joined
		if again := s.succeed(request); again != nil && !s.sameFiles(command, again.Universe, response.Universe) {
			s.fail("%s: %q must make the same files as %q", command, joined, s.args(command))
		}
	}
	if !checked {
		s.skip("no command has arguments with values: give them with --args")
	}
}

func checkOldHost(s *session) {
	for command, response := range inOrder(s.supported(commands...)) {
		request := s.request(command)
		request.PluginChain, request.Config = nil, nil
		if old := s.succeed(request); old != nil && len(old.Universe) == 0 && len(response.Universe) > 0 {
			s.fail("%s: must return the files without pluginChain and config, too", command)
		}
	}
}
