package solver

// Stats are what a search took.
type Stats struct{ Steps, Learned int }

// Search is the search of Solve, which is false if it takes more than MaxSteps.
func Search(p *Problem) (Answer, Stats, bool) {
	s := newSolver(p, MaxSteps)
	a, ok := s.solve()
	return a, Stats{s.steps, s.learned}, ok
}
