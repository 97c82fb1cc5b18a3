package dependency

import (
	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/stacks/pack"
)

// Resolution is what the install requests of a list resolve to.
type Resolution struct {
	// Requests are the requests in the order of the list.
	Requests []Request
	// Chosen are all packages that the requests need, each once, dependencies first.
	Chosen []*Chosen
}

// Request is an install request with what it needs.
type Request struct {
	Item *krm.Item
	// Package is the repository of the package that is asked for, even if it is asked for by a CRD. It is empty if the request
	// cannot be read or nothing owns the CRD.
	Package string
	// Closure are the packages that the request needs: dependencies first, its own package last. It is nil if the request
	// cannot be resolved; the list has an error then.
	Closure []*Chosen
}

// Chosen is the version of a package that is chosen for all who need the package.
type Chosen struct {
	// Name is the repository of the package's image.
	Name string
	// Version is the tag of the image, and Digest the digest of its manifest; either is empty if it is not known.
	Version, Digest string
	// APIVersion and Kind are those of the package's metadata document.
	APIVersion, Kind string
	// Content is the package with its documents, nil if only a Catalog knows it.
	Content *pack.Package
	// CRDs are those that the package owns.
	CRDs []pack.CRD
	// DependsOn are what the package needs, each package once, in the order in which it names them.
	DependsOn []*Chosen
	// Requirers are all who need the package, in the order in which it was required.
	Requirers []Requirer
}

// Requirer is who needs a package.
type Requirer struct {
	// By is a request, `KIND NAME` or `KIND NAMESPACE/NAME`, or a package, `NAME:VERSION`.
	By string
	// Constraint is what it asks for: a version, a range, a digest or a CRD; empty means any release.
	Constraint string
}

// Image returns the reference of the package's image: NAME[:VERSION][@DIGEST].
func (c *Chosen) Image() string { return pack.ImageOf(c.Name, c.Version, c.Digest) }
