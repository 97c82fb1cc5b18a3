package strictyaml

import (
	"fmt"
	"slices"
	"strings"
)

// The limits of a suggestion: comparing a name with all others must not cost more than reading the document.
const (
	// MaxName is the longest name, in bytes, that is compared with others.
	MaxName = 32
	// MaxCandidates is the number of candidates that Suggest considers.
	MaxCandidates = 50
)

// Suggest is Nearest within limits: long names, long candidates, and those after the first MaxCandidates are ignored.
func Suggest(name string, candidates []string) (nearest string, sure bool) {
	if len(name) > MaxName {
		return "", false
	}
	short := slices.DeleteFunc(slices.Clone(candidates[:min(len(candidates), MaxCandidates)]),
		func(candidate string) bool { return len(candidate) > MaxName })
	return Nearest(name, short)
}

// Listed lists the first of some names for a message.
func Listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	quoted := make([]string, 0, maxListed+1)
	for _, name := range names[:min(len(names), maxListed)] {
		quoted = append(quoted, fmt.Sprintf("%q", name))
	}
	if len(names) > maxListed {
		quoted = append(quoted, fmt.Sprintf("%d more", len(names)-maxListed))
	}
	return strings.Join(quoted, ", ")
}

// Nearest returns the candidate that text is most likely a misspelling of, or "" if none is near: about one letter in
// three may differ. sure reports that they differ only in case. Of equally near candidates the first one is returned.
func Nearest(text string, candidates []string) (nearest string, sure bool) {
	limit := 1 + len(text)/3
	best := limit + 1
	for _, candidate := range candidates {
		if strings.EqualFold(candidate, text) {
			return candidate, true
		}
		if apart := len(candidate) - len(text); apart > limit || -apart > limit {
			continue
		}
		d := distance(strings.ToLower(text), strings.ToLower(candidate))
		if d < best && d < len(candidate) {
			best, nearest = d, candidate
		}
	}
	return nearest, false
}

// distance counts the bytes to insert, remove, change or swap with a neighbour to turn a into b.
func distance(a, b string) int {
	before, row, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row, next = row, next, before
	}
	return row[len(b)]
}
