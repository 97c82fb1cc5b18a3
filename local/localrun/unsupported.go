package localrun

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// warn names the fields that are not honoured.
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

// honoured are the fields of a Pod that localrun itself honours, or that have no meaning outside a cluster and are in every
// rendered Pod. Fields below them are honoured, too. After "=" is the only value that is.
var honoured = []string{
	"spec.activeDeadlineSeconds", "spec.restartPolicy", "spec.terminationGracePeriodSeconds",
	"spec.automountServiceAccountToken", "spec.serviceAccount",
	MainPath + ".name", MainPath + ".image", MainPath + ".command", MainPath + ".args", MainPath + ".env",
	MainPath + ".envFrom", MainPath + ".workingDir", MainPath + ".volumeMounts", MainPath + ".terminationMessagePath",
}

// Unsupported returns the fields of a Pod template that neither localrun nor an engine honours, sorted. also are those that
// the engine does, as in honoured. What each rendered Pod has of ours is not named.
func Unsupported(template *corev1.PodTemplateSpec, also []string) []string {
	u := unsupported{honoured: slices.Concat(honoured, also)}
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

// unsupported collects fields that are not honoured.
type unsupported struct{ honoured, found []string }

// add takes a field with all below it.
func (u *unsupported) add(path string, value any) {
	fields, isObject := value.(map[string]any)
	below := func(known string) bool { return strings.HasPrefix(known, path+".") }
	switch {
	case value == nil || isObject && len(fields) == 0:
	case slices.Contains(u.honoured, path), slices.Contains(u.honoured, fmt.Sprintf("%s=%v", path, value)):
	case isObject && slices.ContainsFunc(u.honoured, below):
		for field, value := range fields {
			u.add(path+"."+field, value)
		}
	default:
		u.found = append(u.found, path)
	}
}

// containers takes the fields of main, and the containers of others.
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
		_ = json.Unmarshal(text, &fields) // it was encoded
	}
	return fields
}
