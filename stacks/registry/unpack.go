package registry

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/internal/yamlprint"
	"github.com/resource-plugins/krm-functions/stacks/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/stacks/imageref"
)

// DefaultTemplatingImage is the image of the controller of a template stack that names none, as of crossplane v0.10.
const DefaultTemplatingImage = "crossplane/templating-controller:v0.2.1"

// Options say how a package is unpacked.
type Options struct {
	// Scope is Cluster or Namespaced, and must be the permissionScope of the package; empty means the package's own.
	Scope string
	// Image is the image of the package. Its tag is the version of a package that names none.
	Image string
	// TemplatingImage is the image of the controller of a template stack whose behavior.yaml names none.
	TemplatingImage string
	// Name is the name of the record; empty means the last path element of the image, else the folder that holds Dir.
	Name string
	// Dir is how messages name the folder of the package; empty means Folder.
	Dir string
	// Mismatch returns why crossplane v0.10.0 could not decode the file of a CRD or a Deployment, nil if it could. It is
	// nil where that was checked before: in a cluster.
	Mismatch func(kind string, content []byte) *strictyaml.Problem
}

// Unpacked are the objects of a package of crossplane v0.3 to v0.10.
type Unpacked struct {
	// CRDs are the CRDs with labels and annotations, in descending order of group, version and kind.
	CRDs []*yaml.Node
	// Record is the Stack or StackDefinition.
	Record *yaml.Node
	// Rules are the permissions of the controller, which the record has.
	Rules []v1alpha1.PolicyRule
}

// Read reads the files of a package and checks them.
func Read(files Files, o Options) *Package {
	o.Dir = cmp.Or(o.Dir, Folder)
	r := &Package{options: o}
	r.read(files)
	r.check()
	r.sort()
	return r
}

// Unpack returns the objects of the package, which must not have failed. It is called once.
func (r *Package) Unpack() *Unpacked {
	u := &Unpacked{Record: r.record(), Rules: r.rules()}
	for _, crd := range r.inOrder() {
		u.CRDs = append(u.CRDs, r.annotated(crd))
	}
	return u
}

// YAML prints the objects: the CRDs, then the record.
func (u *Unpacked) YAML() ([]byte, error) {
	var out bytes.Buffer
	for _, object := range append(slices.Clone(u.CRDs), u.Record) {
		if out.Len() > 0 {
			out.WriteString("---\n")
		}
		text, err := yamlprint.Encode(object)
		if err != nil {
			return nil, err
		}
		out.Write(text)
	}
	return out.Bytes(), nil
}

// name is the name of the record, with "-" for what the names of objects must not have; empty if nothing names the package.
func (o Options) name() string {
	repository, _, _ := imageref.Split(o.Image)
	name := cmp.Or(o.Name, path.Base(cmp.Or(repository, path.Dir(o.Dir))))
	return strings.Trim(strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '.' {
			return c
		}
		return '-'
	}, strings.ToLower(name)), "-.")
}

// version is the version of the package: that of app.yaml, or the tag of the image.
func (r *Package) version() string {
	_, tag, _ := imageref.Split(r.options.Image)
	return cmp.Or(r.app.Version, tag)
}

// inOrder returns the CRDs in the order of the output.
func (r *Package) inOrder() []*crd {
	key := func(c *crd) string { return c.group + "/" + c.version + ", Kind=" + c.kind }
	descending := func(a, b *crd) int { return strings.Compare(key(b), key(a)) }
	return slices.SortedStableFunc(slices.Values(r.crds), descending)
}

// record returns the Stack or StackDefinition.
func (r *Package) record() *yaml.Node {
	kind := v1alpha1.KindStack
	spec := mapping()
	r.appendApp(spec)
	if len(r.crds) > 0 {
		owned := &yaml.Node{Kind: yaml.SequenceNode}
		for _, crd := range r.crds {
			one := mapping()
			set(one, "apiVersion", scalar(crd.group+"/"+crd.version))
			set(one, "kind", scalar(crd.kind))
			owned.Content = append(owned.Content, one)
		}
		set(spec, "customresourcedefinitions", owned)
	}
	if deployment := r.deployment(); deployment != nil {
		controller, named := mapping(), mapping()
		set(named, "name", scalar(""))
		set(named, "spec", deployment)
		set(controller, "deployment", named)
		set(spec, "controller", controller)
	}
	permissions := mapping()
	set(permissions, "rules", treeOf(r.rules()))
	set(spec, "permissions", permissions)
	if r.behavior != nil {
		kind = v1alpha1.KindStackDefinition
		set(spec, "behavior", r.completeBehavior())
	}
	record, metadata := mapping(), mapping()
	set(record, "apiVersion", scalar(v1alpha1.APIVersion))
	set(record, "kind", scalar(kind))
	if name := r.options.name(); name != "" {
		set(metadata, "name", scalar(name))
	}
	set(record, "metadata", metadata)
	set(record, "spec", spec)
	return record
}

// appendApp adds what app.yaml says, in its order there, and the icons of the package's folder.
func (r *Package) appendApp(spec *yaml.Node) {
	app := r.app
	app.Version = r.version()
	app.Icons = slices.Concat(app.Icons, r.ownIcons())
	described := treeOf(app)
	spec.Content = append(spec.Content, described.Content...)
}
