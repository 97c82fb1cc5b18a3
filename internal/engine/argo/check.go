package argo

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/engine"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Check reports names that the executor uses, {{ in fields that a patch cannot set, and containers whose command the
// controller would have to look up in a registry.
func (Engine) Check(overlay *corev1.PodTemplateSpec) []engine.Problem {
	c := checker{}
	c.metadata("annotations", overlay.Annotations)
	c.metadata("labels", overlay.Labels)
	c.containers("initContainers", overlay.Spec.InitContainers)
	c.containers("containers", overlay.Spec.Containers)
	for i := range overlay.Spec.Volumes {
		at, volume := krm.Path("spec.volumes").Index(i), &overlay.Spec.Volumes[i]
		switch volume.Name {
		case tokenVolume, "var-run-argo", "tmp-dir-argo", "argo-env-config", "argo-staging":
			c.report(at.Key("name"), "must not be %q: Argo Workflows adds a volume of that name", volume.Name)
		}
		if expands(volume) {
			c.report(at, notExpanded)
		}
	}
	for _, name := range []struct{ field, value string }{
		{"serviceAccountName", overlay.Spec.ServiceAccountName}, {"priorityClassName", overlay.Spec.PriorityClassName},
		{"schedulerName", overlay.Spec.SchedulerName},
	} {
		if strings.Contains(name.value, opening) {
			c.report(krm.Path("spec").Key(name.field), notExpanded)
		}
	}
	for _, at := range engine.Used(&overlay.Spec, newer) {
		c.report(at, "must not be set with engine argo: Argo Workflows 3.7 does not know the field; use engine jobs")
	}
	return c
}

// variable matches the variables that the controller replaces after {{, or might replace
// (https://argo-workflows.readthedocs.io/en/release-3.7/variables/).
var variable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(=|(cronworkflow|duration|exitCode|inputs|item|lastRetry|node|outputs|pod|` +
		`resourcesDuration|retries|status|steps|tasks|workflow)\b)`)
})

// replaces reports whether the controller might replace part of a text in the metadata, which a patch cannot set. The
// controller does not change unknown variables: other templates, such as those of Vault's agent, are in annotations.
func replaces(text string) bool {
	for {
		_, rest, found := strings.Cut(text, opening)
		if !found {
			return false
		}
		tag, behind, closed := strings.Cut(rest, closing)
		if !closed || strings.Contains(tag, opening) || variable().MatchString(tag) {
			return true
		}
		text = behind
	}
}

// notExpanded is the message for texts that the controller would replace.
const notExpanded = "must not hold \"{{\", which Argo Workflows replaces: use engine jobs or tekton"

type checker []engine.Problem

func (c *checker) report(at krm.Path, format string, args ...any) {
	*c = append(*c, engine.Problem{Field: string(at), Message: fmt.Sprintf(format, args...)})
}

func (c *checker) metadata(field string, values map[string]string) {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if replaces(key) || replaces(values[key]) {
			c.report(krm.Path("metadata").Key(field).Key(key), notExpanded)
		}
	}
}

func (c *checker) containers(field string, containers []corev1.Container) {
	for i := range containers {
		at, container := krm.Path("spec").Key(field).Index(i), &containers[i]
		switch {
		case container.Name == initContainer && field == "initContainers", container.Name == waitContainer:
			c.report(at.Key("name"), "must not be %q: Argo Workflows adds a container of that name", container.Name)
		case strings.Contains(container.Name+container.Image, opening):
			c.report(at, notExpanded)
		}
		if field == "containers" && container.Name != contract.MainContainer && len(container.Command) == 0 {
			c.report(at.Key("command"), "must be set: the controller of Argo Workflows asks the registry of the image for it else")
			(*c)[len(*c)-1].IsWarning = true
		}
	}
}
