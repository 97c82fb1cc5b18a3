package renderdiff

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/overlay"
)

// overlay compares the overlays of the documents if both are known, else their effect on the Pods. Fields that options of
// the renderer set, too, count only if there is no other reason.
func (d *comparison) overlay(old, newer *v1alpha1.ResourcePluginSpec, isOnlyReason bool) {
	if old != nil && newer != nil {
		was, is := old.Runner.PodTemplateOverlay, newer.Runner.PodTemplateOverlay
		if was == is {
			return
		}
		first, _ := overlay.Parse(was)
		second, _ := overlay.Parse(is)
		if !bytes.Equal(first.Canonical, second.Canonical) {
			fields := d.podFields()
			if len(fields) == 0 { // the change is not visible in the Pods
				fields = d.fields(&first.Template, &second.Template)
			}
			d.add(Reason{Kind: ReasonOverlay, Fields: fields})
		}
		return
	}
	if d.changesEngine() {
		d.cannot("the overlay of step %s/%s of %s/%s, since Pods of a %s and of a %s differ", d.new.phase,
			d.new.step, d.new.sandbox, d.new.resource, d.old.kind, d.new.kind)
		return
	}
	fields := d.podFields()
	certain := slices.DeleteFunc(slices.Clone(fields), isOptional)
	if len(certain) > 0 || isOnlyReason && len(fields) > 0 {
		d.add(Reason{Kind: ReasonOverlay, Fields: fields})
	}
}

// isOptional reports whether an option of the renderer may set a field of a Pod template.
func isOptional(field string) bool {
	for _, prefix := range []string{"spec.activeDeadlineSeconds", "spec.imagePullSecrets", "spec.securityContext"} {
		if strings.HasPrefix(field, prefix) {
			return true
		}
	}
	return strings.HasPrefix(field, "spec.containers[") && strings.Contains(field, "].securityContext")
}

// podFields returns the fields of the Pods that differ and may come from the overlay.
func (d *comparison) podFields() []string {
	return d.fields(d.remainder(d.old), d.remainder(d.new))
}

// remainder returns a Pod template without the parts that do not come from the overlay.
func (d *comparison) remainder(of *step) *corev1.PodTemplateSpec {
	template := of.job.Template.DeepCopy()
	template.ObjectMeta = metav1.ObjectMeta{
		Labels: withoutOurs(template.Labels), Annotations: withoutOurs(template.Annotations),
	}
	pod := &template.Spec
	isOurs := func(c corev1.Container) bool {
		return c.Name == contract.InputManager || c.Name == contract.OutputManager
	}
	pod.InitContainers = slices.DeleteFunc(pod.InitContainers, isOurs)
	pod.Containers = slices.DeleteFunc(pod.Containers, isOurs)
	volumes := []string{contract.ScriptVolume, contract.ParamsVolume, contract.IOVolume, contract.TokenVolume}
	isOurVolume := func(name string) bool { return slices.Contains(volumes, name) || contract.IsOutputsVolume(name) }
	pod.Volumes = slices.DeleteFunc(pod.Volumes, func(v corev1.Volume) bool { return isOurVolume(v.Name) })
	if contract.IsObjectName(pod.ServiceAccountName) {
		pod.ServiceAccountName = ""
	}
	pod.DeprecatedServiceAccount = ""
	for i := range pod.Containers {
		main := &pod.Containers[i]
		if main.Name != contract.MainContainer {
			continue
		}
		main.Image, main.Command, main.Args = "", nil, nil
		main.VolumeMounts = slices.DeleteFunc(main.VolumeMounts, func(m corev1.VolumeMount) bool { return isOurVolume(m.Name) })
		main.Env = slices.DeleteFunc(main.Env, func(v corev1.EnvVar) bool {
			if v.ValueFrom == nil {
				return !d.overlayVariables[v.Name]
			}
			return producerOf(of, v.ValueFrom) != ""
		})
	}
	return template
}

// withoutOurs returns labels or annotations without ours and those of the Job controller.
func withoutOurs(values map[string]string) map[string]string {
	values = maps.Clone(values)
	maps.DeleteFunc(values, func(key, _ string) bool {
		domain, _, _ := strings.Cut(key, "/")
		return domain == contract.Group || key == contract.ManagedByKey || domain == "batch.kubernetes.io" ||
			key == "job-name" || key == "controller-uid"
	})
	return values
}
