package stackpackage

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/api/stacks/v1alpha1"
	v010 "github.com/resource-plugins/krm-functions/internal/stackpackage/v010"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// The files of a `.registry` folder with one role in a package.
const (
	appFile      = "app.yaml"
	behaviorFile = "behavior.yaml"
	groupFile    = "group.yaml"
	installFile  = "install.yaml"
	rbacFile     = "rbac.yaml"
)

// registry is a `.registry` folder that is unpacked.
type registry struct {
	options UnpackOptions
	results krm.Results

	app      v1alpha1.AppMetadata
	appItem  *krm.Item // nil if there is none
	install  *yaml.Node
	behavior *yaml.Node
	template v1alpha1.Behavior
	crds     []*registryCRD
	// What describes CRDs for people, in the order of the files.
	groups    []described[v1alpha1.Group]
	resources []described[v1alpha1.Resource]
	icons     []described[v1alpha1.Icon]
	schemas   []described[string]

	once map[string]string // the files that a package has once
}

// described is a file that describes CRDs.
type described[T any] struct {
	file  string
	value T
	used  bool
}

// patterns are the roles of files: a name may match several ones.
var patterns = []struct {
	pattern string
	read    func(r *registry, file string, content []byte)
}{
	{appFile, (*registry).readApp},
	{behaviorFile, (*registry).readBehavior},
	{groupFile, (*registry).readGroup},
	{"*resource.yaml", (*registry).readResource},
	{"*crd.yaml", (*registry).readCRD},
	{installFile, (*registry).readInstall},
	{"*icon.*", (*registry).readIcon},
	{"*ui-schema.yaml", (*registry).readSchema},
	{rbacFile, func(r *registry, file string, _ []byte) {
		r.report(file, krm.Info, "is not read: the permissions follow from the CRDs and from dependsOn of app.yaml")
	}},
}

// read reads the files. A file's role is decided by its name, wherever it is.
func (r *registry) read(files Files) {
	r.once = map[string]string{}
	for _, file := range files.Paths() {
		known := false
		for _, p := range patterns {
			if ok, _ := path.Match(p.pattern, path.Base(file)); ok {
				known = true
				p.read(r, file, files[file])
			}
		}
		if !known {
			r.misnamed(file)
		}
	}
}

// misnamed reports a file whose name has the extension .yml in place of .yaml.
func (r *registry) misnamed(file string) {
	base, isShort := strings.CutSuffix(path.Base(file), ".yml")
	if !isShort {
		return
	}
	for _, p := range patterns {
		if ok, _ := path.Match(p.pattern, base+".yaml"); ok {
			r.report(file, krm.Warning, fmt.Sprintf("is not read: rename it to %q", base+".yaml"))
			return
		}
	}
}

// report adds a result about a file as a whole.
func (r *registry) report(file string, severity krm.Severity, message string) {
	result := krm.NewResult(severity, message)
	result.Place.File = r.shown(file)
	r.results = append(r.results, result)
}

// shown is a file as messages name it.
func (r *registry) shown(file string) string { return path.Join(r.options.Dir, file) }

// isFirst reports whether no file of the same name was read before: a second one is an error.
func (r *registry) isFirst(file string) bool {
	name := path.Base(file)
	if first, ok := r.once[name]; ok {
		r.report(file, krm.Error, fmt.Sprintf("must be the only %s of the package: remove it or %q", name, r.shown(first)))
		return false
	}
	r.once[name] = file
	return true
}

// document reads a file as one YAML document, with its aliases replaced. It is nil if it cannot be read, or if there is
// nothing in it.
func (r *registry) document(file string, content []byte) *krm.Item {
	root, problem := onlyDocument(content)
	if problem == nil && root != nil {
		problem = nesting(root)
	}
	if problem != nil {
		r.report(file, krm.Error, problem.Message)
		r.results[len(r.results)-1].Place.Line = problem.Line
		return nil
	}
	if root == nil {
		return nil
	}
	expanded, problems := strictyaml.Expand(root, "")
	if r.problems(krm.FromNode(root, r.shown(file)), problems); len(problems) > 0 {
		return nil
	}
	item := krm.FromNode(expanded, r.shown(file))
	r.problems(item, unrepeated(expanded, ""))
	return item
}

// unrepeated removes repeated keys but for the last one, which counts for crossplane, and reports them.
func unrepeated(node *yaml.Node, at krm.Path) []strictyaml.Problem {
	var problems []strictyaml.Problem
	if node.Kind != yaml.MappingNode {
		for i, element := range node.Content {
			problems = append(problems, unrepeated(element, at.Index(i))...)
		}
		return problems
	}
	last := map[string]int{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		last[node.Content[i].Value] = i
	}
	var kept []*yaml.Node
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		if last[key.Value] == i {
			kept = append(kept, key, value)
			problems = append(problems, unrepeated(value, at.Key(key.Value))...)
			continue
		}
		problem := strictyaml.Repeated(at.Key(key.Value), key.Value)
		problem.Severity, problem.Line, problem.Column = krm.Warning, key.Line, key.Column
		problem.Message += "; the last one counts"
		problems = append(problems, problem)
	}
	node.Content = kept
	return problems
}

// mismatch reports why crossplane could not decode a file. It is false if it could.
func (r *registry) mismatch(item *krm.Item, found *v010.Mismatch) bool {
	if found != nil {
		problem := strictyaml.Error(krm.Path(found.Field), "%s", found.Message)
		r.problems(item, []strictyaml.Problem{problem})
	}
	return found != nil
}

// onlyDocument returns the only document of a text that has something in it.
func onlyDocument(content []byte) (*yaml.Node, *strictyaml.Problem) {
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	var only *yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	for {
		var document yaml.Node
		err := decoder.Decode(&document)
		switch {
		case errors.Is(err, io.EOF):
			return only, nil
		case err != nil:
			_, problem := strictyaml.Parse(content) // words the error
			if problem == nil {
				wrapped := strictyaml.Error("", "must be valid YAML: %s", err)
				problem = &wrapped
			}
			return nil, problem
		case document.Content[0].ShortTag() == "!!null":
		case only != nil:
			problem := strictyaml.Error("", "must be one YAML document: move the second one, which begins here, to another file")
			problem.Line = document.Content[0].Line
			return nil, &problem
		default:
			only = document.Content[0]
		}
	}
}

// maxLevels is how many lists and mappings of a file may be nested in each other: schemas of CRDs need four for each level
// of a custom resource.
const maxLevels = 500

// nesting reports a tree that is nested too deep.
func nesting(root *yaml.Node) *strictyaml.Problem {
	level := []*yaml.Node{root}
	for range maxLevels {
		var below []*yaml.Node
		for _, node := range level {
			below = append(below, node.Content...)
		}
		if level = below; len(level) == 0 {
			return nil
		}
	}
	problem := strictyaml.Error("", "must not be nested in more than %d lists and mappings", maxLevels)
	problem.Line = level[0].Line
	return &problem
}

// problems adds what is wrong with a document.
func (r *registry) problems(item *krm.Item, problems []strictyaml.Problem) {
	for _, problem := range problems {
		if problem.Rule == strictyaml.RuleUnknown {
			problem.Severity = krm.Warning // crossplane lost it in silence, and the rest is well
		}
		result := krm.At(item, problem.Path, problem.Severity, problem.Message)
		if problem.Rule == strictyaml.RuleUnknown {
			result = krm.AtKey(item, problem.Path, problem.Severity, problem.Message)
		}
		if problem.Line > 0 {
			result.Place.Line, result.Place.Column = problem.Line, problem.Column
		}
		if result.ResourceRef != nil && result.ResourceRef.Kind == "" {
			result.ResourceRef = nil
		}
		r.results = append(r.results, result)
	}
}

// decode decodes a file into a type, and reports what is wrong with it. It is nil if there is nothing to decode.
func (r *registry) decode(file string, content []byte, target any) *krm.Item {
	item := r.document(file, content)
	if item == nil {
		return nil
	}
	r.problems(item, strictyaml.Into(item.YNode(), "", target))
	return item
}

func (r *registry) readApp(file string, content []byte) {
	if !r.isFirst(file) {
		return
	}
	var app struct {
		// APIVersion is what some files have; it has no meaning.
		APIVersion           string `json:"apiVersion"`
		v1alpha1.AppMetadata `json:",inline"`
	}
	item := r.document(file, content)
	if item == nil {
		return
	}
	problems := strictyaml.Into(item.YNode(), "", &app)
	for i, problem := range problems {
		if version := krm.Value(item.YNode(), "version"); problem.Path == "version" && isNumber(version) {
			app.Version = version.Value
			problems[i].Severity = krm.Warning
			problems[i].Message = fmt.Sprintf("must be quoted, as in version: %q: readers take it for a number", version.Value)
		}
	}
	r.problems(item, problems)
	r.app, r.appItem = app.AppMetadata, item
}

func isNumber(node *yaml.Node) bool {
	return node != nil && node.Kind == yaml.ScalarNode && slices.Contains([]string{"!!int", "!!float"}, node.ShortTag())
}

func (r *registry) readGroup(file string, content []byte) {
	var group v1alpha1.Group
	if r.decode(file, content, &group) != nil {
		r.groups = append(r.groups, described[v1alpha1.Group]{file: file, value: group})
	}
}

func (r *registry) readResource(file string, content []byte) {
	var resource v1alpha1.Resource
	if r.decode(file, content, &resource) != nil {
		r.resources = append(r.resources, described[v1alpha1.Resource]{file: file, value: resource})
	}
}

func (r *registry) readSchema(file string, content []byte) {
	r.schemas = append(r.schemas, described[string]{file: file, value: strings.Trim(string(content), "\n")})
}
