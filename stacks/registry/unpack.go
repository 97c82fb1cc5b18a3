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

// DefaultTemplatingImage is the default controller image of a template stack, as of crossplane v0.10.
const DefaultTemplatingImage = "crossplane/templating-controller:v0.2.1"

// Options configure how a package is unpacked.
type Options struct {
	// Scope is Cluster or Namespaced and must equal the permissionScope of the package. The default is the package's own.
	Scope string
	// Image is the image of the package. Its tag is the version if app.yaml does not set one.
	Image string
	// TemplatingImage is the controller image of a template stack whose behavior.yaml does not set one.
	TemplatingImage string
	// Name is the name of the record. The default is the last path element of the image, or else the folder that holds Dir.
	Name string
	// Dir is the name of the package's folder in messages. The default is Folder.
	Dir string
	// Mismatch returns the reason why crossplane v0.10.0 could not decode the file of a CRD or a Deployment, or nil if it
	// could. In a cluster, Mismatch itself is nil, since the files were checked before.
	Mismatch func(kind string, content []byte) *strictyaml.Problem
}

// Unpacked holds the objects of a package of crossplane v0.3 to v0.10.
type Unpacked struct {
	// CRDs are the CRDs with labels and annotations, in descending order of group, version and kind.
	CRDs []*yaml.Node
	// Record is the Stack or StackDefinition.
	Record *yaml.Node
	// Rules are the permissions of the controller, as in the record.
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

// Unpack returns the objects of the package, which must not have failed. It must be called only once.
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

// name returns the name of the record, with "-" instead of characters that object names must not have. It is empty if no
// option names the package.
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

// version returns the version of the package: the one in app.yaml, or else the tag of the image.
func (r *Package) version() string {
	_, tag, _ := imageref.Split(r.options.Image)
	return cmp.Or(r.app.Version, tag)
}

// inOrder returns the CRDs in output order.
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

// appendApp adds the fields of app.yaml and the icons in the package's folder.
func (r *Package) appendApp(spec *yaml.Node) {
	app := r.app
	app.Version = r.version()
	app.Icons = slices.Concat(app.Icons, r.ownIcons())
	described := treeOf(app)
	spec.Content = append(spec.Content, described.Content...)
}
