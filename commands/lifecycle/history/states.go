package history

// states are the files before and after a commit.
type states struct {
	history *History
	commit  *commit
	byPath  map[string]change
}

func newStates(h *History, c *commit) *states {
	s := &states{history: h, commit: c, byPath: make(map[string]change, len(c.changes))}
	for _, one := range c.changes {
		s.byPath[one.path] = one
	}
	return s
}

func (s *states) changes(name string) bool {
	_, ok := s.byPath[name]
	return ok
}

func (s *states) before(file, id, name string) ([]*Document, bool, error) {
	found, err := s.history.content(s.byPath[file].before, file)
	documents, isUnsure := found.find(id, name)
	return documents, isUnsure, err
}

func (s *states) after(file, id, name string) ([]*Document, bool, error) {
	found, err := s.history.content(s.byPath[file].after, file)
	documents, isUnsure := found.find(id, name)
	return documents, isUnsure, err
}

// short returns the id of the commit as people read it.
func (c *commit) short() string { return c.id[:min(12, len(c.id))] }
