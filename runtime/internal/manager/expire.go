package manager

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/runtime/internal/expire"
	"github.com/resource-plugins/krm-functions/runtime/internal/variable"
)

// refusedTimeout limits how long a right is waited for: the next run asks again.
const refusedTimeout = 5 * time.Second

// expire tears down the sandboxes whose ttl has passed. It has no step, and so no plan in its environment.
func (h Host) expire(ctx context.Context) int {
	namespace := h.Getenv(contract.NamespaceVariable)
	if namespace == "" {
		h.Reporter.Fail(variable.Missing(contract.NamespaceVariable).Error())
		return exitFailed
	}
	timing := h.Timing
	timing.ApplyTimeout = cmp.Or(timing.ApplyTimeout, refusedTimeout)
	client, err := h.client(timing)
	if err != nil {
		h.Reporter.Fail(err.Error())
		return exitFailed
	}
	failures := expire.Expirer{Client: client, Namespace: namespace, Log: h.Reporter.Log, Now: h.now}.Run(ctx)
	for _, err := range failures {
		h.Reporter.Fail(err.Error())
	}
	if len(failures) > 0 {
		return exitCode(errors.Join(failures...))
	}
	return 0
}

func (h Host) now() time.Time {
	if h.Now != nil {
		return h.Now()
	}
	return time.Now()
}
