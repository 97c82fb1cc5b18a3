package install

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/resource-plugins/krm-functions/internal/yamlprint"
	pkgv1 "github.com/resource-plugins/krm-functions/stacks/api/v1"
	"github.com/resource-plugins/krm-functions/stacks/dependency"
)

// lock returns the Lock of a cluster whose Crossplane has resolved the same versions by itself, for a comparison with the
// output of `kubectl get locks -o yaml`: each package's revision with its source, its digest, and the dependencies in its
// metadata. If requests skip the resolution, as rendered requests do, the cluster's Lock does not list them.
func lock(packages []*dependency.Chosen, names map[*dependency.Chosen]string) []byte {
	document := &pkgv1.Lock{
		TypeMeta:   metav1.TypeMeta{APIVersion: pkgv1.LockAPIVersion, Kind: pkgv1.KindLock},
		ObjectMeta: metav1.ObjectMeta{Name: "lock"},
	}
	for _, chosen := range packages {
		one := pkgv1.LockPackage{
			Name: revision(names[chosen], chosen.Digest), APIVersion: pkgv1.APIVersion, Kind: chosen.Kind, Source: chosen.Name,
			Version: chosen.Digest, Dependencies: []pkgv1.LockDependency{},
		}
		if one.Version == "" {
			one.Version = chosen.Version
		}
		one.Dependencies = append(one.Dependencies, dependencies(chosen)...)
		document.Packages = append(document.Packages, one)
	}
	return yamlprint.AppendYAML(nil, document)
}

// revision returns the name of a package's revision, or that of the package if the digest is not known. It is FriendlyID
// of https://github.com/crossplane/crossplane-runtime/blob/v2.3.0/pkg/xpkg/name.go
func revision(name, digest string) string {
	const longestName, longestHash = 50, 12
	_, hash, found := strings.Cut(digest, ":")
	if !found {
		return name
	}
	return dnsLabel(name[:min(len(name), longestName)] + "-" + hash[:min(len(hash), longestHash)])
}

// dependencies returns the dependencies of a package from its metadata, or from a Catalog if its content is missing.
func dependencies(chosen *dependency.Chosen) (all []pkgv1.LockDependency) {
	if chosen.Content == nil {
		for _, other := range chosen.DependsOn {
			all = append(all, pkgv1.LockDependency{
				Package: other.Name, APIVersion: pkgv1.APIVersion, Kind: other.Kind, Constraints: constraint(other, chosen),
			})
		}
		return all
	}
	var meta struct {
		Spec pkgv1.MetaSpec `json:"spec"`
	}
	if decode(chosen.Content.Metadata, &meta) != nil {
		return nil
	}
	for _, one := range meta.Spec.DependsOn {
		dependency := pkgv1.LockDependency{Constraints: one.Version}
		switch {
		case one.Package != "":
			dependency.Package, dependency.APIVersion, dependency.Kind = one.Package, one.APIVersion, one.Kind
		case one.Configuration != "":
			dependency.Package, dependency.Type = one.Configuration, pkgv1.KindConfiguration
		case one.Provider != "":
			dependency.Package, dependency.Type = one.Provider, pkgv1.KindProvider
		case one.Function != "":
			dependency.Package, dependency.Type = one.Function, pkgv1.KindFunction
		}
		all = append(all, dependency)
	}
	return all
}

// constraint returns the constraint of a package on one of its dependencies.
func constraint(of, by *dependency.Chosen) string {
	for _, requirer := range of.Requirers {
		if requirer.By == by.Name+":"+by.Version {
			return requirer.Constraint
		}
	}
	return ""
}
