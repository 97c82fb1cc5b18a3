package solver

// Problem describes packages, their variants (versions), and requests for them, by numbers instead of names.
type Problem struct {
	// Requests holds the ask of each request, as an index into Asks.
	Requests []int
	Asks     []Ask
	Packages []Node
	// Owners holds the variants that own each CRD, by the number of the CRD.
	Owners [][]VariantID
	// Shared drops the rule that a CRD has one owner, and Cyclic the rule that packages have no dependency cycle.
	// Explanations use them to find out which rule a conflict is about.
	Shared, Cyclic bool
}

// Node is a package. Its variants are in the order in which they are tried.
type Node struct{ Variants []Variant }

// Variant is a version of a package, with the numbers of its asks, in its order, and of the CRDs that it owns.
type Variant struct{ Asks, Owns []int }

// VariantID identifies a variant by the number of its package and its number in the package.
type VariantID struct{ Node, Variant int }

// Ask requires a package in one of the variants that fit, which are in ascending order. Node is -1, without variants,
// if no package fits.
type Ask struct {
	Node int
	Fits []int
}

// Answer is the solution of a problem.
type Answer struct {
	// Accepted holds for each request whether it is kept.
	Accepted []bool
	// Chosen is the variant of each package, or -1 if the package is not needed.
	Chosen []int
	// Order lists the packages that are needed, in the order in which they are first required.
	Order []int
}

// Unit is a part of a problem that an explanation keeps or leaves out: a request, or everything that the variants of a
// package ask of another package.
type Unit struct {
	Request int // -1 for a dependency
	From    int // the package that asks
	To      int // the package that is asked for, -1 if no package fits
	Ask     int // the ask, if no package fits
}

// RequestUnit returns the unit of a request.
func RequestUnit(request int) Unit { return Unit{Request: request, From: -1, To: -1} }

// Dependency returns the unit of a package's ask.
func (p *Problem) Dependency(from, asked int) Unit {
	if to := p.Asks[asked].Node; to >= 0 {
		return Unit{Request: -1, From: from, To: to}
	}
	return Unit{Request: -1, From: from, To: -1, Ask: asked}
}
