package registry

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm/field"
	"github.com/resource-plugins/krm-functions/stacks/api/v1alpha1"
)

// deploymentKind is the only kind of install.yaml that crossplane ran; it ignored others.
const deploymentKind = "Deployment"

// readInstall reads the Deployment of the controller. Its name is dropped in favor of the record's name. An empty file has
// no Deployment.
func (r *Package) readInstall(file string, content []byte) {
	if !r.isFirst(file) || len(content) == 0 {
		return
	}
	d := r.document(file, content)
	if d == nil {
		if !r.hasErrors(file) {
			r.report(file, strictyaml.SeverityError, "must be a "+deploymentKind+": remove a file that has comments alone")
		}
		return
	}
	switch kind := d.kind(); kind {
	case deploymentKind:
	case "":
		r.problems(d, []strictyaml.Problem{strictyaml.Error("kind", "must be set: it must be %s", deploymentKind)})
		return
	default:
		r.problems(d, []strictyaml.Problem{strictyaml.Error("kind",
			"must be %s, not %q: crossplane ran no controller for it", deploymentKind, kind)})
		return
	}
	spec := field.Value(d.root, "spec")
	if spec == nil || spec.Kind != yaml.MappingNode {
		r.problems(d, []strictyaml.Problem{strictyaml.Error("spec", "must be the spec of a %s", deploymentKind)})
		return
	}
	var typed struct {
		Spec deploymentSpec `json:"spec"`
	}
	only := mapping()
	set(only, "spec", spec)
	read, problems := strictyaml.IntoObject(only, "", &typed)
	for i, problem := range problems {
		if problem.Rule != strictyaml.RuleType && problem.Rule != strictyaml.RuleAmbiguous {
			problems[i].Severity = strictyaml.SeverityWarning // kept unchanged: the cluster decides
		}
	}
	if r.problems(d, problems); r.hasErrors(file) || r.mismatch(d, deploymentKind, content) {
		return
	}
	r.install = field.Value(read, "spec")
}

// readBehavior reads the file that describes how a template stack creates objects.
func (r *Package) readBehavior(file string, content []byte) {
	if !r.isFirst(file) {
		return
	}
	d := r.document(file, content)
	if d == nil {
		if !r.hasErrors(file) {
			r.report(file, strictyaml.SeverityError, "source.path must be set")
		}
		return
	}
	var behavior struct {
		CRD    v1alpha1.BehaviorCRD    `json:"crd"`
		Source v1alpha1.BehaviorSource `json:"source"`
		Engine struct {
			ControllerImage string `json:"controllerImage"`
			Type            string `json:"type"`
			Kustomize       struct {
				Overlays []v1alpha1.EngineOverlay `json:"overlays"`
			} `json:"kustomize"`
		} `json:"engine"`
	}
	problems := strictyaml.Into(d.root, "", &behavior)
	const kustomization = "engine.kustomize.kustomization"
	problems = slices.DeleteFunc(problems, func(p strictyaml.Problem) bool {
		return p.Path == kustomization // the struct has no type for it
	})
	source := path.Clean(behavior.Source.Path)
	if source == "/" || source == "." {
		problems = append(problems, strictyaml.Error("source.path",
			"must be a folder of the image, and not its root: %q is not", behavior.Source.Path))
	}
	object, ok := field.Path(kustomization).Find(d.root)
	if ok && object.ShortTag() != "!!null" && Text(object, "kind") == "" {
		problems = append(problems, strictyaml.Error(kustomization, "must be a Kustomization with its kind"))
	}
	if r.problems(d, problems); r.hasErrors(file) {
		return
	}
	image := cmp.Or(behavior.Engine.ControllerImage, r.options.TemplatingImage, DefaultTemplatingImage)
	r.template.Source = v1alpha1.BehaviorSource{Image: behavior.Source.Image, Path: source}
	r.template.Engine.ControllerImage = image
	r.behavior = d.root
}

// completeBehavior returns the content of behavior.yaml with the effective path and image.
func (r *Package) completeBehavior() *yaml.Node {
	set(field.Value(r.behavior, "source"), "path", scalar(r.template.Source.Path))
	engine := field.Value(r.behavior, "engine")
	if engine == nil || engine.Kind != yaml.MappingNode {
		engine = mapping()
		set(r.behavior, "engine", engine)
	}
	set(engine, "controllerImage", scalar(r.template.Engine.ControllerImage))
	return r.behavior
}

// deployment returns the spec of the controller's Deployment: the one in install.yaml, or else one that runs the behavior.
// It returns nil if the package has neither.
func (r *Package) deployment() *yaml.Node {
	if r.install != nil || r.behavior == nil {
		return r.install
	}
	const dir, volume = "/behaviors", "behaviors"
	type object = map[string]any
	mounts := []object{{"name": volume, "mountPath": dir}}
	copies := object{
		"name":         "stack-behavior-copy-to-manager",
		"command":      []string{"cp", "-R", strings.TrimRight(r.template.Source.Path, "/") + "/.", dir},
		"volumeMounts": mounts,
	}
	if image := r.template.Source.Image; image != "" { // otherwise the package's image
		copies["image"] = image
	}
	return treeOf(object{
		"selector": object{}, "strategy": object{},
		"template": object{"spec": object{
			"restartPolicy":  "Always",
			"initContainers": []object{copies},
			"containers": []object{{
				"name": "stack-behavior-manager", "image": r.template.Engine.ControllerImage,
				"args": []string{
					"--resources-dir", dir,
					"--stack-definition-namespace", "$(SD_NAMESPACE)", "--stack-definition-name", "$(SD_NAME)",
				},
				"volumeMounts": mounts,
			}},
			"volumes": []object{{"name": volume, "emptyDir": object{}}},
		}},
	})
}

// check makes the checks that concern the package as a whole.
func (r *Package) check() {
	switch file, exists := r.once[appFile]; {
	case !exists:
		r.report(appFile, strictyaml.SeverityError, "must exist: it says what the package is")
	case r.appDocument != nil:
		r.problems(r.appDocument, r.checkApp())
	case !r.hasErrors(file):
		r.report(file, strictyaml.SeverityError, "must say what the package is, not be empty")
	}
	r.checkScopes()
	r.checkUse()
}

func (r *Package) checkApp() []strictyaml.Problem {
	var problems []strictyaml.Problem
	switch scope, asked := r.app.PermissionScope, r.options.Scope; {
	case scope != v1alpha1.ScopeCluster && scope != v1alpha1.ScopeNamespaced:
		problems = append(problems, strictyaml.Error("permissionScope", "must be %s or %s, not %q",
			v1alpha1.ScopeCluster, v1alpha1.ScopeNamespaced, scope))
	case asked != "" && asked != scope:
		problems = append(problems, strictyaml.Error("permissionScope",
			"must be the scope that is asked for, %s, not %q", asked, scope))
	}
	for i, dependency := range r.app.DependsOn {
		if name, _, _ := strings.Cut(dependency.CRD, "/"); dependency.CRD != "" && (name == "" || name[0] == '.') {
			problems = append(problems, strictyaml.Error(field.Path("dependsOn").Index(i).Key("crd"),
				"must be PLURAL.GROUP/VERSION or *.GROUP/VERSION, not %q", dependency.CRD))
		}
	}
	return problems
}

// checkUse reports files that describe no CRD.
func (r *Package) checkUse() {
	for _, crd := range r.crds {
		r.group(crd)
		r.resource(crd)
		r.icon(crd)
		r.uiSchemas(crd)
	}
	for _, group := range r.groups {
		if !group.used {
			r.unused(group.file, "it must be in the folder of a CRD or above")
		}
	}
	for _, resource := range r.resources {
		if !resource.used {
			r.unused(resource.file, fmt.Sprintf("its id, %q, must be the kind of a CRD in its folder or below", resource.value.ID))
		}
	}
	for _, icon := range r.icons {
		if !icon.used && depth(icon.file) > 0 {
			r.unused(icon.file, named("icon"+path.Ext(icon.file)))
		}
	}
	for _, schema := range r.schemas {
		if !schema.used {
			r.unused(schema.file, named(schemaFile))
		}
	}
}

func (r *Package) unused(file, reason string) {
	r.report(file, strictyaml.SeverityWarning, "is not used: "+reason)
}

// named describes the required name and location of a file for CRDs.
func named(file string) string {
	return fmt.Sprintf("it must be %s, or KIND.%[1]s with the kind in lower case, in the folder of a CRD or above", file)
}
