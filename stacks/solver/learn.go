package solver

import "slices"

// resolve learns from a clause whose literals are all false, goes back before the last decision that the clause depends
// on, and assigns the literal that the learned clause implies. Such a decision always exists: without any decision, no
// request is kept, which violates no clause.
func (s *solver) resolve(conflict []literal) {
	level := s.highest(conflict)
	s.backtrack(level)
	learned := s.analyze(conflict, level)
	s.backtrack(level - 1)
	s.learned++
	if len(learned) == 1 {
		s.assign(learned[0], decided, 0)
		return
	}
	// The second watch must be the first of the others to become unassigned.
	last := 1
	for k := 2; k < len(learned); k++ {
		if s.levels[learned[k].variable()] > s.levels[learned[last].variable()] {
			last = k
		}
	}
	learned[1], learned[last] = learned[last], learned[1]
	s.assign(learned[0], s.add(learned), s.levels[learned[1].variable()])
}

// analyze returns the clause that is learned from a conflict at a level: its first literal is the only one of that level,
// and the last one that all reasons of the conflict go through.
func (s *solver) analyze(conflict []literal, level int32) []literal {
	learned := []literal{0}
	open, at := 0, len(s.trail)
	visit := func(literals []literal) {
		for _, l := range literals {
			s.steps++
			v := l.variable()
			switch {
			case s.seen[v] || s.levels[v] == 0:
				continue
			case s.levels[v] == level:
				open++
			default:
				learned = append(learned, l)
			}
			s.seen[v] = true
		}
	}
	visit(conflict)
	for {
		at--
		l := s.trail[at]
		v := l.variable()
		if !s.seen[v] || s.levels[v] != level {
			continue
		}
		s.seen[v] = false
		if open--; open == 0 {
			learned[0] = l.not()
			break
		}
		switch why := s.reasons[v]; {
		case isImplied(why):
			visit([]literal{implier(why).not()})
		default:
			visit(s.others(why, l))
		}
	}
	for _, l := range learned[1:] {
		s.seen[l.variable()] = false
	}
	return learned
}

// others returns the other literals of a clause.
func (s *solver) others(number int32, l literal) []literal {
	return slices.DeleteFunc(slices.Clone(s.clauses[number]), func(other literal) bool { return other == l })
}

// backtrack drops the decisions above a level, with the literals that are assigned at their levels. Literals that were
// assigned later at lower levels stay, and are propagated again.
func (s *solver) backtrack(level int32) {
	if level >= s.level() {
		return
	}
	before := s.decisions[level]
	s.decisions = s.decisions[:level]
	for _, node := range s.queue[before.queue:] {
		s.queued[node] = false
	}
	s.queue, s.queuedBy = s.queue[:before.queue], s.queuedBy[:before.queue]
	s.done, s.asked = before.done, before.asked
	kept := s.trail[:0]
	for i, l := range s.trail {
		v := l.variable()
		if s.levels[v] > level {
			s.values[v] = 0
			if len(kept) == i {
				s.next = min(s.next, i)
			}
			continue
		}
		kept = append(kept, l)
	}
	s.trail = kept
}
