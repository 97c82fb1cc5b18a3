package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/resource-plugins/krm-functions/kubebuilder/internal/external"
	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
)

// session is a check of a plugin while it runs.
type session struct {
	Harness
	ctx      context.Context
	folder   string
	check    string
	failures []string
	skipped  string
	repeated string // the earlier check that has reported a cause
	isHung   bool
}

func (s *session) result(check string) Result {
	switch {
	case len(s.failures) > 0:
		return Result{check, Failed, s.failures, s.isHung}
	case s.repeated != "":
		return Result{check, Skipped, []string{"fails for the same reason as " + s.repeated}, false}
	case s.skipped != "":
		return Result{check, Skipped, []string{s.skipped}, false}
	}
	return Result{Check: check, State: Passed}
}

func (s *session) fail(format string, args ...any) {
	s.failures = append(s.failures, fmt.Sprintf(format, args...))
}

// lacks fails for an invalid or missing answer, unless an earlier check has reported the same cause, or that the plugin
// hangs.
func (s *session) lacks(what string, cause error) {
	if s.isHung {
		return
	}
	known := s.memory.causes[cause.Error()]
	if known != "" && known != s.check {
		s.repeated = known
		return
	}
	s.memory.causes[cause.Error()] = s.check
	s.fail("%s: %v", what, cause)
}

// sameFiles reports whether two responses to a command have the same files. Those of a command whose files differ each time
// are not compared.
func (s *session) sameFiles(command string, one, other map[string]string) bool {
	return s.memory.unstable[command] || maps.Equal(one, other)
}

func (s *session) skip(format string, args ...any) { s.skipped = fmt.Sprintf(format, args...) }

// args returns arguments with which a command succeeds.
func (s *session) args(command string) []string {
	if args, given := s.Args[command]; given {
		return args
	}
	return DefaultArgs[command]
}

// request returns the request that the latest kubebuilder sends for a command.
func (s *session) request(command string) v1alpha1.Request {
	request := v1alpha1.Request{
		APIVersion: v1alpha1.APIVersion, Command: command, Args: s.args(command), Universe: map[string]string{},
		PluginChain: []string{s.Plugin.Key()},
		Config: map[string]any{
			"version": "3", "layout": []any{s.Plugin.Key()}, "domain": "example.org", "projectName": "demo",
		},
	}
	if command != v1alpha1.CommandInit {
		request.Universe["PROJECT"] = "domain: example.org\nlayout:\n- " + s.Plugin.Key() + "\nprojectName: demo\nversion: \"3\"\n"
	}
	return request
}

// send sends a request. A response with `error: true` is not an error.
func (s *session) send(request v1alpha1.Request) (*v1alpha1.Response, error) {
	text, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	out, err := s.exchange(text)
	if err != nil {
		return nil, err
	}
	return external.Decode(out)
}

// exchange sends a request as bytes. A plugin that has not answered in time fails the check, and is not asked again.
func (s *session) exchange(request []byte) ([]byte, error) {
	if s.isHung {
		return nil, external.ErrTime
	}
	out, err := s.Plugin.Exchange(s.ctx, s.folder, bytes.NewReader(request), external.Limits{Time: s.Time})
	if errors.Is(err, external.ErrTime) {
		s.isHung = true
		s.fail("%v", err)
	}
	return out, err
}

// succeed sends a request that must succeed; it is nil if it does not.
func (s *session) succeed(request v1alpha1.Request) *v1alpha1.Response {
	response, err := s.send(request)
	switch {
	case err != nil:
		s.lacks(request.Command, err)
		return nil
	case response.Error:
		s.fail("%s: must succeed with the arguments %q, but fails: %s; %s", request.Command, request.Args,
			strings.Join(response.ErrorMsgs, "; "), remedy(request.Command))
		return nil
	}
	return response
}

// remedy returns the advice for a command that must succeed.
func remedy(command string) string {
	switch command {
	case v1alpha1.CommandFlags:
		return "answer `flags: []` for a subcommand without flags"
	case v1alpha1.CommandMetadata:
		return "answer for all four subcommands, also for those that the plugin does not support"
	}
	return "give others with --args"
}

// supported sends the default requests of commands and returns the successful responses. Without any, the check is skipped.
func (s *session) supported(commands ...string) map[string]*v1alpha1.Response {
	found := map[string]*v1alpha1.Response{}
	for _, command := range commands {
		response, err := s.send(s.request(command))
		if err == nil && !response.Error {
			found[command] = response
		}
	}
	if len(found) == 0 {
		s.skip("none of %s succeeds", strings.Join(commands, ", "))
	}
	return found
}
