package rplug

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/resource-plugins/krm-functions/internal/function/renderphase"
	"github.com/resource-plugins/krm-functions/internal/load"
)

// errorsAsDocument is the flag with which errors are printed as a document, see errorDocument.
const errorsAsDocument = "--errors-as-document"

// postRenderCommand returns build as a post-renderer of Helm, which gives the documents on stdin.
func postRenderCommand(stdout io.Writer, features renderphase.Extensions) *cobra.Command {
	command := &cobra.Command{
		Use: "post-render [flags] [PATH...]", GroupID: GroupBuild, DisableFlagParsing: true,
		Short: "Render what a Helm chart holds: a post-renderer of Helm",
		Long: "Render the plugins, sandboxes and install requests among the documents on stdin, which Helm has\n" +
			"rendered from a chart, and drop what they were rendered from. All other objects are printed as they\n" +
			"are. Documents of PATH are read, too. The flags are those of build, but by default both phases are\n" +
			"rendered, with --delivery helm: Helm runs the delete phases when the release is uninstalled.\n\n" +
			"Helm 4 drops what a post-renderer writes to stderr. With " + errorsAsDocument + ", errors are printed\n" +
			"as a document that Helm refuses with a message that has them, and the exit code is 0. The plugin for\n" +
			"Helm 4 in the folder deploy/helm/ of the repository does that.\n\n" + ExitCodes,
		Example: "  rplug post-render < chart.yaml     # what helm template has printed\n" +
			"  helm template --post-renderer rplug sandboxes chart     # Helm 4, with the plugin\n" +
			"  helm template --post-renderer rplug --post-renderer-args post-render sandboxes chart     # Helm 3",
		RunE: func(c *cobra.Command, args []string) error { return postRender(c, stdout, args, features) },
	}
	command.SetUsageTemplate(strings.Replace(command.UsageTemplate(),
		"{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}", "  those of build: see build --help-all", 1))
	f := postRenderFunction(features...)
	command.ValidArgsFunction = completeArguments(f)
	declareFlags(command, f)
	return command
}

func postRender(c *cobra.Command, stdout io.Writer, args []string, features renderphase.Extensions) error {
	if slices.ContainsFunc(args, func(arg string) bool { return arg == "-h" || arg == "--help" }) {
		return c.Help()
	}
	forHelm := slices.Contains(args, errorsAsDocument)
	args = slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg == errorsAsDocument })
	var out, errs bytes.Buffer
	f := postRenderFunction(features...)
	f.Command = c.CommandPath()
	code := f.Run(c.Context(), append(args, load.Stdin), c.InOrStdin(), &out, io.MultiWriter(c.ErrOrStderr(), &errs))
	switch {
	case code != ExitClean && forHelm:
		out.Reset()
		out.Write(errorDocument(errs.String()))
		code = ExitClean
	case code == ExitClean && out.Len() == 0:
		out.WriteString("# nothing to apply\n") // Helm takes no output for a failure
	}
	if _, err := out.WriteTo(stdout); err != nil {
		return fmt.Errorf("stdout must be writable: %w", err)
	}
	return Exit(code)
}

// errorDocument returns a document that makes Helm 4 fail with a message. Helm 4.3 drops the stderr of post-renderers,
// but it names the file of a document that it cannot read
// (https://github.com/helm/helm/blob/v4.3.1/internal/plugin/runtime_subprocess.go, runPostrenderer). The kind is a
// list, so that nothing else takes the document for an object. Helm leaves out files whose last part starts with "_":
// the message, which may hold any path, is followed by another part.
func errorDocument(message string) []byte {
	file := "what it got:\n" + strings.TrimSpace(message) + "\nrplug/post-render"
	quoted, _ := json.Marshal(file) // a string always has a JSON form
	return fmt.Appendf(nil, "apiVersion: v1\nkind: []\nmetadata:\n  name: error\n  annotations:\n    %s: %s\n",
		"postrenderer.helm.sh/postrender-filename", quoted)
}
