package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/krm/process"
	"github.com/resource-plugins/krm-functions/pkg/plugin"
	"github.com/resource-plugins/krm-functions/pkg/render"
)

// config is what a user can choose.
type config struct {
	Phases   []string `json:"phases" help:"the phase to render, create or delete: one at a time"`
	Workload string   `json:"workload" help:"what a step becomes: Job or Pod"`
	Cluster  string   `json:"cluster" help:"render the sandboxes of this cluster alone"`

	RunnerNamespace string            `json:"runnerNamespace" help:"run all steps in this namespace"`
	Namespaces      map[string]string `json:"namespaces" help:"run the steps of one namespace in another: old=new"`

	HelperImage         string   `json:"helperImage" help:"the image of the helpers in Pods whose step reads or writes outputs"`
	ImagePullSecrets    []string `json:"imagePullSecrets" help:"names of Secrets for pulling the images"`
	StepTimeoutSeconds  int      `json:"stepTimeoutSeconds" help:"how long a step may take once its inputs are there"`
	StartTimeoutSeconds int      `json:"startTimeoutSeconds" help:"how long a step's container may take to start"`
	Retries             int      `json:"retries" help:"how often a Job that failed runs again; scripts must stand it"`

	Prune bool `json:"prune" help:"remove what was rendered before even if there is no sandbox any more (kpt)"`
}

// check reports every value that cannot be used.
func (c *config) check(call process.Call) bool {
	ok := true
	wrong := func(key krm.Path, format string, args ...any) {
		call.Misconfigured(key, fmt.Sprintf(format, args...))
		ok = false
	}
	for i, phase := range c.Phases {
		if !slices.Contains(plugin.Phases, plugin.Phase(phase)) {
			wrong(krm.Path("phases").Index(i), "must be create or delete, not %q", phase)
		}
	}
	if len(c.Phases) != 1 {
		wrong("phases", "must be one phase, not %d: what create makes, delete would remove at once", len(c.Phases))
	}
	if c.Workload != string(render.Job) && c.Workload != string(render.Pod) {
		wrong("workload", "must be Job or Pod, not %q", c.Workload)
	}
	if c.HelperImage == "" {
		wrong("helperImage", "must be an image")
	}
	c.checkNamespaces(wrong)
	if c.StepTimeoutSeconds < 1 {
		wrong("stepTimeoutSeconds", "must be at least 1, not %d", c.StepTimeoutSeconds)
	}
	if c.StartTimeoutSeconds < 1 {
		wrong("startTimeoutSeconds", "must be at least 1, not %d", c.StartTimeoutSeconds)
	}
	if c.Retries < 0 {
		wrong("retries", "must be at least 0, not %d", c.Retries)
	}
	if c.Retries > 0 && c.Workload == string(render.Pod) {
		wrong("retries", "must be 0 with workload Pod: only a Job runs again")
	}
	return ok
}

func (c *config) checkNamespaces(wrong func(key krm.Path, format string, args ...any)) {
	if c.RunnerNamespace != "" && !isNamespace(c.RunnerNamespace) {
		wrong("runnerNamespace", namespaceForm, c.RunnerNamespace)
	}
	for _, from := range slices.Sorted(maps.Keys(c.Namespaces)) {
		if to := c.Namespaces[from]; !isNamespace(to) {
			wrong(krm.Path("namespaces").Key(from), namespaceForm, to)
		}
	}
}

const namespaceForm = "must be the name of a namespace, lower-case letters, digits and inner dashes, not %q"

func isNamespace(text string) bool {
	return text != "" && len(text) <= 63 && text[0] != '-' && text[len(text)-1] != '-' &&
		strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

func (c *config) options(name string) render.Options {
	return render.Options{
		Workload: render.Workload(c.Workload), RunnerNamespace: c.RunnerNamespace, Namespaces: c.Namespaces,
		HelperImage: c.HelperImage, ImagePullSecrets: c.ImagePullSecrets, RenderedBy: name,
		StepTimeout: c.StepTimeoutSeconds, StartTimeout: c.StartTimeoutSeconds, Retries: c.Retries,
	}
}
