package overlay

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func TestSchemaIsCurrent(t *testing.T) {
	t.Parallel()
	w := schemaWriter{seen: map[reflect.Type]bool{}}
	for _, c := range []struct {
		file string
		root reflect.Type
	}{
		{"podtemplate.schema", reflect.TypeFor[corev1.PodTemplateSpec]()},
		{"deployment.schema", reflect.TypeFor[appsv1.Deployment]()}, // what the other one does not have
	} {
		w.paragraphs = nil
		w.add(c.root)
		current := strings.Join(w.paragraphs, "\n\n") + "\n"
		if os.Getenv("UPDATE_GOLDEN") != "" {
			require.NoError(t, os.WriteFile(c.file, []byte(current), 0o644))
		}
		stored, err := os.ReadFile(c.file)
		require.NoError(t, err)
		assert.Equal(t, current, string(stored), "k8s.io/api has changed: make golden")
	}
}

// schemaWriter prints the types that are reachable from one, each once.
type schemaWriter struct {
	seen       map[reflect.Type]bool
	paragraphs []string
}

func (w *schemaWriter) add(t reflect.Type) {
	if w.seen[t] {
		return
	}
	w.seen[t] = true
	place := len(w.paragraphs)
	w.paragraphs = append(w.paragraphs, "")
	w.paragraphs[place] = strings.Join(append([]string{t.Name()}, w.fields(t)...), "\n")
}

func (w *schemaWriter) fields(t reflect.Type) (lines []string) {
	for i := range t.NumField() {
		f := t.Field(i)
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && key == "" {
			lines = append(lines, w.fields(f.Type)...)
			continue
		}
		line := key + " " + w.name(f.Type)
		strategies := strings.Split(f.Tag.Get("patchStrategy"), ",")
		if slices.Contains(strategies, "replace") || key == "" {
			panic(fmt.Sprintf("no rule for %s.%s", t.Name(), f.Name))
		}
		if f.Type.Kind() == reflect.Slice && slices.Contains(strategies, "merge") {
			line += " merge"
			if mergeKey := f.Tag.Get("patchMergeKey"); mergeKey != "" {
				line += "=" + mergeKey
			}
		}
		lines = append(lines, line)
	}
	return lines
}

func (w *schemaWriter) name(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[resource.Quantity]():
		return "quantity"
	case reflect.TypeFor[intstr.IntOrString]():
		return "intOrString"
	case reflect.TypeFor[metav1.Time](), reflect.TypeFor[metav1.FieldsV1]():
		return "unset"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return w.name(t.Elem())
	case reflect.Slice:
		return "[]" + w.name(t.Elem())
	case reflect.Map:
		if t.Key().Kind() != reflect.String {
			panic("a map with keys of type " + t.Key().String())
		}
		return "map[string]" + w.name(t.Elem())
	case reflect.Struct:
		w.add(t)
		return t.Name()
	case reflect.String, reflect.Bool, reflect.Int32, reflect.Int64:
		return t.Kind().String()
	}
	panic("no rule for " + t.String())
}
