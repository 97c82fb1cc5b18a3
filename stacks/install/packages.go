package install

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/distribution/reference"
	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	pkgv1 "github.com/resource-plugins/krm-functions/stacks/api/v1"
	stacks "github.com/resource-plugins/krm-functions/stacks/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/stacks/dependency"
	"github.com/resource-plugins/krm-functions/stacks/imageref"
)

// packageKinds are the kinds of requests for today's packages.
var packageKinds = []string{pkgv1.KindProvider, pkgv1.KindConfiguration, pkgv1.KindFunction}

// imageConfig is the kind that tells a cluster where images are.
const imageConfig = "ImageConfig"

// isPackageRequest reports whether a request asks for one of today's packages.
func isPackageRequest(item *krm.Item) bool { return item.APIVersion() == pkgv1.APIVersion }

// packages renders the requests for today's packages: each request is pinned in place, and each package that is only needed
// gets a request. Crossplane resolves none of them again.
func (r *renderer) packages(resolution dependency.Resolution) {
	requests, requested := r.packageRequests(resolution)
	var all []*dependency.Chosen
	names := map[*dependency.Chosen]string{}
	for _, one := range requests {
		r.summary.Requests++
		for _, chosen := range one.Closure {
			if slices.Contains(all, chosen) || !r.isPackage(one.Item, chosen) {
				continue
			}
			all = append(all, chosen)
			r.summary.Packages++
			r.needPackage(chosen)
			if item := requested[chosen]; item != nil {
				names[chosen] = item.Name()
				r.pin(item, chosen)
			} else {
				names[chosen] = r.dependency(one.Item, chosen)
			}
		}
	}
	if len(requests) > 0 {
		r.mirror(requests[0].Item, all)
		r.summary.Lock = lock(all, names)
	}
}

// packageRequests returns the requests for today's packages that are rendered, and which of them asks for which package.
func (r *renderer) packageRequests(
	resolution dependency.Resolution,
) ([]dependency.Request, map[*dependency.Chosen]*krm.Item) {
	var requests []dependency.Request
	requested := map[*dependency.Chosen]*krm.Item{}
	for _, one := range resolution.Requests {
		if !isPackageRequest(one.Item) || len(one.Closure) == 0 || !r.isInstalled(one.Item) {
			continue
		}
		own := one.Closure[len(one.Closure)-1]
		if other := requested[own]; other != nil {
			r.refuse(one.Item, "spec.package", fmt.Sprintf("package %q must not be installed twice, by %s %q and %s %q: remove one "+
				"of them", own.Name, other.Kind(), other.Name(), one.Item.Kind(), one.Item.Name()))
			continue
		}
		requested[own] = one.Item
		requests = append(requests, one)
		r.named[one.Item.Kind()+"/"+one.Item.Name()] = own.Name
	}
	return requests, requested
}

// isPackage reports whether today's Crossplane can install a package: a stack is an error. It warns of a package without a
// known digest.
func (r *renderer) isPackage(item *krm.Item, chosen *dependency.Chosen) bool {
	if isStack(chosen.APIVersion) {
		r.refuse(item, "spec.package", fmt.Sprintf("must be a package of pkg.crossplane.io, not the stack %q: use a %s or %s",
			chosen.Name, stacks.KindStackInstall, stacks.KindClusterStackInstall))
		return false
	}
	r.reportPin(item, "spec.package", chosen)
	return true
}

// isInstalled reports whether a request is rendered. Its package is removed with the request itself, by Crossplane.
func (r *renderer) isInstalled(item *krm.Item) bool {
	isAbsent, err := document.IsAbsent(item)
	if err == nil && isAbsent {
		err = errors.New("must not be absent: remove the document, and Crossplane removes the package")
	}
	if err != nil {
		r.refuse(item, document.StatePath(), err.Error())
		return false
	}
	return slices.Contains(r.options.Phases, string(v1alpha1.PhaseCreate))
}

// pinned is the reference of a package for Crossplane. A tag beside the digest would become part of the package's name in
// its Lock: ParsePackageSourceFromReference of crossplane-runtime cuts off only the digest.
func pinned(chosen *dependency.Chosen) string {
	if chosen.Digest != "" {
		return chosen.Name + "@" + chosen.Digest
	}
	return chosen.Image()
}

// pin changes a request so that Crossplane installs the resolved package and resolves no dependencies.
func (r *renderer) pin(item *krm.Item, chosen *dependency.Chosen) {
	_ = item.Edit(func(object *kyaml.RNode) error {
		return object.PipeE(kyaml.LookupCreate(kyaml.MappingNode, "spec"),
			kyaml.Tee(kyaml.SetField("package", kyaml.NewStringRNode(pinned(chosen)))),
			kyaml.SetField("skipDependencyResolution", kyaml.NewRNode(&yaml.Node{
				Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true",
			})))
	})
	item.Annotate(contract.PackageKey, chosen.Image())
	r.inPlace = append(r.inPlace, item)
}

// dependency adds a request for a package that is only a dependency, and returns its name: the one that Crossplane gives
// it, so that a cluster that has installed the package has only one request for it. Its pull policy and pull secrets are
// those of the first request that needs it.
func (r *renderer) dependency(of *krm.Item, chosen *dependency.Chosen) string {
	name := dependencyName(chosen.Name)
	if other := r.named[chosen.Kind+"/"+name]; other != "" && other != chosen.Name {
		name = contract.ObjectName(contract.Hash("dependency", chosen.Name), name)
	}
	r.named[chosen.Kind+"/"+name] = chosen.Name
	spec := map[string]any{"package": pinned(chosen), "skipDependencyResolution": true}
	var parent struct {
		Spec map[string]any `json:"spec"`
	}
	if decode(of, &parent) == nil {
		for _, field := range []string{"packagePullPolicy", "packagePullSecrets"} {
			if value := parent.Spec[field]; value != nil {
				spec[field] = value
			}
		}
	}
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": pkgv1.APIVersion, "kind": chosen.Kind, "spec": spec,
	}}
	object.SetName(name)
	object.SetAnnotations(map[string]string{contract.PackageKey: chosen.Image()})
	r.putPackage(of, object)
	return name
}

// putPackage adds an object without a namespace for a request.
func (r *renderer) putPackage(of *krm.Item, object *unstructured.Unstructured) {
	request := &request{item: of}
	request.Name = of.Name()
	object.SetLabels(map[string]string{
		contract.ManagedByKey: contract.ManagedBy, contract.InstallKey: contract.LabelValue(of.Name()),
	})
	r.put(request, v1alpha1.PhaseCreate, false, object)
}

// dependencyName returns the name that Crossplane gives the request for a dependency: the repository without its registry.
func dependencyName(repository string) string {
	if named, err := reference.ParseNormalizedNamed(repository); err == nil {
		return dnsLabel(reference.Path(named))
	}
	return dnsLabel(repository)
}

// dnsLabel is ToDNSLabel of crossplane-runtime:
// https://github.com/crossplane/crossplane-runtime/blob/v2.3.0/pkg/xpkg/name.go
func dnsLabel(text string) string {
	const longest = 63
	var label strings.Builder
	for i := range min(len(text), longest) {
		switch c := text[i]; {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			label.WriteByte(c)
		case strings.IndexByte("./:-", c) >= 0 && i != 0 && i != longest-1 && i != len(text)-1:
			label.WriteByte('-')
		}
	}
	return strings.Trim(label.String(), "-")
}

// mirror adds an ImageConfig for each mirror that has images of the packages.
func (r *renderer) mirror(of *krm.Item, packages []*dependency.Chosen) {
	used := map[string]bool{}
	for _, chosen := range packages {
		if _, prefix := imageref.Mirrored(r.options.Mirror, chosen.Name); prefix != "" {
			used[prefix] = true
		}
	}
	for _, prefix := range slices.Sorted(maps.Keys(used)) {
		config := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": pkgv1.LockAPIVersion, "kind": imageConfig,
			"spec": map[string]any{
				"matchImages":  []any{map[string]any{"type": "Prefix", "prefix": prefix}},
				"rewriteImage": map[string]any{"prefix": r.options.Mirror[prefix]},
			},
		}}
		config.SetName(contract.ObjectName(contract.Hash("mirror", prefix), "mirror", prefix))
		r.putPackage(of, config)
	}
}
