package diagram

// legendEntry is an entry of the legend.
type legendEntry struct {
	mark mark
	text string
	draw func(s *svg, x, y int)
}

// legendEntries are what the legend can explain.
func legendEntries() []legendEntry {
	return []legendEntry{
		{paramMark, "a param of the sandbox", func(s *svg, x, y int) { s.param(x+12, y) }},
		{flowMark, "an output that a step reads", func(s *svg, x, y int) { s.sample("flow", "port", x, y) }},
		{acrossMark, "what create left, read by delete", func(s *svg, x, y int) { s.sample("across", "far", x, y) }},
		{freeMark, "an output for workloads alone", func(s *svg, x, y int) { s.free(x+5, y) }},
	}
}

// legend explains the marks that were used, in as many columns as the picture has room for.
func (s *svg) legend() {
	const ahead, behind = 34, 24
	var used []legendEntry
	column := 0
	for _, entry := range legendEntries() {
		if s.used[entry.mark] {
			used = append(used, entry)
			column = max(column, ahead+columnsOf(entry.text)*cell)
		}
	}
	s.wide(column)
	columns := max(1, (s.width+behind)/(column+behind))
	for i, entry := range used {
		x, y := s.x+i%columns*(column+behind), s.y+i/columns*rowHeight+rowHeight/2
		entry.draw(s, x, y)
		s.text(x+ahead, y+4, "note", entry.text)
	}
	s.y += (len(used) + columns - 1) / columns * rowHeight
}

// sample draws a short line from a port to an arrowhead.
func (s *svg) sample(class, port string, x, y int) {
	s.element(`<path class="%s" d="M%d %dh20"/>`, class, x+4, y)
	s.port(port, x+4, y)
	s.element(`<path class="%s" d="M%d %dl-9 -5v10z"/>`, port, x+26, y)
}
