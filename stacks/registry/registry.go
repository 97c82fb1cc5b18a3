// Package registry unpacks `.registry` folders, the packages of crossplane v0.3 to v0.10. The results are the CRDs and the
// record of the package, and the objects that install it. The functions and the unpacker in the cluster use the same code:
//
//	files, err := registry.ReadFolder(os.DirFS(dir), registry.Folder)
//	p := registry.Read(files, registry.Options{Image: "registry.example.org/acme/redis:v0.1.0"})
//	if p.Failed() { … } // p.Findings() has the reasons
//	objects, err := registry.Install(p.Unpack(), installation, namespace)
//
// It works on trees of go-yaml and imports neither kyaml nor k8s.io/api: the unpacker must stay small. Package pack turns
// findings into results and reads the other forms of packages.
//
// It interprets packages as crossplane v0.10.0 did, without its bugs: a file applies to the CRDs in its folder and below,
// and the nearest file takes precedence; CRDs and the Deployment are kept whole; a value is never lost without a finding;
// verbs are explicit. Package v010 prints the output of v0.10.0.
package registry

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm/field"
	"github.com/resource-plugins/krm-functions/stacks/api/v1alpha1"
)

// The files of a `.registry` folder that have a single role in a package.
const (
	appFile      = "app.yaml"
	behaviorFile = "behavior.yaml"
	groupFile    = "group.yaml"
	installFile  = "install.yaml"
	rbacFile     = "rbac.yaml"
)

// Package is a `.registry` folder that was read.
type Package struct {
	options  Options
	findings []*Finding

	app         v1alpha1.AppMetadata
	appDocument *document // nil if app.yaml is missing, empty or unreadable
	install     *yaml.Node
	behavior    *yaml.Node
	template    v1alpha1.Behavior
	crds        []*crd
	// The descriptions of CRDs for users, in the order of the files.
	groups    []described[v1alpha1.Group]
	resources []described[v1alpha1.Resource]
	icons     []described[v1alpha1.Icon]
	schemas   []described[string]

	once map[string]string // the files that a package may have only once, by name
}

// described is a file that describes CRDs.
type described[T any] struct {
	file  string
	value T
	used  bool
}

// patterns are the roles of files. A name may match several patterns.
var patterns = []struct {
	pattern string
	read    func(r *Package, file string, content []byte)
}{
	{appFile, (*Package).readApp},
	{behaviorFile, (*Package).readBehavior},
	{groupFile, (*Package).readGroup},
	{"*resource.yaml", (*Package).readResource},
	{"*crd.yaml", (*Package).readCRD},
	{installFile, (*Package).readInstall},
	{"*icon.*", (*Package).readIcon},
	{"*ui-schema.yaml", (*Package).readSchema},
	{rbacFile, func(r *Package, file string, _ []byte) {
		r.report(file, strictyaml.SeverityInfo, "is not read: the permissions follow from the CRDs and from dependsOn of app.yaml")
	}},
}

// read reads the files. The name of a file determines its role, regardless of its folder.
func (r *Package) read(files Files) {
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

// misnamed reports a file with the extension .yml instead of .yaml.
func (r *Package) misnamed(file string) {
	base, isShort := strings.CutSuffix(path.Base(file), ".yml")
	if !isShort {
		return
	}
	for _, p := range patterns {
		if ok, _ := path.Match(p.pattern, base+".yaml"); ok {
			r.report(file, strictyaml.SeverityWarning, fmt.Sprintf("is not read: rename it to %q", base+".yaml"))
			return
		}
	}
}

// shown returns the name of a file in messages.
func (r *Package) shown(file string) string { return path.Join(r.options.Dir, file) }

// isFirst reports whether no file with the same name was read before. A second one is an error.
func (r *Package) isFirst(file string) bool {
	name := path.Base(file)
	if first, ok := r.once[name]; ok {
		r.report(file, strictyaml.SeverityError,
			fmt.Sprintf("must be the only %s of the package: remove it or %q", name, r.shown(first)))
		return false
	}
	r.once[name] = file
	return true
}

// maxLevels is the maximum nesting of lists and mappings in a file: schemas of CRDs need four levels for each level of a
// custom resource.
const maxLevels = 500

func (r *Package) readApp(file string, content []byte) {
	if !r.isFirst(file) {
		return
	}
	var app struct {
		// APIVersion is set in some files and has no meaning.
		APIVersion           string `json:"apiVersion"`
		v1alpha1.AppMetadata `json:",inline"`
	}
	d := r.document(file, content)
	if d == nil {
		return
	}
	problems := strictyaml.Into(d.root, "", &app)
	for i, problem := range problems {
		if version := field.Value(d.root, "version"); problem.Path == "version" && isNumber(version) {
			app.Version = version.Value
			problems[i].Severity = strictyaml.SeverityWarning
			problems[i].Message = fmt.Sprintf("must be quoted, as in version: %q: readers take it for a number", version.Value)
		}
	}
	r.problems(d, problems)
	r.app, r.appDocument = app.AppMetadata, d
}

func isNumber(node *yaml.Node) bool {
	return node != nil && node.Kind == yaml.ScalarNode && slices.Contains([]string{"!!int", "!!float"}, node.ShortTag())
}

func (r *Package) readGroup(file string, content []byte) {
	var group v1alpha1.Group
	if r.decode(file, content, &group) {
		r.groups = append(r.groups, described[v1alpha1.Group]{file: file, value: group})
	}
}

func (r *Package) readResource(file string, content []byte) {
	var resource v1alpha1.Resource
	if r.decode(file, content, &resource) {
		r.resources = append(r.resources, described[v1alpha1.Resource]{file: file, value: resource})
	}
}

func (r *Package) readSchema(file string, content []byte) {
	r.schemas = append(r.schemas, described[string]{file: file, value: strings.Trim(string(content), "\n")})
}
