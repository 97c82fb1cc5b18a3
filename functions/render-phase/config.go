package main

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/form"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

// config is what a user can choose.
type config struct {
	Phases   []string `json:"phases" help:"create or delete; both with argocd or helm alone"`
	Workload string   `json:"workload" help:"what a step becomes: Job or Pod"`
	Cluster  string   `json:"cluster" help:"render the sandboxes of this cluster alone"`

	Delivery   string `json:"delivery" help:"the tool: kubectl, argocd, flux, helm or kpt"`
	DeleteHook string `json:"deleteHook" help:"of argocd and helm: PostDelete or PreDelete"`

	RunnerNamespace string            `json:"runnerNamespace" help:"run all steps in this namespace"`
	Namespaces      map[string]string `json:"namespaces" help:"run the steps of one namespace in another: old=new"`

	HelperImage         string   `json:"helperImage" help:"the image of the helpers in Pods whose step reads or writes outputs"`
	ImagePullSecrets    []string `json:"imagePullSecrets" help:"names of Secrets for pulling the images"`
	StepTimeoutSeconds  int      `json:"stepTimeoutSeconds" help:"how long a step may take once its inputs are there"`
	StartTimeoutSeconds int      `json:"startTimeoutSeconds" help:"how long a step's container may take to start"`
	Retries             int      `json:"retries" help:"how often a Job that failed runs again; scripts must stand it"`

	TTLSecondsAfterFinished int `json:"ttlSecondsAfterFinished" help:"seconds that ended Jobs stay; -1 keeps them"`

	Prune bool `json:"prune" help:"remove what was rendered before even if there is no sandbox any more (kpt)"`
}

// check reports every value that cannot be used.
func (c *config) check(call cli.Call) bool {
	ok := true
	wrong := func(key krm.Path, format string, args ...any) {
		call.Misconfigured(key, fmt.Sprintf(format, args...))
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
func (c *config) checkTTL(wrong func(key krm.Path, format string, args ...any)) {
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
func (c *config) checkNames(wrong func(key krm.Path, format string, args ...any)) {
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

func (c *config) options(name string) render.Options {
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
