package pack

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-plugins/krm-functions/internal/yamlprint"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/stacks/api/v1alpha1"
)

// DefaultTemplatingImage is the image of the controller of a template stack that names none, as of crossplane v0.10.
const DefaultTemplatingImage = "crossplane/templating-controller:v0.2.1"

// UnpackOptions say how a package is unpacked.
type UnpackOptions struct {
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
}

// Unpacked are the objects of a package of crossplane v0.3 to v0.10.
type Unpacked struct {
	// CRDs are the CRDs with labels and annotations, in descending order of group, version and kind.
	CRDs []*kyaml.RNode
	// Record is the Stack or StackDefinition.
	Record *kyaml.RNode
}

// Unpack returns the objects of a package, and what is wrong with its files. The objects are nil if there is an error among
// the results. With zero options it checks a package.
//
// It means what crossplane v0.10.0 meant, without its faults: a file is for the CRDs in its folder and below, and the
// nearest one wins; CRDs and the Deployment are kept whole; a value is never lost without a result; verbs are named.
// Package v010 prints what v0.10.0 printed.
func Unpack(files Files, o UnpackOptions) (*Unpacked, krm.Results) {
	o.Dir = cmp.Or(o.Dir, Folder)
	r := &registry{options: o}
	r.read(files)
	r.check()
	if r.results = r.results.Sort(); r.results.Failed() {
		return nil, r.results
	}
	u := &Unpacked{Record: r.record()}
	for _, crd := range r.inOrder() {
		u.CRDs = append(u.CRDs, r.annotated(crd))
	}
	r.results = r.results.Sort()
	return u, r.results
}

// YAML prints the objects: the CRDs, then the record.
func (u *Unpacked) YAML() ([]byte, error) {
	var out bytes.Buffer
	for _, object := range append(slices.Clone(u.CRDs), u.Record) {
		if out.Len() > 0 {
			out.WriteString("---\n")
		}
		text, err := yamlprint.Encode(object.YNode())
		if err != nil {
			return nil, err
		}
		out.Write(text)
	}
	return out.Bytes(), nil
}

// name is the name of the record, with "-" for what the names of objects must not have; empty if nothing names the package.
func (o UnpackOptions) name() string {
	repository, _, _ := SplitReference(o.Image)
	name := cmp.Or(o.Name, path.Base(cmp.Or(repository, path.Dir(o.Dir))))
	return strings.Trim(strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '.' {
			return c
		}
		return '-'
	}, strings.ToLower(name)), "-.")
}

// version is the version of the package: that of app.yaml, or the tag of the image.
func (r *registry) version() string {
	_, tag, _ := SplitReference(r.options.Image)
	return cmp.Or(r.app.Version, tag)
}

// inOrder returns the CRDs in the order of the output.
func (r *registry) inOrder() []*registryCRD {
	key := func(c *registryCRD) string { return fmt.Sprintf("%s/%s, Kind=%s", c.Group, c.version, c.Kind) }
	descending := func(a, b *registryCRD) int { return strings.Compare(key(b), key(a)) }
	return slices.SortedStableFunc(slices.Values(r.crds), descending)
}

// record returns the Stack or StackDefinition.
func (r *registry) record() *kyaml.RNode {
	kind := v1alpha1.KindStack
	spec := mapping()
	r.appendApp(spec)
	if len(r.crds) > 0 {
		owned := &yaml.Node{Kind: yaml.SequenceNode}
		for _, crd := range r.crds {
			one := mapping()
			set(one, "apiVersion", scalar(crd.Group+"/"+crd.version))
			set(one, "kind", scalar(crd.Kind))
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
		set(spec, "behavior", r.behavior)
	}
	record, metadata := mapping(), mapping()
	set(record, "apiVersion", scalar(v1alpha1.APIVersion))
	set(record, "kind", scalar(kind))
	if name := r.options.name(); name != "" {
		set(metadata, "name", scalar(name))
	}
	set(record, "metadata", metadata)
	set(record, "spec", spec)
	return kyaml.NewRNode(record)
}

// appendApp adds what app.yaml says, in its order there, and the icons of the package's folder.
func (r *registry) appendApp(spec *yaml.Node) {
	app := r.app
	app.Version = r.version()
	app.Icons = slices.Concat(app.Icons, r.ownIcons())
	described := treeOf(app)
	spec.Content = append(spec.Content, described.Content...)
}

// mapping, scalar, treeOf and set make trees.
func mapping() *yaml.Node { return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"} }

func scalar(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text, Style: yamlprint.StyleOf(text)}
}

func treeOf(object any) *yaml.Node {
	return yamlprint.ReadJSON(string(yamlprint.AppendJSON(nil, object)))
}

// set sets a value of a mapping, in the place of the value that it has. The mapping is printed in lines of its own.
func set(mapping *yaml.Node, key string, value *yaml.Node) {
	mapping.Style &^= yaml.FlowStyle
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			mapping.Content[i+1] = value
			return
		}
	}
	mapping.Content = append(mapping.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, value)
}
