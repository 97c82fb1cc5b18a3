// Package kubectl runs the user's kubectl, with the access that it has:
//
//	var k kubectl.Kubectl
//	k.Flags(command)
//	text, err := k.Run(nil, "get", "jobs", "-o", "json")
package kubectl

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/resource-plugins/krm-functions/internal/report"
)

// name is the program if the user names none.
const name = "kubectl"

// Changed reports whether a flag of Flags is set.
func Changed(flags *pflag.FlagSet) bool {
	return slices.ContainsFunc([]string{"context", "kubeconfig", "kubectl"}, flags.Changed)
}

// Kubectl says which program is run, and for which cluster. The zero value is the defaults of the user.
type Kubectl struct {
	program, kubeconfig, context string
}

// Flags declares how kubectl is found and which cluster it uses.
func (k *Kubectl) Flags(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVar(&k.context, "context", "", "`NAME` of the context of the kubeconfig")
	flags.StringVar(&k.kubeconfig, "kubeconfig", "", "`FILE` with the kubeconfig (default: kubectl's)")
	flags.StringVar(&k.program, "kubectl", name, "`PROGRAM` to run as kubectl")
	register(command, "context", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return (&Kubectl{program: k.program, kubeconfig: k.kubeconfig}).lines("config", "get-contexts", "-o", "name")
	})
}

// Run returns the output of kubectl.
func (k *Kubectl) Run(stdin []byte, arguments ...string) ([]byte, error) {
	var out, messages bytes.Buffer
	command := k.command(context.Background(), arguments)
	command.Stdin, command.Stdout, command.Stderr = bytes.NewReader(stdin), &out, &messages
	if err := explain(command.Run(), arguments[0], &messages); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// May reports whether the user may do something with the objects of a resource, such as pods/log, in a namespace; an
// empty one is that of kubectl.
func (k *Kubectl) May(verb, resource, namespace string) (bool, error) {
	arguments := []string{"auth", "can-i", verb, resource}
	if namespace != "" {
		arguments = append(arguments, "-n", namespace)
	}
	var out, messages bytes.Buffer
	command := k.command(context.Background(), arguments)
	command.Stdout, command.Stderr = &out, &messages
	err := command.Run()
	var failed *exec.ExitError
	answer, _, _ := strings.Cut(strings.TrimSpace(out.String()), " ") // a reason may follow
	switch {
	case err == nil && answer == "yes":
		return true, nil
	case errors.As(err, &failed) && answer == "no":
		return false, nil
	case err == nil:
		return false, fmt.Errorf("kubectl auth can-i must print yes or no, not %q", out.String())
	}
	return false, explain(err, "auth can-i", &messages)
}

// Stream writes the lines of kubectl's output as they come. Characters that a terminal would execute are escaped.
func (k *Kubectl) Stream(ctx context.Context, out io.Writer, arguments ...string) error {
	reader, writer := io.Pipe()
	var messages bytes.Buffer
	command := k.command(ctx, arguments)
	command.Stdout, command.Stderr = writer, &messages
	copied := make(chan error, 1)
	go func() {
		err := copyPrintable(out, reader)
		_ = reader.CloseWithError(err) // ends kubectl if stdout cannot be written
		copied <- err
	}()
	ended := command.Run()
	_ = writer.Close()
	if err := <-copied; err != nil {
		return err
	}
	return explain(ended, arguments[0], &messages)
}

func (k *Kubectl) command(ctx context.Context, arguments []string) *exec.Cmd {
	if k.context != "" {
		arguments = append(arguments, "--context="+k.context)
	}
	if k.kubeconfig != "" {
		arguments = append(arguments, "--kubeconfig="+k.kubeconfig)
	}
	return exec.CommandContext(ctx, cmp.Or(k.program, name), arguments...)
}

// explain completes the error of a run of kubectl.
func explain(err error, subcommand string, messages *bytes.Buffer) error {
	var failed *exec.ExitError
	switch {
	case errors.As(err, &failed):
		return fmt.Errorf("kubectl %s failed with %w: %s", subcommand, err, report.Printable(withoutLog(messages.String())))
	case err != nil:
		return fmt.Errorf("kubectl must be installed, or named by --kubectl: %w", err)
	}
	return nil
}

// logged matches a line that the libraries of kubectl log: https://pkg.go.dev/k8s.io/klog/v2
var logged = regexp.MustCompile(`(?m)^[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ [^ ]+:\d+\] .*\n?`)

// withoutLog returns the messages of kubectl without those that its libraries log: a server that does not respond is logged
// several times before kubectl prints its error. If nothing else is printed, the log is the message.
func withoutLog(messages string) string {
	return cmp.Or(strings.TrimSpace(logged.ReplaceAllString(messages, "")), strings.TrimSpace(messages))
}

// IsForbidden reports whether an error of Run says that the user may not do it.
func IsForbidden(err error) bool { return err != nil && strings.Contains(err.Error(), "(Forbidden)") }

// IsUnknownKind reports whether an error of Run says that the cluster does not have the kind of object.
func IsUnknownKind(err error) bool {
	return err != nil && strings.Contains(err.Error(), "the server doesn't have a resource type")
}

// copyPrintable copies lines, escaping characters that a terminal would execute.
func copyPrintable(out io.Writer, in io.Reader) error {
	reader := bufio.NewReader(in)
	for {
		line, err := reader.ReadString('\n')
		if line != "" {
			if _, err := io.WriteString(out, report.Printable(strings.TrimSuffix(line, "\n"))+"\n"); err != nil {
				return fmt.Errorf("stdout must be writable: %w", err)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// MetadataOf is an output format of kubectl with the kind and the metadata of each object: of Secrets kubectl prints no
// value. It prints one object or a List, whose own metadata has no name.
func MetadataOf(kind string) string {
	object := `{"{\"kind\":\"` + kind + `\",\"metadata\":"}{.metadata}{"}\n"}`
	return "jsonpath={range .items[*]}" + object + "{end}" + object
}
