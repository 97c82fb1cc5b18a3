package localrun

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// warn reports the unsupported fields.
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

// MainPath is the path of the container main in a Pod template.
const MainPath = "spec.containers[" + contract.MainContainer + "]"

// supported are the fields of a Pod that localrun itself supports, or that are in every rendered Pod and have no effect
// outside a cluster. Fields below them are included. With "=", only that value is supported.
var supported = []string{
	"spec.activeDeadlineSeconds", "spec.restartPolicy", "spec.terminationGracePeriodSeconds",
	"spec.automountServiceAccountToken", "spec.serviceAccount",
	MainPath + ".name", MainPath + ".image", MainPath + ".command", MainPath + ".args", MainPath + ".env",
	MainPath + ".envFrom", MainPath + ".workingDir", MainPath + ".volumeMounts", MainPath + ".terminationMessagePath",
}

// Unsupported returns the fields of a Pod template that neither localrun nor an engine supports, sorted. The engine's fields
// are given in the form of supported. Our own additions to rendered Pods are omitted.
func Unsupported(template *corev1.PodTemplateSpec, also []string) []string {
	u := unsupported{supported: slices.Concat(supported, also)}
	spec := template.Spec.DeepCopy()
	if contract.IsObjectName(spec.ServiceAccountName) {
		spec.ServiceAccountName = ""
	}
	u.containers("spec.containers", spec.Containers)
	u.containers("spec.initContainers", spec.InitContainers)
	for _, volume := range spec.Volumes {
		for field, value := range fieldsOf(volume) {
			if !slices.Contains([]string{"name", "configMap", "secret", "emptyDir"}, field) && volume.Name != contract.TokenVolume {
				u.add("spec.volumes["+volume.Name+"]."+field, value)
			}
		}
	}
	spec.Containers, spec.InitContainers, spec.Volumes = nil, nil, nil
	u.add("spec", fieldsOf(spec))
	slices.Sort(u.found)
	return u.found
}

// unsupported collects unsupported fields.
type unsupported struct{ supported, found []string }

// add adds a field and all fields below it.
func (u *unsupported) add(path string, value any) {
	fields, isObject := value.(map[string]any)
	below := func(known string) bool { return strings.HasPrefix(known, path+".") }
	switch {
	case value == nil || isObject && len(fields) == 0:
	case slices.Contains(u.supported, path), slices.Contains(u.supported, fmt.Sprintf("%s=%v", path, value)):
	case isObject && slices.ContainsFunc(u.supported, below):
		for field, value := range fields {
			u.add(path+"."+field, value)
		}
	default:
		u.found = append(u.found, path)
	}
}

// containers adds the fields of main, and all other containers.
func (u *unsupported) containers(path string, containers []corev1.Container) {
	for i := range containers {
		at := path + "[" + containers[i].Name + "]"
		switch containers[i].Name {
		case contract.InputManager, contract.OutputManager:
		case contract.MainContainer:
			u.add(at, fieldsOf(containers[i]))
		default:
			u.found = append(u.found, at)
		}
	}
}

// fieldsOf returns the fields of a typed value that are set.
func fieldsOf(typed any) map[string]any {
	fields := map[string]any{}
	if text, err := json.Marshal(typed); err == nil {
		_ = json.Unmarshal(text, &fields) // was encoded above
	}
	return fields
}
