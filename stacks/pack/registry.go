package pack

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/stacks/api/v1alpha1"
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

// maxLevels is how many lists and mappings of a file may be nested in each other: schemas of CRDs need four for each level
// of a custom resource.
const maxLevels = 500

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
			problems[i].Severity = strictyaml.SeverityWarning
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
