package solver

import "slices"

// propagate assigns the literals that follow from the assigned ones. It returns the first violated clause, or nil.
func (s *solver) propagate() (conflict []literal) {
	for s.next < len(s.trail) {
		l := s.trail[s.next]
		s.next++
		s.steps++
		if conflict = s.rules(l); conflict == nil {
			conflict = s.watched(l.not())
		}
		if conflict != nil {
			return conflict
		}
	}
	return nil
}

// imply assigns a literal that another one implies. It returns the clause of both if the literal is false.
func (s *solver) imply(l, why literal) (conflict []literal) {
	s.steps++
	switch s.value(l) {
	case 1:
		return nil
	case -1:
		return []literal{l, why.not()}
	}
	s.assign(l, impliedBy(why), s.levels[why.variable()])
	return nil
}

// rules applies the rules of the problem that have two literals each.
func (s *solver) rules(l literal) (conflict []literal) {
	variable := l.variable()
	isTrue := l&1 == 0
	switch {
	case int(variable) < len(s.Requests):
		if isTrue {
			return s.imply(s.ask(s.Requests[variable]), l)
		}
	case variable >= s.firstEdge:
		if !isTrue {
			return s.edgeRules(int(variable-s.firstEdge), l)
		}
	case variable >= s.firstAsk:
		return s.askRules(int(variable-s.firstAsk), l, isTrue)
	case isTrue:
		return s.variantRules(s.owned[variable-int32(len(s.Requests))], l)
	}
	return nil
}

// askRules excludes the variants that do not fit a true ask, and the requests and variants that have a false ask.
func (s *solver) askRules(asked int, l literal, isTrue bool) (conflict []literal) {
	if !isTrue {
		for _, asker := range s.askers[asked] {
			if conflict = s.imply(asker.not(), l); conflict != nil {
				return conflict
			}
		}
		return nil
	}
	a := s.Asks[asked]
	fits := a.Fits
	for v := range s.Packages[a.Node].Variants {
		if len(fits) > 0 && fits[0] == v {
			fits = fits[1:]
			continue
		}
		if conflict = s.imply(s.variant(a.Node, v).not(), l); conflict != nil {
			return conflict
		}
	}
	return nil
}

// edgeRules excludes the variants of a package that ask for the other package of a false edge.
func (s *solver) edgeRules(edge int, l literal) (conflict []literal) {
	node := s.edges.pairs[edge].from
	for _, v := range s.edges.variants[edge] {
		if conflict = s.imply(s.variant(node, v).not(), l); conflict != nil {
			return conflict
		}
	}
	return nil
}

// variantRules excludes the other variants of a chosen package, the other owners of its CRDs, and the asks that the
// chosen variant does not fit. The asks of the chosen variant become true.
func (s *solver) variantRules(chosen VariantID, l literal) (conflict []literal) {
	for v := range s.Packages[chosen.Node].Variants {
		if v != chosen.Variant {
			if conflict = s.imply(s.variant(chosen.Node, v).not(), l); conflict != nil {
				return conflict
			}
		}
	}
	own := &s.Packages[chosen.Node].Variants[chosen.Variant]
	if conflict = s.dependencyRules(chosen.Node, own.Asks, l); conflict != nil {
		return conflict
	}
	for _, asked := range s.asksOf[chosen.Node] {
		if _, fits := slices.BinarySearch(s.Asks[asked].Fits, chosen.Variant); !fits {
			if conflict = s.imply(s.ask(asked).not(), l); conflict != nil {
				return conflict
			}
		}
	}
	return s.ownerRules(chosen.Node, own.Owns, l)
}

// dependencyRules makes the asks of a chosen package and their edges true.
func (s *solver) dependencyRules(node int, asks []int, l literal) (conflict []literal) {
	for _, asked := range asks {
		if conflict = s.imply(s.ask(asked), l); conflict != nil {
			return conflict
		}
		if edge, ok := s.edges.numbers[pair{node, s.Asks[asked].Node}]; ok {
			if conflict = s.imply(s.edge(edge), l); conflict != nil {
				return conflict
			}
		}
	}
	return nil
}

// ownerRules excludes the other owners of the CRDs of a chosen package.
func (s *solver) ownerRules(node int, owns []int, l literal) (conflict []literal) {
	if s.Shared {
		return nil
	}
	for _, crd := range owns {
		for _, other := range s.Owners[crd] {
			if other.Node == node {
				continue
			}
			if conflict = s.imply(s.variant(other.Node, other.Variant).not(), l); conflict != nil {
				return conflict
			}
		}
	}
	return nil
}

// watched visits the clauses that watch a literal that has become false.
func (s *solver) watched(l literal) (conflict []literal) {
	watching := s.watches[l]
	kept := watching[:0]
	for i, number := range watching {
		s.steps++
		clause := s.clauses[number]
		if clause[0] == l {
			clause[0], clause[1] = clause[1], clause[0]
		}
		if s.value(clause[0]) != 1 && s.rewatch(clause, number) {
			continue
		}
		kept = append(kept, number)
		switch s.value(clause[0]) {
		case 0:
			s.assign(clause[0], number, s.highest(clause[1:]))
		case -1:
			s.watches[l] = append(kept, watching[i+1:]...)
			return clause
		}
	}
	s.watches[l] = kept
	return nil
}

// rewatch lets a clause watch another literal in place of its second one. It returns false if all others are false.
func (s *solver) rewatch(clause []literal, number int32) bool {
	for k := 2; k < len(clause); k++ {
		s.steps++
		if s.value(clause[k]) >= 0 {
			clause[1], clause[k] = clause[k], clause[1]
			s.watches[clause[1]] = append(s.watches[clause[1]], number)
			return true
		}
	}
	return false
}

// highest returns the highest level of literals.
func (s *solver) highest(literals []literal) int32 {
	level := int32(0)
	for _, l := range literals {
		level = max(level, s.levels[l.variable()])
	}
	return level
}
