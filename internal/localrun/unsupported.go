package localrun

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// warn names the fields that are not heeded.
func (p *phase) warn(options Options) {
	if options.Warn == nil {
		return
	}
	var found []string
	for _, s := range p.steps {
		found = append(found, options.Engine.Unsupported(s.template)...)
	}
	slices.Sort(found)
	for _, field := range slices.Compact(found) {
		options.Warn(fmt.Sprintf("podTemplateOverlay: %s has no effect with the engine %s", field, options.Engine.Name()))
	}
}

// honoured are the fields of a Pod and of its container main that localrun itself heeds, or that have no meaning outside of
// a cluster and are in every rendered Pod.
var honoured = []string{
	"spec.activeDeadlineSeconds", "spec.restartPolicy", "spec.terminationGracePeriodSeconds",
	"spec.automountServiceAccountToken",
	"spec.containers[main].name", "spec.containers[main].image", "spec.containers[main].command", "spec.containers[main].args",
	"spec.containers[main].env", "spec.containers[main].envFrom", "spec.containers[main].workingDir",
	"spec.containers[main].volumeMounts", "spec.containers[main].terminationMessagePath",
}

// Unsupported returns the fields of a Pod template that neither localrun nor an engine heeds, sorted. also are the paths of
// those that the engine does, such as spec.containers[main].resources. What each rendered Pod has of ours is not named.
func Unsupported(template *corev1.PodTemplateSpec, also ...string) []string {
	var found []string
	for field := range fieldsOf(template.Spec) {
		switch field {
		case "containers", "initContainers", "volumes", "serviceAccount":
		case "serviceAccountName":
			if !contract.IsObjectName(template.Spec.ServiceAccountName) {
				found = append(found, "spec.serviceAccountName")
			}
		default:
			found = append(found, "spec."+field)
		}
	}
	found = append(found, ofContainers("spec.containers", template.Spec.Containers)...)
	found = append(found, ofContainers("spec.initContainers", template.Spec.InitContainers)...)
	for _, volume := range template.Spec.Volumes {
		for field := range fieldsOf(volume) {
			if !slices.Contains([]string{"name", "configMap", "secret", "emptyDir"}, field) && volume.Name != contract.TokenVolume {
				found = append(found, "spec.volumes["+volume.Name+"]."+field)
			}
		}
	}
	found = slices.DeleteFunc(found, func(path string) bool {
		return slices.Contains(honoured, path) || slices.Contains(also, path)
	})
	slices.Sort(found)
	return slices.Compact(found)
}

// ofContainers returns the fields of main that are set, and the containers of others.
func ofContainers(path string, containers []corev1.Container) (found []string) {
	for i := range containers {
		at := path + "[" + containers[i].Name + "]"
		switch containers[i].Name {
		case contract.InputManager, contract.OutputManager:
		case contract.MainContainer:
			for field := range fieldsOf(containers[i]) {
				found = append(found, at+"."+field)
			}
		default:
			found = append(found, at)
		}
	}
	return found
}

// fieldsOf returns the fields of a typed value that are set.
func fieldsOf(value any) map[string]json.RawMessage {
	fields := map[string]json.RawMessage{}
	if text, err := json.Marshal(value); err == nil && json.Unmarshal(text, &fields) == nil {
		for field, content := range fields {
			if content := strings.TrimSpace(string(content)); content == "{}" || content == "null" {
				delete(fields, field)
			}
		}
	}
	return fields
}
