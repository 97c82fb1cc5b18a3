package sandbox

// globMatches reports whether the whole text matches the glob: `*` stands for any run of characters, the empty one and
// slashes and dots included, `?` for exactly one character, everything else for itself. Case counts. There are no
// classes and no escapes: the RouteGroup spec shows none. It takes at most len(glob) * len(text) steps.
func globMatches(glob, text string) bool {
	globRunes, runes := []rune(glob), []rune(text)
	star, resume := -1, 0
	g, i := 0, 0
	for i < len(runes) {
		switch {
		case g < len(globRunes) && globRunes[g] == '*':
			star, resume = g, i
			g++
		case g < len(globRunes) && (globRunes[g] == '?' || globRunes[g] == runes[i]):
			g++
			i++
		case star >= 0:
			resume++
			g, i = star+1, resume
		default:
			return false
		}
	}
	for g < len(globRunes) && globRunes[g] == '*' {
		g++
	}
	return g == len(globRunes)
}
