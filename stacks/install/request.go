package install

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	stacks "github.com/resource-plugins/krm-functions/stacks/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/stacks/dependency"
	"github.com/resource-plugins/krm-functions/stacks/registry"
	"github.com/resource-plugins/krm-functions/stacks/unpacking"
)

// defaultNamespace is the namespace of requests that name no namespace.
const defaultNamespace = "default"

// Requests returns the install requests of a list, in its order.
func Requests(list *krm.ResourceList) []*krm.Item {
	var requests []*krm.Item
	for _, item := range list.Items() {
		if dependency.IsRequest(item) {
			requests = append(requests, item)
		}
	}
	return requests
}

// isStackRequest reports whether an item asks for a stack.
func isStackRequest(item *krm.Item) bool {
	switch item.APIVersion() {
	case stacks.APIVersion:
		return item.Kind() == stacks.KindStackInstall || item.Kind() == stacks.KindClusterStackInstall
	case stacks.ExtensionsAPIVersion:
		return item.Kind() == stacks.KindExtensionRequest
	}
	return false
}

// StackInstall asks for a stack: a StackInstall, ClusterStackInstall or ExtensionRequest.
type StackInstall struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              stacks.InstallSpec `json:"spec"`
}

// request is a request for a stack.
type request struct {
	StackInstall

	item      *krm.Item
	namespace string
	isAbsent  bool
	closure   []*dependency.Chosen
}

// readRequest decodes a request as the API server of that time did: unknown fields are dropped.
func readRequest(item *krm.Item) (*StackInstall, error) {
	text, err := item.Bytes()
	if err != nil {
		return nil, err
	}
	request := &StackInstall{}
	return request, yaml.Unmarshal(text, request)
}

// read reads the requests for stacks that are resolved.
func (r *renderer) read(resolution dependency.Resolution) {
	for _, resolved := range resolution.Requests {
		if !isStackRequest(resolved.Item) {
			continue
		}
		if local, _ := resolved.Item.Annotation(contract.LocalConfigKey); local != "true" {
			resolved.Item.Annotate(contract.LocalConfigKey, "true")
		}
		if len(resolved.Closure) == 0 {
			continue
		}
		spec, err := readRequest(resolved.Item)
		if err != nil {
			r.refuse(resolved.Item, "spec", "must be that of a request: "+firstLine(err)+"; run validate-plugin for all findings")
			continue
		}
		isAbsent, err := document.IsAbsent(resolved.Item)
		if err != nil {
			r.refuse(resolved.Item, document.StatePath(), err.Error())
			continue
		}
		one := &request{StackInstall: *spec, item: resolved.Item, namespace: cmp.Or(spec.Namespace, defaultNamespace),
			isAbsent: isAbsent, closure: resolved.Closure}
		if r.check(one) {
			r.requests = append(r.requests, one)
			r.summary.Requests++
		}
	}
}

// check reports why a request cannot be rendered.
func (r *renderer) check(of *request) bool {
	valid := true
	if wrong := document.CheckSubdomain(of.Name); of.Name == "" || wrong != "" {
		r.refuse(of.item, "metadata.name", cmp.Or(wrong, "must be set"))
		valid = false
	}
	if wrong := document.CheckLabel(of.namespace); wrong != "" {
		r.refuse(of.item, "metadata.namespace", wrong)
		valid = false
	}
	for _, chosen := range of.closure {
		switch {
		case chosen.Content == nil:
			r.refuse(of.item, fieldOf(of), fmt.Sprintf("the content of package %q must be in the list: the Job that installs it "+
				"may apply only what its permissions name; add it with import-plugin", chosen.Image()))
			valid = false
		case !isStack(chosen.APIVersion):
			r.refuse(of.item, fieldOf(of), fmt.Sprintf("must be a stack, not %q, which is a %s of %s: use a %s of "+
				"pkg.crossplane.io/v1", chosen.Name, chosen.Kind, chosen.APIVersion, chosen.Kind))
			valid = false
		}
	}
	return valid && r.checkKind(of)
}

// checkKind reports a request that is not of the kind that the package is for.
func (r *renderer) checkKind(of *request) bool {
	own := of.closure[len(of.closure)-1]
	want := kindFor(own)
	if want == "" || of.Kind == stacks.KindExtensionRequest || of.Kind == want {
		return true
	}
	r.refuse(of.item, "kind", fmt.Sprintf("must be %s, not %q: the permissionScope of package %q is %s",
		want, of.Kind, own.Name, own.Content.Scope))
	return false
}

// kindFor returns the kind of request that a package's scope admits, empty if any will do.
func kindFor(chosen *dependency.Chosen) string {
	switch chosen.Content.Scope {
	case stacks.ScopeCluster:
		return stacks.KindClusterStackInstall
	case stacks.ScopeNamespaced:
		return stacks.KindStackInstall
	}
	return ""
}

func isStack(apiVersion string) bool {
	return apiVersion == stacks.APIVersion || apiVersion == stacks.ExtensionsAPIVersion
}

// fieldOf is the field that asks for the package.
func fieldOf(of *request) krm.Path {
	if of.Spec.Package == "" && of.Spec.CRD != "" {
		return "spec.crd"
	}
	return "spec.package"
}

func (r *renderer) refuse(item *krm.Item, at krm.Path, message string) {
	r.list.Report(krm.At(item, at, krm.Error, message))
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// installation is a package that is installed or removed, for a request that asks for it or needs it.
type installation struct {
	of     *request
	chosen *dependency.Chosen
	// record is the name of the record: that of the request, or of a package that no request asks for.
	record string
	scope  string
}

// install returns the installation of a package for a request.
func (r *renderer) install(of *request, chosen *dependency.Chosen) *installation {
	i := &installation{of: of, chosen: chosen, record: of.Name, scope: chosen.Content.Scope}
	isOwn := chosen == of.closure[len(of.closure)-1]
	if !isOwn || r.options.Install == installObjects {
		i.record = chosen.Content.Metadata.Name() // a dependency, or a record that is applied as it is
	}
	switch {
	case i.scope != "":
	case of.Kind == stacks.KindClusterStackInstall:
		i.scope = stacks.ScopeCluster
	default:
		i.scope = stacks.ScopeNamespaced
	}
	return i
}

// controller is the name of the controller's objects.
func (i *installation) controller() string {
	return contract.ObjectName(contract.Hash("controller", i.of.namespace, i.record), i.record, "controller")
}

// unpacked returns the unpacked objects of the package.
func (i *installation) unpacked() *registry.Unpacked {
	u := &registry.Unpacked{Record: i.chosen.Content.Metadata.YNode()}
	for _, member := range i.chosen.Content.Members {
		if isCRD(member) {
			u.CRDs = append(u.CRDs, member.YNode())
		}
	}
	return u
}

func isCRD(item *krm.Item) bool {
	return item.Kind() == crd && strings.HasPrefix(item.APIVersion(), "apiextensions.k8s.io/")
}

// requires are the names of the CRDs of the packages that the package needs.
func (i *installation) requires() (names []string) {
	for _, dependency := range i.chosen.DependsOn {
		for _, owned := range dependency.CRDs {
			names = append(names, owned.Plural+"."+owned.Group)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// resources are the plurals of each API group of the packages that the package needs.
func (i *installation) resources() map[string][]string {
	plurals := map[string][]string{}
	for _, dependency := range i.of.closure {
		if dependency == i.chosen {
			break
		}
		for _, owned := range dependency.CRDs {
			if !slices.Contains(plurals[owned.Group], owned.Plural) {
				plurals[owned.Group] = append(plurals[owned.Group], owned.Plural)
			}
		}
	}
	for _, of := range plurals {
		slices.Sort(of)
	}
	return plurals
}

// settings returns the unpacker's settings for an installation.
func (r *renderer) settings(i *installation) *unpacking.Settings {
	of := i.of
	settings := &unpacking.Settings{
		Name: i.record, Controller: i.controller(), Scope: i.scope, Image: i.chosen.Image(),
		Source: of.Spec.Source, Mirror: r.options.Mirror,
		ImagePullPolicy: of.Spec.ImagePullPolicy, Labels: labels(of), Resources: i.resources(),
	}
	for _, secret := range of.Spec.ImagePullSecrets {
		settings.ImagePullSecrets = append(settings.ImagePullSecrets, secret.Name)
	}
	if of.Spec.ServiceAccount != nil && owns(of, i.chosen) {
		settings.AccountAnnotations = of.Spec.ServiceAccount.Annotations
	}
	return settings
}

// phases reports whether a request is installed, whether it is removed, and whether the removal is held back until the
// delivered objects are removed.
func (r *renderer) phases(of *request) (installed, removed, isHeld bool) {
	if of.isAbsent {
		return false, true, false
	}
	installed = slices.Contains(r.options.Phases, string(v1alpha1.PhaseCreate))
	removed = slices.Contains(r.options.Phases, string(v1alpha1.PhaseDelete))
	return installed, removed, installed && removed
}
