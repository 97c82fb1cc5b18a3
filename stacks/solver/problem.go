package solver

// Problem is what is to be solved, without names: which variant, which is a version, of which package is chosen.
type Problem struct {
	// requests are what the requests ask for, as indexes of asks.
	Requests []int
	Asks     []Ask
	Packages []Node
	// owners are the variants that own a CRD, by the number of the CRD.
	Owners [][]VariantID
	// shared and cyclic leave out the rules that a CRD has one owner, and that packages do not need each other in a cycle:
	// explanations find out with them which rule a conflict is about.
	Shared, Cyclic bool
}

// Node is a package. Its variants are in the order in which they are tried.
type Node struct{ Variants []Variant }

// Variant is a version of a package: what it asks for, in its order, and the numbers of the CRDs that it owns.
type Variant struct{ Asks, Owns []int }

// VariantID is a variant of a package, by their numbers.
type VariantID struct{ Node, Variant int }

// Ask is a package, with the variants that will do in ascending order. The package is -1, without variants, if nothing
// will do.
type Ask struct {
	Node int
	Fits []int
}

// Answer is the solution of a problem.
type Answer struct {
	// accepted says of each request whether it is kept.
	Accepted []bool
	// chosen is the variant of each package, -1 if none needs it.
	Chosen []int
	// order are the packages that are needed in the order in which they are first required.
	Order []int
}

// Unit is what an explanation keeps or leaves out: a request, or what all variants of a package ask of another package.
type Unit struct {
	Request int // -1 if it is none
	From    int // the package that asks
	To      int // the package that is asked for, -1 if nothing will do
	Ask     int // what it asks, if nothing will do
}

// RequestUnit returns the unit of a request.
func RequestUnit(request int) Unit { return Unit{Request: request, From: -1, To: -1} }

// Dependency returns the unit of what a package asks.
func (p *Problem) Dependency(from, asked int) Unit {
	if to := p.Asks[asked].Node; to >= 0 {
		return Unit{Request: -1, From: from, To: to}
	}
	return Unit{Request: -1, From: from, To: -1, Ask: asked}
}
