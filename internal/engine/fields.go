package engine

import (
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// FieldName returns the JSON name of a struct's field, or "" if the field is inlined.
func FieldName(field *reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return name
}

// Fields returns the JSON names of a struct's fields, including embedded ones.
func Fields(of reflect.Type) (names []string) {
	for i := range of.NumField() {
		field := of.Field(i)
		if name := FieldName(&field); name != "" {
			names = append(names, name)
		} else {
			names = append(names, Fields(field.Type)...)
		}
	}
	return names
}

// Used returns the fields that are set among the given fields of k8s.io/api, TYPE.FIELD. An engine built with an older
// Kubernetes API would drop newer fields silently.
func Used(pod *corev1.PodSpec, fields []string) []krm.Path {
	return used(nil, reflect.ValueOf(pod), "spec", fields)
}

func used(found []krm.Path, value reflect.Value, at krm.Path, fields []string) []krm.Path {
	switch value.Kind() {
	case reflect.Pointer:
		if !value.IsNil() {
			found = used(found, value.Elem(), at, fields)
		}
	case reflect.Slice:
		for i := range value.Len() {
			found = used(found, value.Index(i), at.Index(i), fields)
		}
	case reflect.Struct:
		found = usedInStruct(found, value, at, fields)
	default: // has no fields of Kubernetes
	}
	return found
}

func usedInStruct(found []krm.Path, value reflect.Value, at krm.Path, fields []string) []krm.Path {
	of := value.Type()
	for i := range of.NumField() {
		field := of.Field(i)
		name := FieldName(&field)
		switch {
		case !field.IsExported(), value.Field(i).IsZero():
		case name == "":
			found = used(found, value.Field(i), at, fields)
		case slices.Contains(fields, of.Name()+"."+name):
			found = append(found, at.Key(name))
		default:
			found = used(found, value.Field(i), at.Key(name), fields)
		}
	}
	return found
}
