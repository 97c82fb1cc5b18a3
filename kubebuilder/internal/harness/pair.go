package harness

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/kubebuilder/internal/external"
	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
)

// PairCheck is the check of two plugins in one chain.
var PairCheck = Check{
	ID: "chain", Demand: "works in front of and behind each other plugin that is tested, with the flags of both",
	Why: "both get the flags of both, and the second one gets the files of the first",
}

// Explained returns all checks: those of one plugin and that of two.
func Explained() []Check { return append(slices.Clone(Checks), PairCheck) }

// Chain runs two plugins behind each other, each command with the flags of both. The order of execution is that of the
// arguments. Commands that one of them does not support by itself are left out.
func (h Harness) Chain(ctx context.Context, first, second external.Plugin) (Report, error) {
	h = h.withDefaults()
	name := first.Key() + ", " + second.Key()
	h.progress(name)
	report := Report{Plugin: name, Path: first.Path + ", " + second.Path, IsChain: true}
	h.Plugin = first
	result, err := h.inFolder(ctx, PairCheck.ID, func(s *session) {
		other := &session{Harness: h, ctx: ctx, folder: s.folder, check: s.check}
		other.Plugin = second
		s.chain(other)
		s.failures, s.isHung = append(s.failures, other.failures...), s.isHung || other.isHung
	})
	report.Results = []Result{result}
	return report, err
}

// chain runs this plugin and another one behind it.
func (s *session) chain(other *session) {
	before, after := s.supported(commands...), other.supported(commands...)
	checked := false
	for _, sub := range subcommands {
		if before[sub.command] == nil || after[sub.command] == nil {
			continue
		}
		checked = true
		made := s.inChain(other, sub.arg, sub.command, nil)
		if made == nil {
			continue
		}
		again := other.inChain(s, sub.arg, sub.command, made.Universe)
		if again == nil {
			continue
		}
		for _, file := range slices.Sorted(maps.Keys(again.Universe)) {
			text, isOthers := made.Universe[file]
			if isOthers && external.KeepsNothing([]byte(text), []byte(again.Universe[file]), 1) {
				other.fail("%s: plugin %s must keep what %s has written in %q", sub.command, other.Plugin.Key(), s.Plugin.Key(), file)
			}
		}
	}
	if !checked {
		s.skipped = "no command succeeds with both plugins"
	}
}

// inChain sends a command with the flags of another plugin, on a project with the other's files. It is nil if it fails.
func (s *session) inChain(other *session, subcommand, command string, files map[string]string) *v1alpha1.Response {
	request := s.request(command)
	maps.Copy(request.Universe, files)
	request.PluginChain = []string{s.Plugin.Key(), other.Plugin.Key()}
	request.Args = append(slices.Clone(request.Args), other.flagArgs(subcommand, s.flagNames(subcommand), request.Args)...)
	response, err := s.send(request)
	switch {
	case err != nil:
		s.lacks(fmt.Sprintf("%s %q", command, request.Args), err)
		return nil
	case response.Error:
		s.fail("%s %q: plugin %s must succeed with the flags and the files of %s, but fails: %s", command, request.Args,
			s.Plugin.Key(), other.Plugin.Key(), strings.Join(response.ErrorMsgs, "; "))
		return nil
	}
	return response
}

// listedFlags returns the flags of a subcommand; none if the plugin does not answer.
func (s *session) listedFlags(subcommand string) []v1alpha1.Flag {
	response, err := s.send(question(v1alpha1.CommandFlags, subcommand))
	if err != nil || response.Error {
		return nil
	}
	return response.Flags
}

// flagNames returns the names of the flags of a subcommand, and of those that kubebuilder itself defines.
func (s *session) flagNames(subcommand string) []string {
	listed := s.listedFlags(subcommand)
	names := make([]string, len(listed), len(listed)+3)
	for i, flag := range listed {
		names[i] = flag.Name
	}
	return append(names, "group", "version", "kind")
}

// flagArgs returns arguments with the flags of a subcommand, except those with given names or among given arguments.
func (s *session) flagArgs(subcommand string, except, given []string) (args []string) {
	for _, flag := range s.listedFlags(subcommand) {
		isGiven := func(arg string) bool { return arg == "--"+flag.Name || strings.HasPrefix(arg, "--"+flag.Name+"=") }
		switch {
		case flag.Name == "" || slices.Contains(except, flag.Name) || slices.ContainsFunc(given, isGiven):
		case flag.Type == "bool":
			args = append(args, "--"+flag.Name)
		default:
			args = append(args, "--"+flag.Name, sampleValue(flag))
		}
	}
	return args
}

// sampleValue returns the default of a flag, or a value of its type.
func sampleValue(flag v1alpha1.Flag) string {
	switch {
	case flag.Default != "":
		return flag.Default
	case flag.Type == "int":
		return "1"
	case flag.Type == "float":
		return "1.5"
	}
	return "sample"
}
