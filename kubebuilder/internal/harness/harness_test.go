package harness_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/kubebuilder/internal/external"
	"github.com/resource-plugins/krm-functions/kubebuilder/internal/harness"
	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// pluginVariable makes this program an external plugin with the fault of its value, or without faults if that is "none".
const pluginVariable = "HARNESS_TEST_PLUGIN"

func TestMain(m *testing.M) {
	fault := os.Getenv(pluginVariable)
	if fault == "" {
		os.Exit(m.Run())
	}
	text, err := io.ReadAll(os.Stdin)
	var request v1alpha1.Request
	if err != nil || json.Unmarshal(text, &request) != nil {
		os.Exit(3)
	}
	if name, isGood := strings.CutPrefix(fault, goodPrefix); isGood {
		goodPlugin(name, request)
		return
	}
	sample{fault}.serve(request)
}

// answer limits the time for flags: a busy machine starts processes slowly.
const answer = 5 * time.Second

// sample is a plugin that creates a file for each command, with at most one fault.
type sample struct{ fault string }

func (s sample) has(fault string) bool { return s.fault == fault }

func (s sample) serve(request v1alpha1.Request) {
	response := &v1alpha1.Response{APIVersion: request.APIVersion, Command: request.Command}
	if s.has("command is not repeated") {
		response.Command = ""
	}
	if err := s.answer(request, response); err != nil {
		response = &v1alpha1.Response{APIVersion: request.APIVersion, Command: request.Command, Error: true, ErrorMsgs: []string{err.Error()}}
		if s.has("error_msg") {
			response.ErrorMsgs = nil
		}
		if s.has("exit code") {
			os.Exit(1)
		}
	}
	if s.has("a message on stdout") {
		fmt.Println("done")
	}
	_ = json.NewEncoder(os.Stdout).Encode(response)
}

func (s sample) answer(request v1alpha1.Request, response *v1alpha1.Response) error {
	switch request.Command {
	case v1alpha1.CommandFlags:
		if s.has("slow") && request.Args[0] == "--edit" {
			time.Sleep(answer + time.Second)
		}
		response.Flags = []v1alpha1.Flag{{Name: "size", Type: "int", Default: "1", Usage: "size of the database"}}
		if s.has("flag with hyphens") {
			response.Flags[0].Name = "--size"
		}
		return nil
	case v1alpha1.CommandMetadata:
		if !s.has("no metadata") {
			response.Metadata.Description = "Makes a sample."
		}
		return nil
	case v1alpha1.CommandInit, v1alpha1.CommandCreateAPI, v1alpha1.CommandCreateWebhook, v1alpha1.CommandEdit:
		return s.write(request, response)
	}
	if s.has("unknown commands succeed") {
		return nil
	}
	return errors.New("unknown command")
}

func (s sample) write(request v1alpha1.Request, response *v1alpha1.Response) error {
	flags := pflag.NewFlagSet("sample", pflag.ContinueOnError)
	flags.ParseErrorsAllowlist.UnknownFlags = !s.has("unknown flags are refused")
	kind := flags.String("kind", "none", "")
	flags.String("group", "", "")
	flags.String("version", "", "")
	args := request.Args
	if s.has("null args") && args == nil {
		panic("no args")
	}
	if s.has("equals") && slices.ContainsFunc(args, func(arg string) bool { return strings.Contains(arg, "=") }) {
		return errors.New("unknown flag")
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	if strings.ContainsAny(*kind, "/.") && !s.has("escape") {
		return fmt.Errorf("the kind must be a name, not %q", *kind)
	}
	if s.has("needs projectName") && request.Config != nil && request.Config["projectName"] == nil {
		return errors.New("no name of the project")
	}
	if s.has("drops fields of PROJECT") {
		return s.rewriteProject(request, response)
	}
	if s.has("config") && request.Config == nil {
		return errors.New("no config")
	}
	if s.has("chain") && request.PluginChain != nil && request.PluginChain[0] != "sample/v1" {
		return nil
	}
	if s.has("writes itself") {
		_ = os.WriteFile("own.txt", nil, 0o600)
	}
	if len(request.Universe) > 1000 && s.has("large projects") {
		return errors.New("too many files")
	}
	name, content := strings.ReplaceAll(request.Command, " ", "-")+"/"+*kind+".txt", "sample\n"
	switch {
	case s.has("appends"):
		content = request.Universe[name] + content
	case s.has("random"):
		content = fmt.Sprint(rand.Int64())
	}
	if s.has("hangs") && request.Command == v1alpha1.CommandEdit {
		time.Sleep(time.Minute)
	}
	if s.has("from nothing") || s.has("drops fields") || s.has("merges") {
		s.share(request, response)
		return nil
	}
	if request.Universe[name] == content {
		return nil
	}
	response.Universe = map[string]string{name: content}
	if s.has("echo") {
		for name, content := range request.Universe {
			response.Universe[name] = content
		}
		response.Universe[name] = content
	}
	if s.has("PROJECT") && request.Command == v1alpha1.CommandInit {
		response.Universe["PROJECT"] = "version: \"3\"\n"
	}
	return nil
}

// rewriteProject has only the command create api, which writes the fields of PROJECT that it knows.
func (s sample) rewriteProject(request v1alpha1.Request, response *v1alpha1.Response) error {
	if request.Command != v1alpha1.CommandCreateAPI {
		return errors.New("unknown command")
	}
	if known := "domain: example.org\nversion: \"3\"\n"; request.Universe["PROJECT"] != known {
		response.Universe = map[string]string{"PROJECT": known}
	}
	return nil
}

// share writes two files that others write, too: a section of README.md, and a list in config.yaml.
func (s sample) share(request v1alpha1.Request, response *v1alpha1.Response) {
	response.Universe = map[string]string{}
	readme, section := request.Universe["README.md"], "# sample\n"
	if s.has("from nothing") {
		readme = ""
	}
	if !strings.Contains(readme, section) {
		readme += section
	}
	config, entry := request.Universe["config.yaml"], "- "+request.Command+"\n"
	if s.has("drops fields") {
		config, _, _ = strings.Cut(config, "ofOthers")
	}
	if config == "" {
		config = "size: 1\ncommands:\n"
	}
	if !strings.Contains(config, entry) {
		config = strings.Replace(config, "commands:\n", "commands:\n"+entry, 1)
	}
	for name, content := range map[string]string{"README.md": readme, "config.yaml": config} {
		if request.Universe[name] != content {
			response.Universe[name] = content
		}
	}
}

// faults are the checks that must fail for each fault.
var faults = map[string][]string{
	"none":                      nil,
	"no metadata":               {"metadata"},
	"flag with hyphens":         {"flags"},
	"slow":                      {"time"},
	"command is not repeated":   {"echo"},
	"null args":                 {"null-args"},
	"equals":                    {"equals"},
	"unknown flags are refused": {"unknown-flag"},
	"error_msg":                 {"unknown-command"},
	"exit code":                 {"unknown-command"},
	"unknown commands succeed":  {"unknown-command"},
	"config":                    {"old-host"},
	"escape":                    {"paths"},
	"writes itself":             {"paths"},
	"PROJECT":                   {"project-file"},
	"echo":                      {"changed-only"},
	"large projects":            {"large-project"},
	"appends":                   {"idempotent"},
	"random":                    {"same-bytes"},
	"chain":                     {"chain-order"},
	"hangs":                     {"answer"},
	"merges":                    nil,
	"from nothing":              {"shared-files"},
	"drops fields":              {"unknown-fields"},
	"needs projectName":         nil,
	"drops fields of PROJECT":   {"unknown-fields"},
	"a message on stdout":       {"metadata"},
}

func TestHarnessFindsEachFault(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	for fault, want := range faults {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			plugin := install(t, "#!/bin/sh\n"+pluginVariable+"='"+fault+"' exec '"+self+"'\n")
			report, err := harness.Harness{Plugin: plugin, Files: 1100, Answer: answer, Time: 4 * answer}.Run(context.Background())
			require.NoError(t, err)
			var failed []string
			for _, result := range report.Results {
				if result.State == harness.Failed {
					failed = append(failed, result.Check)
				}
				for _, message := range result.Messages {
					t.Logf("%s %s: %s", result.State, result.Check, message)
				}
			}
			assert.ElementsMatch(t, want, failed)
			assert.Equal(t, len(want) > 0, report.Failed())
		})
	}
}

// Two plugins that pass by themselves may fail in a chain.
func TestHarnessFindsFaultsOfChains(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	plugin := func(fault string) external.Plugin {
		return install(t, "#!/bin/sh\n"+pluginVariable+"='"+fault+"' exec '"+self+"'\n")
	}
	other := installAs(t, "other", `#!/bin/sh
case $(cat) in
*'"command":"flags"'*) echo '{"flags": [{"Name": "team", "Type": "string"}, {"Name": "fast", "Type": "bool"}]}' ;;
*'"command":"metadata"'* | *'"command":"create'* | *'"command":"edit"'*) echo '{}' ;;
*) printf '%s' '{"universe": {"README.md": "# Other\n\nOther.\n"}}' ;;
esac
`)
	for fault, want := range map[string][2]string{
		"none": {},
		"unknown flags are refused": {
			`init ["--team" "sample" "--fast"]: plugin sample/v1 must succeed with the flags and the files of other/v1, ` +
				`but fails: unknown flag: --team`,
			`init ["--team" "sample" "--fast"]: plugin sample/v1 must succeed with the flags and the files of other/v1, ` +
				`but fails: unknown flag: --team`,
		},
		"from nothing": {
			"init: plugin other/v1 must keep what sample/v1 has written in \"README.md\"",
			"init: plugin sample/v1 must keep what other/v1 has written in \"README.md\"",
		},
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			sample := plugin(fault)
			for i, chain := range [][2]external.Plugin{{sample, other}, {other, sample}} {
				report, err := harness.Harness{Answer: answer}.Chain(context.Background(), chain[0], chain[1])
				require.NoError(t, err)
				require.Len(t, report.Results, 1)
				if want[i] == "" {
					assert.Equal(t, harness.Passed, report.Results[0].State, "%q", report.Results[0].Messages)
					continue
				}
				assert.Equal(t, harness.Failed, report.Results[0].State)
				require.NotEmpty(t, report.Results[0].Messages)
				assert.Equal(t, want[i], report.Results[0].Messages[0])
			}
		})
	}
}

func install(t *testing.T, script string) external.Plugin {
	t.Helper()
	return installAs(t, "sample", script)
}

func installAs(t *testing.T, name, script string) external.Plugin {
	t.Helper()
	folder := filepath.Join(t.TempDir(), name, "v1")
	require.NoError(t, os.MkdirAll(folder, 0o755))
	require.NoError(t, checkout.WriteProgram(filepath.Join(folder, name), script))
	plugins, broken, err := external.Discover(filepath.Dir(filepath.Dir(folder)))
	require.NoError(t, err)
	require.Empty(t, broken)
	return plugins[0]
}

// Plugins can be written in other languages.
func TestPluginsInOtherLanguages(t *testing.T) {
	t.Parallel()
	for file, needs := range map[string]string{"plugin.py": "python3", "plugin.sh": "jq"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			checkout.Program(t, needs, needs)
			script, err := os.ReadFile(filepath.Join("testdata", file))
			require.NoError(t, err)
			report, err := harness.Harness{Plugin: install(t, string(script)), Answer: 10 * time.Second}.Run(context.Background())
			require.NoError(t, err)
			for _, result := range report.Results {
				assert.NotEqual(t, harness.Failed, result.State, "%s: %s", result.Check, result.Messages)
			}
		})
	}
}
