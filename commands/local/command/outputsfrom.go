package command

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"

	"golang.org/x/term"

	"github.com/resource-plugins/krm-functions/commands/local/localrun"
	"github.com/resource-plugins/krm-functions/internal/contract"
)

// fromCluster is the value of --outputs-from for the Secrets of a cluster.
const fromCluster = "cluster"

// published returns where the outputs are of steps that did not run here; nil for nowhere.
func (f *runFlags) published() (localrun.PublishedFunc, error) {
	switch f.outputsFrom {
	case "":
		return nil, nil
	case fromCluster:
		return f.readSecret, nil
	}
	found, err := localrun.PublishedIn(f.outputsFrom)
	if err != nil {
		return nil, fmt.Errorf("--outputs-from must be %s, or a folder: %w", fromCluster, err)
	}
	return found, nil
}

// readSecret reads the outputs of a step from its Secret in the cluster, with the user's kubectl.
func (f *runFlags) readSecret(_ context.Context, _, namespace, name string) (*localrun.Published, error) {
	text, err := f.kubectl.Run(nil, "get", "secret", name, "--namespace="+namespace, "--ignore-not-found", "--output=json")
	if err != nil || len(text) == 0 {
		return nil, err
	}
	var secret corev1.Secret
	if err := json.Unmarshal(text, &secret); err != nil {
		return nil, fmt.Errorf("kubectl must print secret %q as JSON", name) // the error may quote a value
	}
	generation := secret.Annotations[contract.PublishedKey]
	if generation == "" {
		return nil, nil
	}
	return &localrun.Published{Generation: generation, Data: secret.Data}, nil
}

// shellOf returns the shell of --shell; nil for none.
func (f *runFlags) shellOf() *localrun.Shell {
	if f.shell == "" {
		return nil
	}
	return &localrun.Shell{
		Step: f.shell, Stdin: os.Stdin, Stdout: os.Stdout, Terminal: term.IsTerminal(int(os.Stdin.Fd())),
	}
}
