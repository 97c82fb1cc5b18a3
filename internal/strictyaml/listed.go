package strictyaml

import (
	"fmt"
	"strings"
)

// maxListed is the highest number of names in a message.
const maxListed = 10

// ThereAre lists texts in a clause: all, or the first of many.
func ThereAre(texts []string) string {
	switch len(texts) {
	case 0:
		return "there is none"
	case 1:
		return "there is " + texts[0]
	default:
		return "there are " + FirstOf(texts)
	}
}

// FirstOf joins texts: all, or the first of many.
func FirstOf(texts []string) string {
	if len(texts) > maxListed {
		return fmt.Sprintf("%s and %d more", strings.Join(texts[:maxListed], ", "), len(texts)-maxListed)
	}
	return strings.Join(texts, ", ")
}

// FirstAnd joins texts as FirstOf does, and the last one with "and".
func FirstAnd(texts []string) string {
	if len(texts) < 2 || len(texts) > maxListed {
		return FirstOf(texts)
	}
	return strings.Join(texts[:len(texts)-1], ", ") + " and " + texts[len(texts)-1]
}
