//go:build !linux

package process

import (
	"context"
	"errors"

	"github.com/resource-plugins/krm-functions/local/localrun"
)

// Enter runs a step if this process was started for that: on Linux alone.
func Enter() { entered.Store(true) }

var errNoNamespaces = errors.New("namespaces of Linux are needed")

func probe() error { return errNoNamespaces }

func runIsolated(context.Context, localrun.Container) (localrun.Result, error) {
	return localrun.Result{}, errNoNamespaces
}
