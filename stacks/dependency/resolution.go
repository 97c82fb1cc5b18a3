package dependency

import (
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/stacks/pack"
)

// Resolution is the result of resolving the install requests of a list.
type Resolution struct {
	// Requests are the requests in the order of the list.
	Requests []Request
	// Chosen are all packages that the requests need, each once, dependencies first.
	Chosen []*Chosen
}

// Request is an install request with the packages that it needs.
type Request struct {
	Item *krm.Item
	// Package is the repository of the requested package, even if the request asks for a CRD. It is empty if the request
	// cannot be read or no package owns the CRD.
	Package string
	// Closure are the packages that the request needs: dependencies first, its own package last. If the request cannot be
	// resolved, it is nil and the list has an error.
	Closure []*Chosen
}

// Chosen is the version of a package that is chosen for all its requirers.
type Chosen struct {
	// Name is the repository of the package's image.
	Name string
	// Version is the tag of the image, and Digest the digest of its manifest; each is empty if it is unknown.
	Version, Digest string
	// APIVersion and Kind are those of the package's metadata document.
	APIVersion, Kind string
	// Content is the package with its documents, or nil if the package is only listed in a Catalog.
	Content *pack.Package
	// CRDs are the CRDs that the package owns.
	CRDs []pack.CRD
	// DependsOn are the dependencies of the package, each once, in the order in which it names them.
	DependsOn []*Chosen
	// Requirers are all requests and packages that need the package, in the order in which they require it.
	Requirers []Requirer
}

// Requirer is a request or a package that requires a package.
type Requirer struct {
	// By is a request, `KIND NAME` or `KIND NAMESPACE/NAME`, or a package, `NAME:VERSION`.
	By string
	// Constraint is a version, a range, a digest or a CRD; empty means any release.
	Constraint string
}

// Image returns the reference of the package's image: NAME[:VERSION][@DIGEST].
func (c *Chosen) Image() string { return pack.ImageOf(c.Name, c.Version, c.Digest) }
