package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/spf13/pflag"
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
	if k.context != "" {
		arguments = append(arguments, "--context="+k.context)
	}
	if k.kubeconfig != "" {
		arguments = append(arguments, "--kubeconfig="+k.kubeconfig)
	}
	command := exec.Command(k.program, arguments...)
	var out, messages bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = bytes.NewReader(stdin), &out, &messages
	err := command.Run()
	var failed *exec.ExitError
	switch {
	case errors.As(err, &failed):
		return nil, fmt.Errorf("kubectl %s failed with %w: %s", arguments[0], err, strings.TrimSpace(messages.String()))
	case err != nil:
		return nil, fmt.Errorf("kubectl must be installed, or named by --kubectl: %w", err)
	}
	return out.Bytes(), nil
}
