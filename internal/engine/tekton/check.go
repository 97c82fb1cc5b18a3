package tekton

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/engine"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// cannot is the message for a field that Tekton lacks.
const cannot = "must not be set with engine tekton, which has no such field: use engine jobs or argo"

// Fields of Pods, of main, and of other containers that Tekton supports: rendered fields, and some that have other names in
// Tekton. The restartPolicy of a Pod must be Never anyway, and serviceAccount is a deprecated name.
var (
	podFields = sync.OnceValue(func() []string {
		return slices.Concat(fields[PodTemplate](), fields[TaskSpec](), fields[TaskRunSpec](),
			[]string{"activeDeadlineSeconds", "containers", "restartPolicy", "serviceAccount"})
	})
	stepFields    = sync.OnceValue(func() []string { return append(fields[Container](), "resources") })
	sidecarFields = sync.OnceValue(func() []string { return append(fields[Sidecar](), "resources") })
)

func fields[T any]() []string { return engine.Fields(reflect.TypeFor[T]()) }

// Check reports fields that Tekton lacks, reserved names, and texts that Tekton replaces.
func (Engine) Check(overlay *corev1.PodTemplateSpec) []engine.Problem {
	c := checker{}
	spec := valuesOf(&overlay.Spec)
	c.fields("spec", spec, podFields())
	for i := range overlay.Spec.Containers {
		c.container(krm.Path("spec.containers").Index(i), &overlay.Spec.Containers[i])
	}
	for i, volume := range overlay.Spec.Volumes {
		if strings.HasPrefix(volume.Name, "tekton-") {
			c.report(krm.Path("spec.volumes").Index(i).Key("name"), "must not begin with %q as %q does: Tekton adds such volumes",
				"tekton-", volume.Name)
		}
	}
	for _, at := range engine.Used(&overlay.Spec, newer) {
		if !slices.ContainsFunc(c, func(p engine.Problem) bool { return p.Field == string(at) }) {
			c.report(at, "must not be set with engine tekton: Tekton 1.15 does not know the field; use engine jobs")
		}
	}
	c.texts("metadata.annotations", valuesOf(overlay.Annotations))
	c.texts("metadata.labels", valuesOf(overlay.Labels))
	c.texts("spec", spec)
	return c
}

type checker []engine.Problem

func (c *checker) report(at krm.Path, format string, args ...any) {
	*c = append(*c, engine.Problem{Field: string(at), Message: fmt.Sprintf(format, args...)})
}

// fields reports fields that are set but not supported by Tekton.
func (c *checker) fields(at krm.Path, values map[string]any, taken []string) {
	for _, field := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(taken, field) {
			c.report(at.Key(field), cannot)
		}
	}
}

func (c *checker) container(at krm.Path, container *corev1.Container) {
	taken := sidecarFields
	if container.Name == contract.MainContainer {
		taken = stepFields
	}
	c.fields(at, valuesOf(container), taken())
	for i, mount := range container.VolumeMounts {
		if mount.MountPath == "/tekton" || strings.HasPrefix(mount.MountPath, "/tekton/") {
			c.report(at.Key("volumeMounts").Index(i).Key("mountPath"), "must not be %q: Tekton mounts its own volumes there",
				mount.MountPath)
		}
	}
}

// texts reports all keys and texts of a JSON value that Tekton replaces.
func (c *checker) texts(at krm.Path, value any) {
	switch value := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			c.text(at.Key(key), key)
			c.texts(at.Key(key), value[key])
		}
	case []any:
		for i, element := range value {
			c.texts(at.Index(i), element)
		}
	case string:
		c.text(at, value)
	}
}

func (c *checker) text(at krm.Path, text string) {
	if found := expansion.FindString(text); found != "" {
		c.report(at, "must not hold %q, which Tekton replaces: use engine jobs or argo", found)
	}
}

// valuesOf returns an object as JSON without empty values.
func valuesOf(object any) map[string]any {
	text, err := json.Marshal(object)
	if err != nil {
		panic(err) // Kubernetes types can be encoded
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var values map[string]any
	if err := decoder.Decode(&values); err != nil {
		panic(err) // was encoded above
	}
	maps.DeleteFunc(values, func(_ string, value any) bool { return value == nil })
	return values
}
