package solver

// Stats holds the numbers of steps and learned clauses of a search.
type Stats struct{ Steps, Learned int }

// Search runs the search of Solve. It returns false if this takes more than MaxSteps.
func Search(p *Problem) (Answer, Stats, bool) {
	s := newSolver(p, MaxSteps)
	a, ok := s.solve()
	return a, Stats{s.steps, s.learned}, ok
}
