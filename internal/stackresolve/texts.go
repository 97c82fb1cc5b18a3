package stackresolve

import (
	"fmt"
	"strings"
)

// maxListed is how many names a message lists.
const maxListed = 10

// thereAre lists texts: all, or the first maxListed.
func thereAre(texts []string) string {
	switch len(texts) {
	case 0:
		return "there is none"
	case 1:
		return "there is " + texts[0]
	default:
		return "there are " + firstOf(texts)
	}
}

// firstOf joins texts: all, or the first maxListed.
func firstOf(texts []string) string {
	if len(texts) > maxListed {
		return fmt.Sprintf("%s and %d more", strings.Join(texts[:maxListed], ", "), len(texts)-maxListed)
	}
	return strings.Join(texts, ", ")
}

// listAnd joins texts with commas, and the last one with "and".
func listAnd(texts []string) string {
	if len(texts) < 2 || len(texts) > maxListed {
		return firstOf(texts)
	}
	return strings.Join(texts[:len(texts)-1], ", ") + " and " + texts[len(texts)-1]
}
