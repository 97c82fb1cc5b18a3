// Package plugin is an external plugin of kubebuilder that creates projects with resource plugins. Serve answers one
// request:
//
//	os.Exit(plugin.Serve(os.Stdin, os.Stdout, os.Stderr))
//
// The files come from package scaffold. A response contains only new or changed files. Files that a user has edited are
// kept, with a note on stderr. Only the request is read, so equal requests have equal responses.
package plugin

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
)

// Name and version of the plugin. Projects refer to it as Key.
const (
	Name    = contract.Group
	Version = "v1-alpha"
	Key     = Name + "/" + Version
)

// maxRequest limits a request, in bytes. Kubebuilder sends every file of the project, including .git.
const maxRequest = 2 << 30

// Serve reads a request and writes the response. The exit code is 0 unless the response cannot be written: kubebuilder
// discards the response of a plugin that exits with another code.
func Serve(stdin io.Reader, stdout, stderr io.Writer) int {
	response := respond(stdin, stderr)
	if err := json.NewEncoder(stdout).Encode(response); err != nil {
		_, _ = fmt.Fprintf(stderr, "%s: %v\n", Name, err)
		return 1
	}
	return 0
}

func respond(stdin io.Reader, stderr io.Writer) *v1alpha1.Response {
	var request v1alpha1.Request
	response := &v1alpha1.Response{APIVersion: v1alpha1.APIVersion, Universe: map[string]string{}}
	text, err := io.ReadAll(io.LimitReader(stdin, maxRequest+1))
	switch {
	case err != nil:
	case len(text) > maxRequest:
		err = fmt.Errorf("the request must have at most %d bytes", maxRequest)
	default:
		if err = json.Unmarshal(text, &request); err != nil {
			err = fmt.Errorf("stdin must be a request of kubebuilder as JSON: %w", err)
		} else if v := request.APIVersion; v != "" && v != v1alpha1.APIVersion {
			err = fmt.Errorf("apiVersion must be %q, not %q", v1alpha1.APIVersion, v)
		}
	}
	response.Command = request.Command
	if err == nil {
		err = answer(request, response, stderr)
	}
	if err != nil {
		return &v1alpha1.Response{
			APIVersion: v1alpha1.APIVersion, Command: request.Command, Universe: map[string]string{},
			Error: true, ErrorMsgs: strings.Split(err.Error(), "\n"),
		}
	}
	return response
}

// answer sets the response to a request.
func answer(request v1alpha1.Request, response *v1alpha1.Response, stderr io.Writer) error {
	switch request.Command {
	case v1alpha1.CommandFlags, v1alpha1.CommandMetadata:
		return describe(request, response)
	}
	sub := find(request.Command)
	if sub == nil {
		return fmt.Errorf("command must be one of %s, not %q", strings.Join(commandNames(), ", "), request.Command)
	}
	args, unknown, err := sub.parse(request)
	if err != nil {
		return err
	}
	p := newWorkspace(request.Universe)
	for _, flag := range unknown {
		p.note("%s is ignored: it is no flag of this plugin", flag)
	}
	if err := sub.run(p, args); err != nil {
		return err
	}
	for _, note := range p.notes {
		_, _ = fmt.Fprintf(stderr, "%s: %s\n", Name, note)
	}
	response.Universe, response.Deleted = p.changed, p.deleted
	return nil
}

// describe returns the flags or the metadata of a subcommand.
func describe(request v1alpha1.Request, response *v1alpha1.Response) error {
	for i := range subcommands {
		sub := &subcommands[i]
		for _, arg := range request.Args {
			if arg != sub.argument {
				continue
			}
			if request.Command == v1alpha1.CommandFlags {
				response.Flags = sub.flags
			} else {
				response.Metadata = sub.metadata
			}
			return nil
		}
	}
	return errors.New("args must have one of --init, --api, --webhook and --edit")
}
