// Package v010 unpacks a `.registry` folder exactly as crossplane v0.10.0 did: the same bytes, the same refusals, the same
// faults. Package registry unpacks it without the faults.
//
//   - https://github.com/crossplane/crossplane/blob/v0.10.0/pkg/stacks/unpack.go
//
// No other package needs this one to read packages: the types are those of package v0. Tests run v0.10.0 itself, which
// tools/crossplane builds.
package v010

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	v0 "github.com/resource-plugins/krm-functions/stacks/api/v0"
	"github.com/resource-plugins/krm-functions/stacks/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/stacks/registry"
)

// folder is the state of v0.10.0 while it walks through the files of a package.
type folder struct {
	dir             string // before all paths
	templatingImage string
	image           string

	stack      v0.Stack
	definition v0.StackDefinition
	hasApp     bool
	isTemplate bool

	crds      map[string]packagedCRD   // by group, version and kind: a later file replaces an earlier one
	groups    map[string]v0.StackGroup // by folder
	resources map[string]v0.StackResource
	icons     map[string]v0.IconSpec
	schemas   map[string]string
}

type packagedCRD struct {
	*v0.CustomResourceDefinition
	dir string
}

// Options are the flags of `stack unpack`, and its environment.
type Options struct {
	// Dir is the folder of the package, as messages name it: the flag --content-dir.
	Dir string
	// Scope is the flag --permission-scope. The package must have it, even if it is empty.
	Scope string
	// Image is the environment variable STACK_IMAGE.
	Image string
	// TemplatingImage is the flag --templating-controller-image.
	TemplatingImage string
}

// Unpack returns the output of v0.10.0 for the files of a package, or the error that it ended with.
func Unpack(files registry.Files, o Options) ([]byte, error) {
	f := &folder{
		dir: path.Clean(o.Dir), templatingImage: o.TemplatingImage, image: o.Image,
		crds: map[string]packagedCRD{}, groups: map[string]v0.StackGroup{}, resources: map[string]v0.StackResource{},
		icons: map[string]v0.IconSpec{}, schemas: map[string]string{},
	}
	f.stack.APIVersion, f.stack.Kind = v1alpha1.APIVersion, v1alpha1.KindStack
	f.definition.APIVersion, f.definition.Kind = v1alpha1.APIVersion, v1alpha1.KindStackDefinition
	if err := f.walk(files); err != nil {
		return nil, fmt.Errorf("failed to walk Stack filesystem: %w", err)
	}
	if !f.hasApp {
		return nil, errors.New("Stack does not contain an app.yaml file") //nolint:staticcheck // the text of crossplane
	}
	if scope := f.stack.Spec.PermissionScope; scope != o.Scope {
		return nil, fmt.Errorf( //nolint:staticcheck // the text of crossplane
			"Stack permissionScope %q is not permitted by unpack invocation parameters (expected %q)",
			scope, o.Scope)
	}
	rules, err := f.rules()
	if err != nil {
		return nil, err
	}
	f.stack.Spec.Permissions.Rules = rules
	for _, crd := range f.crds {
		f.annotate(crd)
	}
	return f.print()
}

// walk reads the files in the order of filepath.Walk. A folder with the name of a file that is read is an error.
func (f *folder) walk(files registry.Files) error {
	seen := map[string]bool{}
	for _, name := range files.Paths() {
		for i, c := range name {
			if c != '/' || seen[name[:i]] {
				continue
			}
			seen[name[:i]] = true
			if len(stepsOf(name[:i])) > 0 {
				return fmt.Errorf("read %s: is a directory", path.Join(f.dir, name[:i]))
			}
		}
		for _, read := range stepsOf(name) {
			if err := read(f, path.Join(f.dir, name), files[name]); err != nil {
				return err
			}
		}
	}
	return nil
}

// A step reads a file.
type step func(f *folder, file string, content []byte) error

// stepsOf returns the steps that read a file: its name may match several patterns.
func stepsOf(file string) []step {
	var steps []step
	for _, candidate := range []struct {
		pattern string
		step
	}{
		{"app.yaml", (*folder).app},
		{"behavior.yaml", (*folder).behavior},
		{"group.yaml", (*folder).group},
		{"*resource.yaml", (*folder).resource},
		{"*crd.yaml", (*folder).crd},
		{"install.yaml", (*folder).install},
		{"*icon.*", (*folder).icon},
		{"*ui-schema.yaml", (*folder).schema},
	} {
		if ok, _ := path.Match(candidate.pattern, path.Base(file)); ok {
			steps = append(steps, candidate.step)
		}
	}
	return steps
}

// print prints the CRDs in descending order, then the record.
func (f *folder) print() ([]byte, error) {
	var out strings.Builder
	out.WriteString(separator)
	for _, key := range descending(f.crds) {
		if err := write(&out, f.crds[key].CustomResourceDefinition, "CRD"); err != nil {
			return nil, err
		}
	}
	var err error
	if f.isTemplate {
		f.definition.Spec.StackSpec = f.stack.Spec
		err = write(&out, f.definition, "StackDefinition")
	} else {
		err = write(&out, f.stack, "Stack")
	}
	return []byte(out.String()), err
}

// rules returns the permissions of the controller.
func (f *folder) rules() ([]v0.PolicyRule, error) {
	rules := []v0.PolicyRule{rule("", "configmaps", "events", "secrets")}
	for _, key := range descending(f.crds) {
		crd := f.crds[key]
		plural := crd.Spec.Names.Plural
		resources := []string{plural}
		if sub := crd.Spec.Subresources; sub != nil && sub.Status != nil {
			resources = append(resources, plural+"/status")
		}
		if sub := crd.Spec.Subresources; sub != nil && sub.Scale != nil {
			resources = append(resources, plural+"/scale")
		}
		rules = append(rules, rule(crd.Spec.Group, append(resources, plural+"/finalizers")...))
	}
	for _, dependency := range f.stack.Spec.DependsOn {
		if dependency.CustomResourceDefinition == "" {
			continue
		}
		name, _, _ := strings.Cut(dependency.CustomResourceDefinition, "/")
		kind := schema.ParseGroupKind(name)
		if kind.Kind == "" {
			return nil, fmt.Errorf("cannot parse CustomResourceDefinition %q as Kind and Group", name)
		}
		rules = append(rules, rule(kind.Group, kind.Kind))
	}
	return rules, nil
}

func rule(group string, resources ...string) v0.PolicyRule {
	return v0.PolicyRule{APIGroups: []string{group}, Resources: resources, Verbs: []string{"*"}}
}
