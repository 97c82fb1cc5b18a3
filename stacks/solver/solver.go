package solver

import "slices"

// MaxSteps is the maximum number of steps of a search, for Solve and Explain. A list of thousands of packages takes a
// few hundred thousand steps; a list that was crafted to take forever is stopped after about a second.
const MaxSteps = 20_000_000

// literal is a variable or its negation: 2n and 2n+1.
type literal int32

func (l literal) variable() int32 { return int32(l) >> 1 }
func (l literal) not() literal    { return l ^ 1 }

// The reasons of assignments besides the numbers of clauses: a decision, or the literal that implies this one.
const decided int32 = -1

func impliedBy(l literal) int32  { return -2 - int32(l) }
func implier(why int32) literal  { return literal(-2 - why) }
func isImplied(why int32) bool   { return why <= -2 }
func unassigned(value int8) bool { return value == 0 }

// solver searches for the first solution of a problem by conflict-driven clause learning.
//
// Its variables are the requests, the variants of packages, the asks, and the edges: an edge means that a package asks
// for another package of its cycle, regardless of the variant. Requests are decided first, in their order, and kept if
// possible; then packages, in the order in which they are first required, with the first variant that is left. Learned
// clauses follow from the problem, so that they only exclude assignments without a solution: the first solution that is
// left is that of an exhaustive search.
//
// It backtracks chronologically (Nadel and Ryvchin, Chronological Backtracking, SAT 2018), since deciding thousands of
// packages again after each conflict would take time with the square of their number.
type solver struct {
	*Problem
	firstVariant []int32 // by package, the variable of its first variant
	firstAsk     int32   // the variable of the first ask
	firstEdge    int32   // the variable of the first edge
	edges        *edges
	owned        []VariantID
	askers       [][]literal // by ask, the requests and variants that ask
	asksOf       [][]int     // by package, the asks for it

	values  []int8 // by variable: 1, -1, or 0 if it is not assigned
	levels  []int32
	reasons []int32
	trail   []literal
	next    int // in trail, the first literal to be propagated

	clauses [][]literal
	watches [][]int32 // by literal, the clauses that watch it
	seen    []bool    // by variable, in analyze

	decisions []decision
	queue     []int // packages in the order in which they are required
	queuedBy  []int // the ask that put each package of the queue there
	done      int   // how many packages of the queue have a variant whose asks are in the queue
	queued    []bool
	asked     int // how many requests are decided

	steps, limit int
	learned      int  // the number of learned clauses
	keepAll      bool // stop as soon as a request is refused
}

// decision is the state of the solver before a decision.
type decision struct{ queue, done, asked int }

func newSolver(p *Problem, limit int) *solver {
	s := &solver{Problem: p, limit: limit, askers: make([][]literal, len(p.Asks)), asksOf: make([][]int, len(p.Packages))}
	variables := int32(len(p.Requests))
	for _, n := range p.Packages {
		s.firstVariant = append(s.firstVariant, variables)
		variables += int32(len(n.Variants))
	}
	s.firstAsk = variables
	variables += int32(len(p.Asks))
	s.firstEdge = variables
	s.edges = newEdges(p)
	variables += int32(len(s.edges.pairs))
	s.values, s.levels, s.reasons = make([]int8, variables), make([]int32, variables), make([]int32, variables)
	s.seen, s.queued = make([]bool, variables), make([]bool, len(p.Packages))
	s.watches = make([][]int32, 2*variables)
	for r, asked := range p.Requests {
		s.askers[asked] = append(s.askers[asked], literal(2*r))
	}
	for n := range p.Packages {
		for v := range p.Packages[n].Variants {
			s.owned = append(s.owned, VariantID{n, v})
			for _, asked := range p.Packages[n].Variants[v].Asks {
				s.askers[asked] = append(s.askers[asked], s.variant(n, v))
			}
		}
	}
	s.addAsks()
	s.dropCycles()
	return s
}

// addAsks adds the clause of each ask: it is not asked, or one of the fitting variants is chosen.
func (s *solver) addAsks() {
	for i, a := range s.Asks {
		clause := make([]literal, 1, 1+len(a.Fits))
		clause[0] = s.ask(i).not()
		for _, v := range a.Fits {
			clause = append(clause, s.variant(a.Node, v))
		}
		if a.Node >= 0 {
			s.asksOf[a.Node] = append(s.asksOf[a.Node], i)
		}
		if len(clause) == 1 {
			s.assign(clause[0], decided, 0)
			continue
		}
		s.add(clause)
	}
}

func (s *solver) variant(node, v int) literal { return literal(2 * (s.firstVariant[node] + int32(v))) }
func (s *solver) ask(i int) literal           { return literal(2 * (s.firstAsk + int32(i))) }
func (s *solver) edge(i int) literal          { return literal(2 * (s.firstEdge + int32(i))) }

func (s *solver) value(l literal) int8 {
	if l&1 == 1 {
		return -s.values[l.variable()]
	}
	return s.values[l.variable()]
}

// add adds a clause that watches its first two literals.
func (s *solver) add(clause []literal) int32 {
	number := int32(len(s.clauses))
	s.clauses = append(s.clauses, clause)
	s.watches[clause[0]] = append(s.watches[clause[0]], number)
	s.watches[clause[1]] = append(s.watches[clause[1]], number)
	return number
}

func (s *solver) assign(l literal, why, level int32) {
	s.values[l.variable()] = 1 - 2*int8(l&1)
	s.reasons[l.variable()], s.levels[l.variable()] = why, level
	s.trail = append(s.trail, l)
}

// level returns the level of the current decision.
func (s *solver) level() int32 { return int32(len(s.decisions)) }

// decide assigns a literal at a new level.
func (s *solver) decide(l literal) {
	s.decisions = append(s.decisions, decision{len(s.queue), s.done, s.asked})
	s.assign(l, decided, s.level())
}

// solve returns the first solution, or false if it takes too many steps.
func (s *solver) solve() (Answer, bool) {
	for {
		conflict := s.propagate()
		if conflict == nil {
			var complete bool
			if conflict, complete = s.advance(); complete {
				if conflict = s.findCycle(); conflict == nil {
					return s.answer(), true
				}
			}
		}
		if conflict != nil {
			s.resolve(conflict)
		}
		if s.steps > s.limit {
			return Answer{}, false
		}
	}
}

// advance makes the next decision. It returns true if no decision is left.
func (s *solver) advance() (conflict []literal, complete bool) {
	for ; s.asked < len(s.Requests); s.asked++ {
		keep := literal(2 * s.asked)
		switch s.value(keep) {
		case 0:
			s.decide(keep)
			return nil, false
		case 1:
			s.require(s.Requests[s.asked])
		case -1:
			if s.keepAll {
				return nil, true
			}
		}
	}
	for ; s.done < len(s.queue); s.done++ {
		node := s.queue[s.done]
		v := s.chosenVariant(node)
		if v < 0 {
			return s.decideNode(node), false
		}
		for _, asked := range s.Packages[node].Variants[v].Asks {
			s.require(asked)
		}
	}
	return nil, true
}

// require puts the package of an ask into the queue.
func (s *solver) require(asked int) {
	s.steps++
	if node := s.Asks[asked].Node; !s.queued[node] {
		s.queued[node] = true
		s.queue, s.queuedBy = append(s.queue, node), append(s.queuedBy, asked)
	}
}

func (s *solver) chosenVariant(node int) int {
	for v := range s.Packages[node].Variants {
		if s.value(s.variant(node, v)) == 1 {
			return v
		}
	}
	return -1
}

// decideNode chooses the first variant that is left. If no variant is left, the ask that needs the package is the
// conflict.
func (s *solver) decideNode(node int) (conflict []literal) {
	for v := range s.Packages[node].Variants {
		s.steps++
		if l := s.variant(node, v); unassigned(s.value(l)) {
			s.decide(l)
			return nil
		}
	}
	asked := s.queuedBy[s.done]
	conflict = []literal{s.ask(asked).not()}
	for _, v := range s.Asks[asked].Fits {
		conflict = append(conflict, s.variant(node, v))
	}
	return conflict
}

func (s *solver) answer() Answer {
	a := Answer{Accepted: make([]bool, len(s.Requests)), Chosen: make([]int, len(s.Packages)), Order: slices.Clone(s.queue)}
	for r := range s.Requests {
		a.Accepted[r] = s.value(literal(2*r)) == 1
	}
	for node := range a.Chosen {
		a.Chosen[node] = -1
	}
	for _, node := range s.queue {
		a.Chosen[node] = s.chosenVariant(node)
	}
	return a
}
