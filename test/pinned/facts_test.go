package pinned

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// object is a Kubernetes object, a ResourceList or the report of validate-plugin.
type object struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   struct {
		Name, Namespace string
		Annotations     map[string]string
	}
	Spec any

	Summary string
	Items   []object
	Results []struct {
		Severity    string
		ResourceRef struct{ Kind, Name string } `yaml:"resourceRef"`
		Field       struct{ Path string }
		Tags        struct{ Rule string }
	}
}

var (
	// finding is a line of stderr up to its message.
	finding = regexp.MustCompile(`(?m)^(?:[^\[\n]*: )?\[(error|warning|info)\] ([A-Za-z]+/\S+)(?: (\S+))?: `)
	// wrongFlag matches a line of stderr about an invalid flag, up to its message.
	wrongFlag = regexp.MustCompile(`(?m)^[a-z-]+: (--[a-z-]+): `)

	digest = regexp.MustCompile(`(sha256:[0-9a-f]{16})[0-9a-f]{48}`)
	// renamed are kinds whose names depend on their content or on their Job.
	renamed = []string{"Job", "Pod", "ConfigMap", "ServiceAccount", "Role", "RoleBinding"}
)

// factsOf returns the sorted facts of a run's output: a line for each finding and each of our objects.
func factsOf(t *testing.T, stdout []byte, stderr string) string {
	t.Helper()
	var facts []string
	all := objects(t, stdout)
	if len(all) == 1 && (all[0].Kind == "ResourceList" || all[0].Summary != "") {
		for _, r := range all[0].Results {
			if !slices.Contains(renamed, r.ResourceRef.Kind) {
				facts = append(facts, strings.TrimSpace(fmt.Sprintf("%s %s/%s %s %s",
					r.Severity, r.ResourceRef.Kind, r.ResourceRef.Name, r.Field.Path, r.Tags.Rule)))
			}
		}
		all = all[0].Items
	} else {
		for _, match := range finding.FindAllStringSubmatch(stderr, -1) {
			facts = append(facts, strings.TrimSpace(strings.Join(match[1:], " ")))
		}
		for _, match := range wrongFlag.FindAllStringSubmatch(stderr, -1) {
			facts = append(facts, "wrong "+match[1])
		}
	}
	kinds := map[string]int{}
	for _, o := range all {
		kinds[o.Kind]++
		facts = append(facts, o.facts()...)
	}
	for kind, count := range kinds {
		facts = append(facts, fmt.Sprintf("count %s %d", kind, count))
	}
	slices.Sort(facts)
	return digest.ReplaceAllString(strings.Join(append(facts, ""), "\n"), "$1")
}

func objects(t *testing.T, text []byte) (all []object) {
	t.Helper()
	for decoder := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var o object
		err := decoder.Decode(&o)
		if errors.Is(err, io.EOF) {
			return all
		}
		var misfit *yaml.TypeError // an input that is not valid
		if !errors.As(err, &misfit) {
			require.NoError(t, err)
		}
		all = append(all, o)
	}
}

// facts returns the facts of one of our objects: kind and name, our annotations and the identities in its fields.
func (o object) facts() []string {
	const ours = "resourceplugins.dev/"
	found := map[string]bool{}
	for key, value := range o.Metadata.Annotations {
		if name, ok := strings.CutPrefix(key, ours); ok {
			found[name+"="+value] = true
		}
	}
	hasSteps := o.Kind == "Job" || o.Kind == "Pod"
	if len(found) == 0 && !strings.HasPrefix(o.APIVersion, ours) || slices.Contains(renamed, o.Kind) && !hasSteps {
		return nil
	}
	walk(o.Spec, func(value map[string]any) {
		name, _ := value["name"].(string)
		switch {
		case strings.HasPrefix(name, "SIGNADOT_"):
			found[fmt.Sprintf("%s=%v", name, value["value"])] = true
		case value["plugin"] != nil:
			found[fmt.Sprintf("%s:%v", name, value["plugin"])] = true
		case value["chosen"] != nil:
			found[fmt.Sprint(value)] = true
		}
		for key, element := range value {
			if secret, ok := element.(map[string]any); ok && strings.HasPrefix(key, "secret") {
				found[fmt.Sprint("reads:", cmp.Or(secret["name"], secret["secretName"]))] = true
			}
		}
	})
	name := o.Metadata.Name
	if hasSteps {
		name = ""
	}
	identity := o.Kind + " " + o.Metadata.Namespace + "/" + name
	return []string{strings.Join(append([]string{identity}, slices.Sorted(maps.Keys(found))...), " ")}
}

// walk calls visit with every mapping in a value.
func walk(value any, visit func(map[string]any)) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			walk(element, visit)
		}
	case map[string]any:
		visit(value)
		for _, element := range value {
			walk(element, visit)
		}
	}
}
