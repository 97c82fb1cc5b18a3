package dependency

// problem is what is to be solved, without names: which variant, which is a version, of which package is chosen.
type problem struct {
	// requests are what the requests ask for, as indexes of asks.
	requests []int
	asks     []ask
	packages []node
	// owners are the variants that own a CRD, by the number of the CRD.
	owners [][]variantID
	// shared and cyclic leave out the rules that a CRD has one owner, and that packages do not need each other in a cycle:
	// explanations find out with them which rule a conflict is about.
	shared, cyclic bool
}

// node is a package. Its variants are in the order in which they are tried.
type node struct{ variants []variant }

// variant is a version of a package: what it asks for, in its order, and the numbers of the CRDs that it owns.
type variant struct{ asks, owns []int }

type variantID struct{ node, variant int }

// ask is a package, with the variants that will do in ascending order. The package is -1, without variants, if nothing
// will do.
type ask struct {
	node int
	fits []int
}

// answer is the solution of a problem.
type answer struct {
	// accepted says of each request whether it is kept.
	accepted []bool
	// chosen is the variant of each package, -1 if nobody needs it.
	chosen []int
	// order are the packages that are needed in the order in which they are first required.
	order []int
}

// unit is what an explanation keeps or leaves out: a request, or what all variants of a package ask of another package.
type unit struct {
	request int // -1 if it is none
	from    int // the package that asks
	to      int // the package that is asked for, -1 if nothing will do
	ask     int // what it asks, if nothing will do
}

func requestUnit(request int) unit { return unit{request: request, from: -1, to: -1} }

// dependency returns the unit of what a package asks.
func (p *problem) dependency(from, asked int) unit {
	if to := p.asks[asked].node; to >= 0 {
		return unit{request: -1, from: from, to: to}
	}
	return unit{request: -1, from: from, to: -1, ask: asked}
}
