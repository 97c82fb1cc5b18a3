package renderdiff

import (
	"cmp"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// addRendering counts the differences between the workloads of a step that does not run again.
func (d *comparison) addRendering() {
	if d.old.job == nil || d.new.job == nil || d.old.identity == d.new.identity {
		return
	}
	if d.changesEngine() {
		d.rendering[Rendering{What: "kind", Before: d.old.kind, After: d.new.kind}]++
		return
	}
	for _, reason := range d.jobReasons() {
		switch reason.Kind {
		case ReasonHelperImage:
			d.rendering[Rendering{What: string(reason.Kind), Before: reason.Before, After: reason.After}]++
		case ReasonOtherScript:
			d.rendering[Rendering{What: "name of the scripts' ConfigMap, since the script of another step differs"}]++
		default:
			for _, field := range reason.Fields {
				d.rendering[Rendering{What: field}]++
			}
		}
	}
}

// jobReasons returns why a Job or other workload differs although the generation of its step is the same.
func (d *comparison) jobReasons() (reasons []Reason) {
	if d.changesEngine() {
		return []Reason{{Kind: ReasonJob, Fields: []string{"kind"}}}
	}
	was, is := helperImage(&d.old.job.Template.Spec), helperImage(&d.new.job.Template.Spec)
	if was != is {
		reasons = append(reasons, Reason{Kind: ReasonHelperImage, Before: was, After: is})
	}
	oldMap, _ := d.old.configMap(contract.ScriptVolume)
	newMap, _ := d.new.configMap(contract.ScriptVolume)
	if oldMap != newMap {
		reasons = append(reasons, Reason{Kind: ReasonOtherScript})
	}
	var fields []string
	for _, field := range d.fields(ownFields(d.old.job), ownFields(d.new.job)) {
		isHelper := strings.Contains(field, "["+contract.InputManager+"]") ||
			strings.Contains(field, "["+contract.OutputManager+"]")
		switch {
		case isHelper && strings.HasSuffix(field, "].image"), strings.Contains(field, "["+contract.ScriptVolume+"]"):
		case isHelper && strings.Contains(field, "env["+contract.PlanVariable+"]"):
			fields = append(fields, "plan")
		case strings.HasPrefix(field, "template.metadata.annotations["+contract.Group+"/input-job"):
			// the name of a producer's Job, which differs itself
		default:
			fields = append(fields, field)
		}
	}
	if d.old.kind != d.new.kind {
		fields = append(fields, "kind")
	}
	slices.Sort(fields)
	if fields = slices.Compact(fields); len(fields) > 0 || len(reasons) == 0 {
		reasons = append(reasons, Reason{Kind: ReasonJob, Fields: fields})
	}
	return reasons
}

// ownFields returns a Job's spec without the fields that the cluster adds.
func ownFields(job *batchv1.JobSpec) *batchv1.JobSpec {
	own := job.DeepCopy()
	own.Selector, own.Template.Name, own.Template.Namespace = nil, "", ""
	for _, key := range []string{"job-name", "controller-uid", batchv1.JobNameLabel, batchv1.ControllerUidLabel} {
		delete(own.Template.Labels, key)
	}
	return own
}

// helpers compares the images of Jobs that copy and remove Secrets.
func (c *compare) helpers() {
	for key, after := range c.after.helpers {
		before := c.before.helpers[key]
		if before == nil {
			continue
		}
		was, is := helperImage(&before.job.Template.Spec), helperImage(&after.job.Template.Spec)
		if was != is {
			c.rendering[Rendering{What: string(ReasonHelperImage), Before: was, After: is}]++
		}
	}
}

// addCounts puts the counted differences into the report.
func (c *compare) addCounts() {
	for one, count := range c.rendering {
		one.Objects = count
		c.report.Rendering = append(c.report.Rendering, one)
	}
	slices.SortFunc(c.report.Rendering, func(a, b Rendering) int {
		return cmp.Or(strings.Compare(a.What, b.What), strings.Compare(a.Before, b.Before), strings.Compare(a.After, b.After))
	})
	for one, resources := range c.versions {
		one.Resources = len(resources)
		c.report.Versions = append(c.report.Versions, one)
	}
	slices.SortFunc(c.report.Versions, func(a, b Version) int {
		return cmp.Or(strings.Compare(a.Plugin, b.Plugin), strings.Compare(a.Before, b.Before),
			strings.Compare(a.After, b.After))
	})
}
