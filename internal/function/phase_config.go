package function

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/form"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

// config is what a user can choose.
type phaseConfig struct{ v1alpha1.RenderPhase }

// check reports every value that cannot be used.
func (c *phaseConfig) check(call cli.Call) bool {
	ok := true
	wrong := func(key krm.Path, format string, args ...any) {
		call.ConfigError(key, fmt.Sprintf(format, args...))
		ok = false
	}
	c.checkPhases(wrong)
	if c.Workload != string(render.Job) && c.Workload != string(render.Pod) {
		wrong("workload", "must be Job or Pod, not %q", c.Workload)
	}
	c.checkDelivery(wrong)
	if c.HelperImage == "" {
		wrong("helperImage", "must be an image")
	}
	c.checkNames(wrong)
	for _, n := range []struct {
		key        krm.Path
		value, min int
	}{
		{"stepTimeoutSeconds", c.StepTimeoutSeconds, 1},
		{"startTimeoutSeconds", c.StartTimeoutSeconds, 1},
		{"retries", c.Retries, 0},
		{ttlKey, c.TTLSecondsAfterFinished, keepJobs},
	} {
		if n.value < n.min {
			wrong(n.key, "must be at least %d, not %d", n.min, n.value)
		} else if n.value > math.MaxInt32 {
			wrong(n.key, "must be at most %d, not %d", math.MaxInt32, n.value)
		}
	}
	if c.Retries > 0 && c.Workload == string(render.Pod) {
		wrong("retries", "must be 0 with workload Pod: only a Job runs again")
	}
	c.checkTTL(wrong)
	return ok
}

const ttlKey = "ttlSecondsAfterFinished"

// checkTTL checks that ended Jobs may be removed at all.
func (c *phaseConfig) checkTTL(wrong func(key krm.Path, format string, args ...any)) {
	switch {
	case c.TTLSecondsAfterFinished == keepJobs:
	case c.Workload == string(render.Pod):
		wrong(ttlKey, "must be %d with workload Pod: only Jobs are removed after their end", keepJobs)
	case render.Tool(c.Delivery).Recreates():
		wrong(ttlKey, "must be %d with delivery %s, which makes a removed Job anew, and so runs its step again",
			keepJobs, c.Delivery)
	}
}

// keepJobs is the TTLSecondsAfterFinished with which Jobs stay.
const keepJobs = -1

// checkNames checks the names of objects.
func (c *phaseConfig) checkNames(wrong func(key krm.Path, format string, args ...any)) {
	if fault := form.Label(c.RunnerNamespace); fault != "" {
		wrong("runnerNamespace", "%s", fault)
	}
	for i, name := range c.ImagePullSecrets {
		if fault := form.Subdomain(name); fault != "" {
			wrong(krm.Path("imagePullSecrets").Index(i), "%s", fault)
		} else if name == "" {
			wrong(krm.Path("imagePullSecrets").Index(i), "must be the name of a Secret")
		}
	}
	for _, from := range slices.Sorted(maps.Keys(c.Namespaces)) {
		to, at := c.Namespaces[from], krm.Path("namespaces").Key(from)
		if fault := form.Label(to); fault != "" {
			wrong(at, "%s", fault)
		} else if to == "" {
			wrong(at, "must be the namespace to use for %q", from)
		}
	}
}

func (c *phaseConfig) options(name string) render.Options {
	options := render.Options{
		Workload: render.Workload(c.Workload), RunnerNamespace: c.RunnerNamespace, Namespaces: c.Namespaces,
		HelperImage: c.HelperImage, ImagePullSecrets: c.ImagePullSecrets, RenderedBy: name,
		StepTimeout: c.StepTimeoutSeconds, StartTimeout: c.StartTimeoutSeconds, Retries: c.Retries,
	}
	if c.TTLSecondsAfterFinished != keepJobs {
		options.TTL = &c.TTLSecondsAfterFinished
	}
	return options
}
