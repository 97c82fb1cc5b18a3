package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"github.com/spf13/pflag"

	"github.com/resource-plugins/krm-functions/internal/report"
)

// kubectl runs the user's kubectl, with the user's configuration.
type kubectl struct {
	program, kubeconfig, context string
}

// flags declares how kubectl is found and which cluster it uses.
func (k *kubectl) flags(flags *pflag.FlagSet) {
	flags.StringVar(&k.context, "context", "", "`NAME` of the context of the kubeconfig")
	flags.StringVar(&k.kubeconfig, "kubeconfig", "", "`FILE` with the kubeconfig (default: kubectl's)")
	flags.StringVar(&k.program, "kubectl", "kubectl", "`PROGRAM` to run as kubectl")
}

// run returns what kubectl prints on stdout.
func (k *kubectl) run(stdin []byte, arguments ...string) ([]byte, error) {
	var out, messages bytes.Buffer
	command := k.command(context.Background(), arguments)
	command.Stdin, command.Stdout, command.Stderr = bytes.NewReader(stdin), &out, &messages
	if err := explain(command.Run(), arguments[0], &messages); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// stream writes the lines that kubectl prints on stdout as they come, with escaped characters where a terminal would execute
// them.
func (k *kubectl) stream(ctx context.Context, out io.Writer, arguments ...string) error {
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

func (k *kubectl) command(ctx context.Context, arguments []string) *exec.Cmd {
	if k.context != "" {
		arguments = append(arguments, "--context="+k.context)
	}
	if k.kubeconfig != "" {
		arguments = append(arguments, "--kubeconfig="+k.kubeconfig)
	}
	return exec.CommandContext(ctx, k.program, arguments...)
}

// explain completes the error of a run of kubectl.
func explain(err error, subcommand string, messages *bytes.Buffer) error {
	var failed *exec.ExitError
	switch {
	case errors.As(err, &failed):
		return fmt.Errorf("kubectl %s failed with %w: %s", subcommand, err, report.Printable(strings.TrimSpace(messages.String())))
	case err != nil:
		return fmt.Errorf("kubectl must be installed, or named by --kubectl: %w", err)
	}
	return nil
}
