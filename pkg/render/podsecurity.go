package render

import (
	"fmt"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	psa "k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
)

// restricted is the value of v1alpha1.RenderPhase.PodSecurity for namespaces that enforce the Pod Security Standard of that
// name (https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted).
const restricted = string(psa.LevelRestricted)

// podSecurityChecks returns the checks of the API server.
var podSecurityChecks = sync.OnceValue(func() policy.Evaluator {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		panic(err) // the library's own checks are valid
	}
	return evaluator
})

// restrict makes the Pods of steps keep to the standard as far as the overlay leaves that open, and reports the fields
// of the overlay that the API server would refuse.
func (c *compiledPhase) restrict() (problems []strictyaml.Problem) {
	if c.options.PodSecurity != restricted {
		return nil
	}
	const cleanup = contract.HelperCleanup
	helper := *c.helperTemplate
	helper.Spec.Containers = []corev1.Container{c.helperContainer(cleanup, cleanup, nil, tokenMount)}
	templates := []*corev1.PodTemplateSpec{&helper}
	for _, ref := range c.order {
		if template := c.steps[ref].template; template != nil {
			secure(&template.Spec)
			templates = append(templates, template)
		}
	}
	for _, template := range templates {
		for _, what := range forbidden(template) {
			if problem := strictyaml.Error(overlayPath, "%s", what); !slices.Contains(problems, problem) {
				problems = append(problems, problem)
			}
		}
	}
	return problems
}

// Restrict makes a Pod keep to the standard of the options as far as it leaves that open, and returns the violations
// for which the API server would refuse it, in words that begin with "must".
func (o *Options) Restrict(template *corev1.PodTemplateSpec) []string {
	if o.PodSecurity != restricted {
		return nil
	}
	secure(&template.Spec)
	return forbidden(template)
}

// podSecurityVersions are the versions of the standard that a Pod must keep to. Since 1.35, it allows what 1.34 forbids:
// root in a Pod with hostUsers false.
var podSecurityVersions = []psa.Version{psa.LatestVersion(), psa.MajorMinorVersion(1, 34)}

// forbidden returns the violations of the standard in a Pod.
func forbidden(template *corev1.PodTemplateSpec) (all []string) {
	add := func(reason, detail string) {
		what := fmt.Sprintf("must keep to the Pod Security Standard %q (podSecurity), which forbids %s: %s",
			restricted, reason, detail)
		if !slices.Contains(all, what) {
			all = append(all, what)
		}
	}
	for _, version := range podSecurityVersions {
		level := psa.LevelVersion{Level: psa.LevelRestricted, Version: version}
		for _, check := range podSecurityChecks().EvaluatePod(level, &template.ObjectMeta, &template.Spec) {
			if !check.Allowed {
				add(check.ForbiddenReason, check.ForbiddenDetail)
			}
		}
	}
	for _, volume := range template.Spec.Volumes {
		if volume.Image != nil { // the standard does not list them, though the library allows them
			add("restricted volume types", fmt.Sprintf("volume %q uses restricted volume type \"image\"", volume.Name))
		}
	}
	return all
}

// secure sets the fields that the standard requires and the overlay does not set.
func secure(spec *corev1.PodSpec) {
	pod := setDefault(&spec.SecurityContext, corev1.PodSecurityContext{})
	setDefault(&pod.RunAsNonRoot, true)
	setDefault(&pod.SeccompProfile, corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault})
	for _, containers := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
		for i := range containers {
			container := setDefault(&containers[i].SecurityContext, corev1.SecurityContext{})
			setDefault(&container.AllowPrivilegeEscalation, false)
			capabilities := setDefault(&container.Capabilities, corev1.Capabilities{})
			if capabilities.Drop == nil {
				capabilities.Drop = []corev1.Capability{"ALL"}
			}
		}
	}
}

// setDefault sets a field that is nil, and returns its value.
func setDefault[T any](field **T, value T) *T {
	if *field == nil {
		*field = &value
	}
	return *field
}
