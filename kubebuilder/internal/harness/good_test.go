package harness_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/kubebuilder/internal/harness"
	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
)

// goodPrefix marks the values of pluginVariable that are names of good plugins.
const goodPrefix = "good "

// good are plugins of different shapes without faults, each a function that handles a request for a command.
var good = map[string]func(request v1alpha1.Request, response *v1alpha1.Response){
	"changes nothing":              func(v1alpha1.Request, *v1alpha1.Response) {},
	"one file":                     writes("one.txt", "1\n"),
	"a file without a line break":  writes("one.txt", "1"),
	"an empty file":                writes("empty", ""),
	"a hidden file":                writes(".sample.yaml", "a: 1\n"),
	"a file in folders":            writes("a/b/c/d.txt", "1\n"),
	"a file with blanks":           writes("my file.txt", "1\n"),
	"text that is not ASCII":       writes("größe.md", "# Größe 日本\n"),
	"a large file":                 writes("large.txt", strings.Repeat("line\n", 200_000)),
	"a script":                     writes("hack/run.sh", "#!/bin/sh\necho \"$1\" '${2}' `id`\n"),
	"Windows line breaks":          writes("one.bat", "echo\r\n"),
	"many files":                   many(200),
	"a file for each command":      perCommand,
	"a file for each kind":         perKind,
	"a section of README.md":       section("README.md", "## Sample\n"),
	"a line of Makefile":           section("Makefile", "include sample.mk\n"),
	"a line of .gitignore":         section(".gitignore", "/sample\n"),
	"a key of a YAML file":         key("config.yaml", yaml.Marshal),
	"a key of a JSON file":         key("config.json", marshalJSON),
	"the name of the project":      fromConfig("projectName"),
	"the domain of the project":    fromConfig("domain"),
	"the other plugins":            fromChain,
	"only init":                    only(v1alpha1.CommandInit),
	"only create api":              only(v1alpha1.CommandCreateAPI),
	"only create webhook":          only(v1alpha1.CommandCreateWebhook),
	"only edit":                    only(v1alpha1.CommandEdit),
	"removes a file":               removes,
	"keeps files that users edit":  keepsEdited,
	"counts the files of a folder": counts,
	"a block between marks":        block("README.md", "<!-- sample -->\n", "<!-- end of sample -->\n"),
	"a document of a YAML file":    section("all.yaml", "---\nsample: 1\n"),
	"a workflow":                   writes(".github/workflows/sample.yaml", "on: push\njobs: {}\n"),
	"a table of a TOML file":       section("config.toml", "[sample]\nsize = 1\n"),
	"a header of its Go files":     header,
	"renames a file":               renames,
	"flags of each type":           perKind,
	"a folder for group and kind":  perGroup,
	"keys in other cases":          perKind,
	"its own state":                key(".sample/state.json", marshalJSON),
	"writes to stderr": func(request v1alpha1.Request, response *v1alpha1.Response) {
		fmt.Fprintln(os.Stderr, "sample: working")
		perKind(request, response)
	},
}

// goodPlugin answers as a good plugin.
func goodPlugin(name string, request v1alpha1.Request) {
	response := &v1alpha1.Response{APIVersion: request.APIVersion, Command: request.Command, Universe: map[string]string{}}
	switch request.Command {
	case v1alpha1.CommandFlags:
		response.Flags = []v1alpha1.Flag{{Name: "kind", Type: "string", Usage: "kind of the sample"}}
		if name == "flags of each type" {
			response.Flags = append(response.Flags, v1alpha1.Flag{Name: "size", Type: "int", Default: "1", Usage: "size of the sample"},
				v1alpha1.Flag{Name: "fast", Type: "bool", Default: "false", Usage: "do it fast"},
				v1alpha1.Flag{Name: "ratio", Type: "float", Default: "0.5", Usage: "ratio of the sample"})
		}
	case v1alpha1.CommandMetadata:
		response.Metadata.Description = name
	case v1alpha1.CommandInit, v1alpha1.CommandCreateAPI, v1alpha1.CommandCreateWebhook, v1alpha1.CommandEdit:
		if strings.ContainsAny(kindOf(request), "/.") {
			refuse(response, "the kind must be a name")
			break
		}
		good[name](request, response)
	default:
		refuse(response, "unknown command")
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	if len(name)%2 == 0 {
		encoder.SetIndent("", "  ")
	}
	if err := encoder.Encode(response); err != nil {
		os.Exit(3)
	}
	text := out.String()
	if name == "keys in other cases" { // which kubebuilder reads, too
		text = strings.NewReplacer(`"universe":`, `"Universe":`, `"errorMsgs":`, `"ERRORMSGS":`, `"flags":`, `"Flags":`).Replace(text)
	}
	fmt.Print(text)
}

func refuse(response *v1alpha1.Response, message string) {
	response.Error, response.ErrorMsgs = true, []string{message}
}

// kindOf returns the value of --kind, and ignores all other flags.
func kindOf(request v1alpha1.Request) string {
	for i, argument := range request.Args {
		if value, found := strings.CutPrefix(argument, "--kind="); found {
			return value
		}
		if argument == "--kind" && i+1 < len(request.Args) {
			return request.Args[i+1]
		}
	}
	return "none"
}

// put writes a file unless the project has it.
func put(request v1alpha1.Request, response *v1alpha1.Response, name, content string) {
	if current, found := request.Universe[name]; !found || current != content {
		response.Universe[name] = content
	}
}

func writes(name, content string) func(v1alpha1.Request, *v1alpha1.Response) {
	return func(request v1alpha1.Request, response *v1alpha1.Response) {
		if _, found := request.Universe[name]; !found {
			put(request, response, name, content)
		}
	}
}

func many(n int) func(v1alpha1.Request, *v1alpha1.Response) {
	return func(request v1alpha1.Request, response *v1alpha1.Response) {
		for i := range n {
			put(request, response, fmt.Sprintf("many/%d.txt", i), fmt.Sprintln(i))
		}
	}
}

func perCommand(request v1alpha1.Request, response *v1alpha1.Response) {
	put(request, response, strings.ReplaceAll(request.Command, " ", "-")+".txt", request.Command+"\n")
}

func perKind(request v1alpha1.Request, response *v1alpha1.Response) {
	put(request, response, "kinds/"+kindOf(request)+".yaml", "kind: "+kindOf(request)+"\n")
}

func section(name, text string) func(v1alpha1.Request, *v1alpha1.Response) {
	return func(request v1alpha1.Request, response *v1alpha1.Response) {
		current := request.Universe[name]
		if strings.Contains(current, text) {
			return
		}
		if current != "" && !strings.HasSuffix(current, "\n") {
			current += "\n"
		}
		put(request, response, name, current+text)
	}
}

func marshalJSON(value any) ([]byte, error) { return json.MarshalIndent(value, "", "  ") }

// key sets a key of a file that may have others.
func key(name string, marshal func(any) ([]byte, error)) func(v1alpha1.Request, *v1alpha1.Response) {
	return func(request v1alpha1.Request, response *v1alpha1.Response) {
		values := map[string]any{}
		if err := yaml.Unmarshal([]byte(request.Universe[name]), &values); err != nil {
			refuse(response, name+" must be an object")
			return
		}
		if values["sample"] == kindOf(request) {
			return
		}
		values["sample"] = kindOf(request)
		text, err := marshal(values)
		if err != nil {
			refuse(response, err.Error())
			return
		}
		put(request, response, name, string(text))
	}
}

func fromConfig(name string) func(v1alpha1.Request, *v1alpha1.Response) {
	return func(request v1alpha1.Request, response *v1alpha1.Response) {
		value, _ := request.Config[name].(string)
		if _, found := request.Universe["name.txt"]; !found {
			put(request, response, "name.txt", value+"\n")
		}
	}
}

func fromChain(request v1alpha1.Request, response *v1alpha1.Response) {
	text := "alone\n"
	if slices.Contains(request.PluginChain, "go.kubebuilder.io/v4") {
		text = "with Go\n"
	}
	if _, found := request.Universe["chain.txt"]; !found {
		put(request, response, "chain.txt", text)
	}
}

func only(command string) func(v1alpha1.Request, *v1alpha1.Response) {
	return func(request v1alpha1.Request, response *v1alpha1.Response) {
		if request.Command != command {
			refuse(response, "unknown command")
			return
		}
		put(request, response, "only.txt", command+"\n")
	}
}

func removes(request v1alpha1.Request, response *v1alpha1.Response) {
	if _, found := request.Universe["old.txt"]; found {
		response.Deleted = []string{"old.txt"}
	}
	put(request, response, "new.txt", "new\n")
}

func keepsEdited(request v1alpha1.Request, response *v1alpha1.Response) {
	name := kindOf(request) + "/controller.go"
	if _, found := request.Universe[name]; !found {
		put(request, response, name, "package controller\n")
	}
}

// block replaces the text between two marks, or appends it with them.
func block(name, begin, end string) func(v1alpha1.Request, *v1alpha1.Response) {
	return func(request v1alpha1.Request, response *v1alpha1.Response) {
		current, own := request.Universe[name], begin+"Kind "+kindOf(request)+".\n"+end
		before, rest, found := strings.Cut(current, begin)
		if !found {
			section(name, own)(request, response)
			return
		}
		_, after, _ := strings.Cut(rest, end)
		put(request, response, name, before+own+after)
	}
}

// header changes all its files of one kind.
func header(request v1alpha1.Request, response *v1alpha1.Response) {
	for name, content := range request.Universe {
		if strings.HasPrefix(name, "sample/") && strings.HasSuffix(name, ".go") && !strings.HasPrefix(content, "// Sample.\n") {
			put(request, response, name, "// Sample.\n\n"+content)
		}
	}
	writes("sample/doc.go", "// Sample.\n\npackage sample\n")(request, response)
}

func renames(request v1alpha1.Request, response *v1alpha1.Response) {
	content, found := request.Universe["old.txt"]
	if found {
		response.Deleted = []string{"old.txt"}
	} else {
		content = "new\n"
	}
	if _, isThere := request.Universe["new.txt"]; !isThere {
		put(request, response, "new.txt", content)
	}
}

func perGroup(request v1alpha1.Request, response *v1alpha1.Response) {
	group := "none"
	for i, argument := range request.Args {
		if argument == "--group" && i+1 < len(request.Args) {
			group = request.Args[i+1]
		} else if value, isJoined := strings.CutPrefix(argument, "--group="); isJoined {
			group = value
		}
	}
	if strings.ContainsAny(group, "/.") {
		refuse(response, "the group must be a name")
		return
	}
	put(request, response, "api/"+group+"/"+strings.ToLower(kindOf(request))+"_types.go", "package "+group+"\n")
}

func counts(request v1alpha1.Request, response *v1alpha1.Response) {
	n := 0
	for name := range request.Universe {
		if strings.HasPrefix(name, "counted/") {
			n++
		}
	}
	put(request, response, "count.txt", fmt.Sprintln(n))
}

// Plugins without faults pass all checks that apply to them: no check gives a false alarm.
func TestHarnessPassesGoodPlugins(t *testing.T) {
	t.Parallel()
	require.GreaterOrEqual(t, len(good), 40)
	self, err := os.Executable()
	require.NoError(t, err)
	for name := range good {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plugin := install(t, "#!/bin/sh\n"+pluginVariable+"='"+goodPrefix+name+"' exec '"+self+"'\n")
			report, err := harness.Harness{Plugin: plugin, Files: 1100, Answer: 4 * answer}.Run(context.Background())
			require.NoError(t, err)
			passed := 0
			for _, result := range report.Results {
				assert.NotEqual(t, harness.Failed, result.State, "%s: %s", result.Check, result.Messages)
				if result.State == harness.Passed {
					passed++
				}
			}
			assert.GreaterOrEqual(t, passed, 15, "%+v", report.Results)
		})
	}
}
