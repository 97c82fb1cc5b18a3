package render

import (
	"strconv"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/manifest"
)

// helm keeps Secrets and scripts, and makes hooks of a delete phase that is held back. Helm runs hooks one after the
// other by weight and waits for each workload (execHook of Helm 3.22), so the weights follow the order of the objects:
// what a workload needs, and the producers it waits for, stand before it. A failed hook's objects stay until the next
// try.
func (d Delivery) helm(object Object, place int) []manifest.Field {
	switch {
	case d.held(object):
		hook := "post-delete"
		if d.Hook == PreDelete {
			hook = "pre-delete"
		}
		return []manifest.Field{
			note("helm.sh/hook", hook),
			note("helm.sh/hook-delete-policy", "before-hook-creation,hook-succeeded"),
			note("helm.sh/hook-weight", strconv.Itoa(place)),
		}
	case kept(object):
		return []manifest.Field{note("helm.sh/resource-policy", "keep")}
	}
	return nil
}

// opening starts an action of Go's templates; escaped is an action that prints it. It has no quotes in it, so that it
// stands in any style of YAML as it is.
const opening, escaped = "{{", "{{`{{`}}"

// escape returns a tree that Helm prints as the given one. Without anything to escape it is the given one.
func escape(value manifest.Value) manifest.Value {
	switch value := value.(type) {
	case manifest.String:
		if strings.Contains(string(value), opening) {
			return manifest.String(strings.ReplaceAll(string(value), opening, escaped))
		}
	case manifest.Map:
		return escapeMap(value)
	case manifest.List:
		list := make(manifest.List, len(value))
		for i, element := range value {
			list[i] = escape(element)
		}
		return list
	}
	return value
}

func escapeMap(m manifest.Map) manifest.Map {
	fields := make([]manifest.Field, len(m))
	for i, field := range m {
		fields[i] = manifest.KV(strings.ReplaceAll(field.Key, opening, escaped), escape(field.Value))
	}
	return manifest.NewMap(fields...)
}
