package strictyaml

import (
	"encoding/json"
	"math/big"
	"strings"
)

// float writes a number that is not an integer of 64 bits, or is not written as one. It is an error if its digits are
// not those of the float, since readers that use float64, as kustomize does, would publish another number.
func (w *digestWriter) float(written string, value float64) {
	if value == 0 {
		value = 0 // ECMAScript writes -0 as 0
	}
	// encoding/json writes a float as ECMAScript's Number.prototype.toString does (RFC 8785, 3.2.2.3).
	text, err := json.Marshal(value)
	if err != nil { // infinity, or not a number
		w.fail("must be a number, not %.40q", written)
		return
	}
	exact, ok := new(big.Rat).SetString(strings.ReplaceAll(written, "_", ""))
	kept, _ := new(big.Rat).SetString(string(text))
	if !ok || exact.Cmp(kept) != 0 {
		w.fail("number %.40q must have no more digits than a 64-bit float holds: quote it", written)
	}
	w.raw(string(text))
}
