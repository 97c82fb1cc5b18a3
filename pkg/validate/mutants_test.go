package validate_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// references are the rules that find references to a name that is changed or removed elsewhere.
var references = []string{"unknown-step", "unknown-output", "resource-reference", "fork-reference", "fixture-reference"}

// usages are the rules that find scripts that no longer use a name or a path after a change.
var usages = []string{"input-unread", "output-unwritten"}

// misplaced are rules of features for which a changed word turns an entry into another one.
var misplaced []string

// isMadeUp reports whether users choose the key at path.
func isMadeUp(path krm.Path) bool {
	return slices.ContainsFunc([]string{".labels.", ".labels[", ".params.", ".data.", ".env.", ".universe.", ".universe[", ".config."},
		func(below string) bool { return strings.Contains(string(path), below) })
}

// eachKey calls do with each path below spec that ends in a key, a new copy of the fixture, the mapping that contains the
// key, and the key's index. Keys that users choose are omitted unless all are requested.
func eachKey(t *testing.T, file string, all bool, do func(path krm.Path, root, mapping *yaml.Node, at int)) {
	t.Helper()
	var paths []krm.Path
	spec, _ := krm.Path("spec").Find(edited(t, file))
	walk("spec", spec, func(path krm.Path, _ *yaml.Node, _ int) {
		if all || !isMadeUp(path) {
			paths = append(paths, path)
		}
	})
	for _, path := range paths {
		root := edited(t, file)
		spec, _ := krm.Path("spec").Find(root)
		var holder *yaml.Node
		index := 0
		walk("spec", spec, func(here krm.Path, mapping *yaml.Node, at int) {
			if here == path {
				holder, index = mapping, at
			}
		})
		do(path, root, holder, index)
	}
}

func parent(path krm.Path) krm.Path { return path[:max(strings.LastIndexAny(string(path), ".["), 0)] }

// dropped removes each key. Required keys are reported as missing; without some other keys, their neighbours are invalid.
func dropped(t *testing.T, file string) (all []mutation) {
	t.Helper()
	eachKey(t, file, true, func(path krm.Path, root, mapping *yaml.Node, at int) {
		m := mutation{sort: "dropped", what: string(path), file: file, root: root}
		mapping.Content = slices.Delete(mapping.Content, at, at+2)
		switch found, pattern := lacking[path], anyIndex(path); {
		case found.rule != "":
			m.rule, m.path, m.follow = found.rule, found.path, []string{found.rule}
		case requiredPaths[file][pattern]:
			m.rule, m.path = "required", path
		case strings.HasSuffix(pattern, "[].script"):
			m.rule, m.path = "script", path
		case strings.Contains(pattern, ".inputs[].valueFromS") && strings.HasSuffix(string(parent(path)), "]"):
			m.rule, m.path = "input-source", parent(path)
		case strings.HasSuffix(string(parent(path)), ".valueFrom") && !strings.Contains(pattern, ".middleware"):
			m.rule, m.path = "env-source", parent(path)
		}
		all = append(all, m)
	})
	return all
}

// lack is the finding at a path if another key is missing.
type lack struct {
	rule string
	path krm.Path
}

// lacking lists the findings if a key that a neighbour needs is missing.
var lacking = map[krm.Path]lack{
	"spec.create":                                 {"missing-create", "spec.create"},
	"spec.create[0].inputs[0].as":                 {"input-unread", "spec.create[0].inputs[0]"},
	"spec.create[0].inputs[0].as.env":             {"input-unread", "spec.create[0].inputs[0]"},
	"spec.create[1].inputs[0].as":                 {"input-unread", "spec.create[1].inputs[0]"},
	"spec.create[1].inputs[0].as.path":            {"input-unread", "spec.create[1].inputs[0]"},
	"spec.create[0].outputs":                      {"unknown-output", "spec.create[1].inputs[0].valueFromStep.output"},
	`spec.labels["signadot/github-repo"]`:         {"label-reserved", `spec.labels["signadot/github-pull-request"]`},
	`spec.labels["signadot/github-pull-request"]`: {"label-reserved", `spec.labels["signadot/github-repo"]`},
	"spec.forks[0].customizations.images[0].container": {
		"image-container", "spec.forks[0].customizations.images[1]",
	},
	"spec.resources":                 {"resource-reference", "spec.forks[0].customizations.env[1].valueFrom.resource.name"},
	"spec.fixtures":                  {"fixture-reference", "spec.secrets[0].fixtureData[0].fixture"},
	"spec.fixtures[0].image":         {"fixture-form", "spec.fixtures[0]"},
	"spec.fixtures[1].command":       {"fixture-form", "spec.fixtures[1]"},
	"spec.fixtures[1].port":          {"fixture-reference", "spec.cases[0].fixtureParams[0].field"},
	"spec.match.any":                 {"match-form", "spec.match"},
	"spec.match.any[0].label":        {"match-form", "spec.match.any[0]"},
	"spec.match.any[1].all":          {"match-form", "spec.match.any[1]"},
	"spec.match.any[1].all[0].label": {"match-form", "spec.match.any[1].all[0]"},
	"spec.match.any[1].all[1].label": {"match-form", "spec.match.any[1].all[1]"},
}

// renamed misspells each key, and changes its case.
func renamed(t *testing.T, file string) (all []mutation) {
	t.Helper()
	for _, other := range []func(string) string{
		func(key string) string { return key + "x" },
		func(key string) string {
			if upper := strings.ToUpper(key[:1]); upper != key[:1] {
				return upper + key[1:]
			}
			return strings.ToLower(key[:1]) + key[1:]
		},
		func(string) string { return "qqqqqqqqqqqqqqqqqqqqqqqq" },
	} {
		eachKey(t, file, false, func(path krm.Path, root, mapping *yaml.Node, at int) {
			key := other(mapping.Content[at].Value)
			mapping.Content[at].SetString(key)
			m := mutation{sort: "renamed", what: string(path) + " to " + key, file: file, root: root}
			m.rule, m.path = "unknown-key", parent(path).Key(key)
			if strings.HasPrefix(key, "qqq") { // the intended key is unclear, so required keys are reported as missing
				m.follow = []string{"required"}
			}
			all = append(all, m)
		})
	}
	return all
}

// retyped changes the type of each value.
func retyped(t *testing.T, file string) (all []mutation) {
	t.Helper()
	for _, value := range []string{"7", "yes", "[[a]]", "{zz: 1}", "text", "!!binary aGk="} {
		eachKey(t, file, false, func(path krm.Path, root, mapping *yaml.Node, at int) {
			fresh := parsed(t, value)
			m := mutation{sort: "retyped", what: string(path) + " as " + value, file: file, root: root}
			switch found := retype(mapping.Content[at+1], fresh); found {
			case "":
				return
			case "ambiguous-yaml":
				m.follow = slices.Concat(references, usages, misplaced)
				m.rule, m.path = found, path
			default:
				m.rule, m.path = found, path
			}
			mapping.Content[at+1] = fresh
			all = append(all, m)
		})
	}
	return all
}

// retype returns the rule that a value violates in place of another one, or "" if it may be valid.
func retype(was, now *yaml.Node) string {
	switch {
	case was.Kind != now.Kind:
		return "type"
	case was.Kind != yaml.ScalarNode || was.ShortTag() == now.ShortTag() && now.Value != "yes":
		return ""
	case was.ShortTag() == "!!str" && now.Value == "yes":
		return "ambiguous-yaml"
	}
	return "type"
}

func parsed(t *testing.T, text string) *yaml.Node {
	t.Helper()
	var document yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte(text), &document))
	return document.Content[0]
}

// duplicated duplicates each key, and each element of a list.
func duplicated(t *testing.T, file string) (all []mutation) {
	t.Helper()
	eachKey(t, file, true, func(path krm.Path, root, mapping *yaml.Node, at int) {
		mapping.Content = append(mapping.Content, mapping.Content[at:at+2]...)
		all = append(all, mutation{
			sort: "duplicated", what: string(path), file: file, root: root, rule: "duplicate-key", path: path,
		})
	})
	for _, above := range []krm.Path{"", "metadata"} {
		mapping, _ := above.Find(edited(t, file))
		for at := 0; at < len(mapping.Content); at += 2 {
			root := edited(t, file)
			mapping, _ := above.Find(root)
			mapping.Content = append(mapping.Content, mapping.Content[at:at+2]...)
			path := above.Key(mapping.Content[at].Value)
			all = append(all, mutation{
				sort: "duplicated", what: string(path), file: file, root: root, rule: "duplicate-key", path: path,
			})
		}
	}
	eachKey(t, file, true, func(path krm.Path, root, mapping *yaml.Node, at int) {
		list := mapping.Content[at+1]
		if list.Kind != yaml.SequenceNode {
			return
		}
		last := path.Index(len(list.Content))
		list.Content = append(list.Content, list.Content[0])
		m := mutation{sort: "duplicated", what: string(path) + "[0]", file: file, root: root, follow: misplaced}
		if unique, ok := uniqueness[anyIndex(path)]; ok {
			m.rule, m.path, m.follow = unique.rule, last, unique.follow
			if unique.key != "" {
				m.path = last.Key(unique.key)
			}
		}
		all = append(all, m)
	})
	return all
}

// unique is the finding for a duplicate entry of a list.
type unique struct {
	rule, key string
	follow    []string
}

// uniqueness lists the lists that must not have duplicate entries, and the path of the finding.
var uniqueness = map[string]unique{
	"spec.create":                 {"step-unique", "name", nil},
	"spec.delete":                 {"step-unique", "name", nil},
	"spec.create[].inputs":        {"input-unique", "name", []string{"input-clash"}},
	"spec.delete[].inputs":        {"input-unique", "name", nil},
	"spec.create[].outputs":       {"output-unique", "name", nil},
	"spec.delete[].outputs":       {"output-unique", "name", nil},
	"spec.forks":                  {"workload-unique", "forkOf", []string{"workload-name-unique", "endpoint-unique"}},
	"spec.local":                  {"workload-unique", "from", []string{"workload-name-unique"}},
	"spec.virtual":                {"workload-name-unique", "name", nil},
	"spec.resources":              {"resource-unique", "name", nil},
	"spec.endpoints":              {"endpoint-unique", "name", nil},
	"spec.fixtures":               {"test-unique", "name", nil},
	"spec.secrets":                {"test-unique", "name", nil},
	"spec.cases":                  {"test-unique", "name", nil},
	"spec.skip":                   {"test-skip", "", nil},
	"spec.cases[].create.outputs": {"test-unique", "", nil},
	"spec.cases[].delete.outputs": {"test-unique", "", nil},

	"spec.forks[].customizations.images": {"image-container", "container", nil},
	"spec.forks[].endpoints":             {"endpoint-unique", "name", nil},
	"spec.defaultRouteGroup.endpoints":   {"endpoint-unique", "name", nil},
}

// reordered reverses each mapping and each list: no rule depends on the order.
func reordered(t *testing.T, file string) (all []mutation) {
	t.Helper()
	eachKey(t, file, true, func(path krm.Path, root, mapping *yaml.Node, at int) {
		m := mutation{sort: "reordered", what: string(path), file: file, root: root}
		switch node := mapping.Content[at+1]; {
		case node.Kind == yaml.SequenceNode && len(node.Content) > 1:
			slices.Reverse(node.Content)
			all = append(all, m)
		case node.Kind == yaml.MappingNode && len(node.Content) > 2:
			slices.Reverse(node.Content)
			for i := 0; i < len(node.Content); i += 2 {
				node.Content[i], node.Content[i+1] = node.Content[i+1], node.Content[i]
			}
			all = append(all, m)
		}
	})
	return all
}

// reindented prints the document in other ways, which are all valid, and moves each key from its mapping to the parent
// mapping, as if its line had lost its indentation.
func reindented(t *testing.T, file string) (all []mutation) {
	t.Helper()
	for indent := 1; indent <= 9; indent++ {
		var out strings.Builder
		encoder := yaml.NewEncoder(&out)
		encoder.SetIndent(indent)
		require.NoError(t, encoder.Encode(edited(t, file)))
		all = append(all, mutation{sort: "re-indented", what: "everything", file: file, root: parsed(t, out.String())})
	}
	eachKey(t, file, true, func(path krm.Path, root, mapping *yaml.Node, at int) {
		key := mapping.Content[at].Value
		around, _ := parent(parent(path)).Find(root)
		if around.Kind != yaml.MappingNode || krm.Value(around, key) != nil || knows(file, parent(parent(path)), key) {
			return
		}
		around.Content = append(around.Content, mapping.Content[at:at+2]...)
		mapping.Content = slices.Delete(mapping.Content, at, at+2)
		all = append(all, mutation{
			sort: "re-indented", what: string(path), file: file, root: root,
			rule: "unknown-key", path: parent(parent(path)).Key(key),
			follow: slices.Concat(references, misplaced, []string{
				"required", "input-source", "label-reserved", "image-container", "env-source", "match-form", "missing-create",
			}),
		})
	})
	return all
}

// specTypes are the types of the specs.
var specTypes = map[string]reflect.Type{
	aPlugin: reflect.TypeFor[v1alpha1.ResourcePluginSpec](), aSandbox: reflect.TypeFor[v1alpha1.SandboxSpec](),
	aRouteGroup: reflect.TypeFor[v1alpha1.RouteGroupSpec](), aPluginTest: reflect.TypeFor[v1alpha1.PluginTestSpec](),
	anOutputSecret: reflect.TypeFor[v1alpha1.OutputSecretSpec](),
}

// knows reports whether the mapping at path in a document of the kind may have a key.
func knows(file string, path krm.Path, key string) bool {
	at := specTypes[file]
	if path == "" {
		return false // fields of spec do not occur beside it
	}
	words := strings.Split(strings.TrimPrefix(strings.TrimPrefix(strings.ReplaceAll(anyIndex(path), "[]", ""), "spec"), "."), ".")
	for _, word := range append(words, key) {
		if word == "" {
			continue
		}
		for at.Kind() == reflect.Pointer || at.Kind() == reflect.Slice {
			at = at.Elem()
		}
		if at.Kind() != reflect.Struct {
			return true // a mapping with arbitrary keys
		}
		field, ok := at.FieldByNameFunc(func(name string) bool {
			f, _ := at.FieldByName(name)
			return strings.Split(f.Tag.Get("json"), ",")[0] == word
		})
		if !ok {
			return false
		}
		at = field.Type
	}
	return true
}

// misspelled misspells each variable and each file in the scripts of steps that have it as an input or output.
func misspelled(t *testing.T, file string) (all []mutation) {
	t.Helper()
	eachKey(t, file, true, func(path krm.Path, root, mapping *yaml.Node, at int) {
		name, pattern := mapping.Content[at+1].Value, anyIndex(path)
		m := mutation{sort: "misspelled", what: string(path), file: file, root: root}
		switch {
		case strings.HasSuffix(pattern, ".as.path") || strings.HasSuffix(pattern, ".as.env"):
			m.rule, m.path = "input-unread", parent(parent(path))
		case strings.HasSuffix(pattern, ".inputs[].name") && krm.Value(mapping, "as") == nil:
			m.rule, m.path = "input-unread", parent(path)
			name = v1alpha1.DefaultEnv(name)
		case strings.HasSuffix(pattern, ".valueFromPath"):
			m.rule, m.path = "output-unwritten", path
		default:
			return
		}
		step, _, _ := strings.Cut(string(path), "puts[")
		script, _ := krm.Path(step[:strings.LastIndex(step, ".")] + ".script").Find(root)
		if before := script.Value; strings.Contains(before, name) {
			script.SetString(strings.ReplaceAll(before, name, name[:1]+"X"+name[1:]))
			all = append(all, m)
		}
	})
	return all
}

// fromExamples applies the example of each rule to a document of its kind. The finding is at the field of the example, below
// or above it, or at a neighbour.
func fromExamples(t *testing.T, file string) (all []mutation) {
	t.Helper()
	for _, r := range allRules() {
		if r.ComparesStates() || file != fixture(t, r) {
			continue
		}
		root := edited(t, file, r.Example)
		for _, line := range check(t, root) {
			words := strings.SplitN(line, " ", 3)
			path, _, _ := strings.Cut(words[2], ": ")
			example, _, _ := strings.Cut(r.Example, ": ")
			if words[1] == r.ID && related(path, example) {
				all = append(all, mutation{
					sort: "of the rule table", what: r.Example, file: file, root: root, rule: r.ID, path: krm.Path(path),
				})
			}
		}
	}
	return all
}

// related reports whether two paths are in the same entry of a list in spec, or in the same field of it.
func related(a, b string) bool {
	entry := func(path string) string {
		path = strings.TrimPrefix(path, "spec.")
		return path[:min(len(path), max(strings.IndexAny(path+".", ".[~"), 1))]
	}
	return entry(a) == entry(b)
}

var requiredPaths = map[string]map[string]bool{
	aPlugin: words(`spec.runner spec.runner.image spec.create[].name spec.delete[].name spec.create[].inputs[].name
		spec.delete[].inputs[].name spec.create[].outputs[].name spec.delete[].outputs[].name
		spec.create[].outputs[].valueFromPath spec.delete[].outputs[].valueFromPath
		spec.create[].inputs[].valueFromStep.name spec.create[].inputs[].valueFromStep.output
		spec.delete[].inputs[].valueFromStep.name spec.delete[].inputs[].valueFromStep.output`),
	aSandbox: words(`spec.cluster spec.ttl.duration spec.forks[].forkOf spec.forks[].forkOf.kind spec.forks[].forkOf.namespace
		spec.forks[].forkOf.name spec.forks[].customizations.images[].image spec.forks[].customizations.env[].name
		spec.forks[].customizations.env[].valueFrom.resource.name spec.forks[].customizations.env[].valueFrom.resource.outputKey
		spec.forks[].customizations.env[].valueFrom.fork.forkOf spec.forks[].customizations.env[].valueFrom.fork.expression
		spec.forks[].customizations.env[].valueFrom.fork.forkOf.kind spec.forks[].customizations.env[].valueFrom.fork.forkOf.name
		spec.forks[].customizations.env[].valueFrom.fork.forkOf.namespace
		spec.forks[].customizations.env[].valueFrom.secret.name spec.forks[].customizations.env[].valueFrom.secret.key
		spec.forks[].customizations.patch.type spec.forks[].customizations.patch.value
		spec.forks[].endpoints[].name spec.forks[].endpoints[].port spec.endpoints[].name spec.endpoints[].host spec.endpoints[].port
		spec.defaultRouteGroup.endpoints[].name spec.defaultRouteGroup.endpoints[].target
		spec.local[].name spec.local[].from spec.local[].from.kind spec.local[].from.namespace spec.local[].from.name
		spec.local[].mappings spec.local[].mappings[].port spec.local[].mappings[].toLocal spec.local[].env[].name
		spec.local[].env[].valueFrom.resource.name spec.local[].env[].valueFrom.resource.outputKey
		spec.local[].files[].path spec.local[].files[].valueFrom.resource.name spec.local[].files[].valueFrom.resource.outputKey
		spec.local[].files[].valueFrom.configMap.name
		spec.virtual[].name spec.virtual[].workload spec.virtual[].workload.kind spec.virtual[].workload.namespace
		spec.virtual[].workload.name spec.middleware[].name spec.middleware[].args[].name
		spec.resources[].name spec.resources[].plugin`),
	aRouteGroup: words(`spec.match spec.match.any[].label.key spec.match.any[].label.value spec.match.any[].all[].label.key
		spec.match.any[].all[].label.value spec.endpoints[].name spec.endpoints[].target spec.ttl.duration`),
	anOutputSecret: words(`spec.sandbox spec.resource spec.data`),
	aPluginTest: words(`spec.plugin spec.cases spec.fixtures[].name spec.secrets[].name spec.secrets[].fixtureData[].name
		spec.secrets[].fixtureData[].fixture spec.secrets[].fixtureData[].field spec.cases[].name
		spec.cases[].fixtureParams[].name spec.cases[].fixtureParams[].fixture spec.cases[].fixtureParams[].field
		spec.cases[].create.outputs[].step spec.cases[].create.outputs[].output spec.cases[].create.fails.step
		spec.cases[].delete.outputs[].step spec.cases[].delete.outputs[].output spec.cases[].delete.fails.step`),
}

func words(text string) map[string]bool {
	all := map[string]bool{}
	for _, word := range strings.Fields(text) {
		all[word] = true
	}
	return all
}

// anyIndex returns a path without indexes.
func anyIndex(path krm.Path) string {
	var out strings.Builder
	for rest := string(path); rest != ""; {
		before, after, found := strings.Cut(rest, "[")
		out.WriteString(before)
		if !found {
			break
		}
		_, rest, _ = strings.Cut(after, "]")
		out.WriteString("[]")
	}
	return out.String()
}
