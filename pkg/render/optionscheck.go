package render

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/engine/jobs"
	"github.com/resource-plugins/krm-functions/internal/engines"
	"github.com/resource-plugins/krm-functions/internal/overlay"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Validate returns everything that is wrong with the options.
func (o *Options) Validate() (wrong krm.OptionErrors) {
	o.checkPhases(&wrong)
	if o.Workload != job && o.Workload != pod {
		wrong.Add("workload", "must be Job or Pod, not %q", o.Workload)
	}
	o.checkEngine(&wrong)
	o.checkDelivery(&wrong)
	o.checkExpiry(&wrong)
	if o.PodSecurity != "" && o.PodSecurity != restricted {
		wrong.Add("podSecurity", "must be restricted, not %q", o.PodSecurity)
	}
	if problem := document.CheckImage(o.HelperImage); o.HelperImage == "" || problem != "" {
		wrong.Add("helperImage", "%s", cmp.Or(problem, "must be an image"))
	}
	o.checkDefaults(&wrong)
	o.checkPackages(&wrong)
	o.checkNames(&wrong)
	o.checkNumbers(&wrong)
	return wrong
}

// checkPhases checks that phases which would undo each other are kept apart.
func (o *Options) checkPhases(wrong *krm.OptionErrors) {
	for i, phase := range o.Phases {
		if !slices.Contains(v1alpha1.Phases, v1alpha1.Phase(phase)) {
			wrong.Add(krm.Path("phases").Index(i), "must be create or delete, not %q", phase)
		}
	}
	switch n := len(o.Phases); {
	case n == 1:
	case n != 2 || o.Phases[0] == o.Phases[1]:
		wrong.Add("phases", "must be one phase, or create and delete with delivery argocd or helm, not %d", n)
	case !hasHooks(o.Delivery):
		wrong.Add("phases", "must be one phase, not 2: what create makes, delete would remove at once; delivery argocd and "+
			"helm can hold the delete phase back")
	}
}

// checkEngine checks options that only some engines support.
func (o *Options) checkEngine(wrong *krm.OptionErrors) {
	e := o.engine()
	switch {
	case e == nil:
		wrong.Add("engine", "must be one of %s, not %q", strings.Join(engines.Names(), ", "), o.Engine)
	case o.Workload == pod && o.workloadKind() != pod:
		wrong.Add("workload", "must be Job with engine %s, which makes the Pods itself", o.Engine)
	case o.TTLSecondsAfterFinished > keepJobs && e.Traits().KeepsEnded:
		var others []string
		for _, other := range engines.All() {
			if t := other.Traits(); !t.KeepsEnded {
				others = append(others, t.Name)
			}
		}
		wrong.Add("ttlSecondsAfterFinished", "must be -1 with engine %s, which keeps ended runs: use engine %s", o.Engine,
			strings.Join(others, " or "))
	}
}

func (o *Options) checkDelivery(wrong *krm.OptionErrors) {
	if !slices.Contains(Tools, o.Delivery) {
		wrong.Add("delivery", "must be one of %s, not %q", strings.Join(Tools, ", "), o.Delivery)
		return
	}
	if recreates(o.Delivery) && o.Workload == pod {
		wrong.Add("workload", "must be Job with delivery %s, which creates a removed Pod again, and so runs "+
			"its step again", o.Delivery)
	}
	if o.Delivery == helm && o.Engine != jobs.Name && len(o.Phases) == 2 {
		wrong.Add("phases", "must be one phase with delivery helm and engine %s: of hooks Helm waits only for Jobs, and would "+
			"remove the delete phase when it has started", o.Engine)
	}
	switch {
	case o.DeleteHook == "":
	case o.DeleteHook != preDelete && o.DeleteHook != postDelete:
		wrong.Add("deleteHook", "must be PostDelete or PreDelete, not %q", o.DeleteHook)
	case !hasHooks(o.Delivery):
		wrong.Add("deleteHook", "must not be set with delivery %s, which has no hooks", o.Delivery)
	}
}

// checkDefaults checks the pod template below all overlays, which must suit the engine as overlays must.
func (o *Options) checkDefaults(wrong *krm.OptionErrors) {
	const name = "podTemplateDefaults"
	if o.PodTemplateDefaults == "" {
		return
	}
	defaults, problem := overlay.ParseDefaults(o.PodTemplateDefaults)
	if problem != "" {
		wrong.Add(name, "%s", problem)
	} else if e := o.engine(); e != nil { // another name is reported
		for _, p := range e.Check(defaults) {
			wrong.Add(name, "%s: %s", p.Field, p.Message)
		}
	}
}

// checkExpiry checks that the cluster can tear sandboxes down, and that no tool creates them again at once.
func (o *Options) checkExpiry(wrong *krm.OptionErrors) {
	const expiry = "expiry"
	switch {
	case o.Expiry == "":
	case o.Expiry != ExpiryCluster:
		wrong.Add(expiry, "must be %s, not %q", ExpiryCluster, o.Expiry)
	case recreates(o.Delivery):
		wrong.Add(expiry, "must not be set with delivery %s, which creates again what has expired: run rplug expire on a schedule",
			o.Delivery)
	case o.Engine != jobs.Name || o.Workload == pod:
		wrong.Add(expiry, "must not be set with engine %s and workload %s, whose states the cluster does not read: use engine %s "+
			"and workload %s, or run rplug expire on a schedule", o.Engine, o.Workload, jobs.Name, job)
	case len(o.Phases) == 2:
		wrong.Add(expiry, "must not be set with both phases: hooks and the cluster would run the same delete phase")
	case o.TTLSecondsAfterFinished > keepJobs:
		wrong.Add("ttlSecondsAfterFinished",
			"must be -1 with expiry %s, which reads from the Jobs whether a teardown is complete", o.Expiry)
	}
}

// checkPackages checks the options for packages of Crossplane.
func (o *Options) checkPackages(wrong *krm.OptionErrors) {
	if o.Install != InstallJob && o.Install != InstallObjects {
		wrong.Add("install", "must be %s or %s, not %q", InstallJob, InstallObjects, o.Install)
	}
	if o.Compatible != "" && o.Compatible != V010 {
		wrong.Add("compatible", "must be %s, not %q", V010, o.Compatible)
	}
	for _, one := range []struct {
		option krm.Path
		image  string
	}{{"unpackerImage", o.UnpackerImage}, {"templatingImage", o.TemplatingImage}, {"executorImage", o.ExecutorImage}} {
		if problem := document.CheckImage(one.image); one.image == "" || problem != "" {
			wrong.Add(one.option, "%s", cmp.Or(problem, "must be an image"))
		}
	}
	for _, prefix := range slices.Sorted(maps.Keys(o.Mirror)) {
		if o.Mirror[prefix] == "" {
			wrong.Add(krm.Path("mirror").Key(prefix), "must be where the images are that begin with %q", prefix)
		}
	}
	if o.Images && o.Lock {
		wrong.Add("lock", "must not be set with images: only one of them is printed")
	}
}

// checkNames checks the names of objects.
func (o *Options) checkNames(wrong *krm.OptionErrors) {
	if problem := document.CheckLabel(o.RunnerNamespace); problem != "" {
		wrong.Add("runnerNamespace", "%s", problem)
	}
	for i, name := range o.ImagePullSecrets {
		if problem := document.CheckSubdomain(name); name == "" || problem != "" {
			wrong.Add(krm.Path("imagePullSecrets").Index(i), "%s", cmp.Or(problem, "must be the name of a Secret"))
		}
	}
	for i, name := range o.TrustedAccounts {
		if problem := document.CheckSubdomain(name); name == "" || problem != "" {
			wrong.Add(krm.Path("trustedAccounts").Index(i), "%s", cmp.Or(problem, "must be the name of a ServiceAccount"))
		}
	}
	for _, from := range slices.Sorted(maps.Keys(o.Namespaces)) {
		to := o.Namespaces[from]
		if problem := document.CheckLabel(to); to == "" || problem != "" {
			wrong.Add(krm.Path("namespaces").Key(from), "%s",
				cmp.Or(problem, fmt.Sprintf("must be the namespace to use for %q", from)))
		}
	}
}

// checkNumbers checks ranges, and that ended Jobs may run again or be removed at all.
func (o *Options) checkNumbers(wrong *krm.OptionErrors) {
	const retries, ttl = "retries", "ttlSecondsAfterFinished"
	for _, n := range []struct {
		option       krm.Path
		value, least int
	}{
		{"stepTimeoutSeconds", o.StepTimeoutSeconds, 1}, {"startTimeoutSeconds", o.StartTimeoutSeconds, 1},
		{retries, o.Retries, 0}, {ttl, o.TTLSecondsAfterFinished, keepJobs},
	} {
		if n.value < n.least {
			wrong.Add(n.option, "must be at least %d, not %d", n.least, n.value)
		} else if n.value > math.MaxInt32 {
			wrong.Add(n.option, "must be at most %d, not %d", math.MaxInt32, n.value)
		}
	}
	if o.Retries > 0 && o.Workload == pod {
		wrong.Add(retries, "must be 0 with workload Pod: only a Job runs again")
	}
	switch {
	case o.TTLSecondsAfterFinished <= keepJobs:
	case o.Workload == pod:
		wrong.Add(ttl, "must be -1 with workload Pod: only Jobs are removed after their end")
	case recreates(o.Delivery):
		wrong.Add(ttl, "must be -1 with delivery %s, which creates a removed Job again, and so runs its step again", o.Delivery)
	}
}
