package krm

import (
	"cmp"
	"slices"
)

// patch replaces the bytes [from, to) of a text.
type patch struct {
	from, to int
	text     string
}

// applyPatches returns src with the patches, which must not overlap. Patches at one place come in the given order.
func applyPatches(src []byte, patches []patch) []byte {
	slices.SortStableFunc(patches, func(a, b patch) int { return cmp.Compare(a.from, b.from) })
	size := len(src)
	for _, p := range patches {
		size += len(p.text) - (p.to - p.from)
	}
	out := make([]byte, 0, size)
	at := 0
	for _, p := range patches {
		out = append(append(out, src[at:p.from]...), p.text...)
		at = p.to
	}
	return append(out, src[at:]...)
}

// overlap tells whether two of the sorted patches touch the same bytes.
func overlap(patches []patch) bool {
	for i := 1; i < len(patches); i++ {
		if patches[i].from < patches[i-1].to {
			return true
		}
	}
	return false
}
