package digest

import (
	"math"
	"strconv"
	"strings"
)

// decimal is a number as its significant digits: 0.DIGITS times ten to the power of point. Zero has no digits.
type decimal struct {
	negative bool
	digits   string
	point    int
}

// float writes a number that is not an integer of 64 bits, or is not written as one. It is refused where its digits are
// not those of the float, since readers that go through float64, as kustomize does, would publish something else.
func (w *writer) float(written string, value float64) error {
	if math.IsInf(value, 0) || math.IsNaN(value) {
		return w.errorf("must be a number, not %.40q", written)
	}
	kept, _ := parseDecimal(strconv.FormatFloat(value, 'e', -1, 64))
	if exact, ok := parseDecimal(written); !ok || exact != kept {
		return w.errorf("number %.40q must have no more digits than a 64-bit float holds: quote it", written)
	}
	w.raw(kept.String())
	return nil
}

// parseDecimal reads a decimal number: sign, digits with underscores and a point, exponent.
func parseDecimal(text string) (decimal, bool) {
	mantissa, exponent, scientific := strings.Cut(strings.ToLower(strings.ReplaceAll(text, "_", "")), "e")
	shift := 0
	if scientific {
		var err error
		if shift, err = strconv.Atoi(exponent); err != nil {
			return decimal{}, false
		}
	}
	negative := strings.HasPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(strings.TrimLeft(mantissa, "+-"), ".")
	all := whole + fraction
	digits := strings.TrimLeft(all, "0")
	point := shift + len(whole) - (len(all) - len(digits))
	digits = strings.TrimRight(digits, "0")
	switch {
	case strings.Trim(all, "0123456789") != "" || all == "":
		return decimal{}, false
	case digits == "":
		return decimal{}, true
	}
	return decimal{negative: negative, digits: digits, point: point}, true
}

// String writes the number as ECMAScript's Number.prototype.toString does (RFC 8785, 3.2.2.3).
func (d decimal) String() string {
	sign, count := "", len(d.digits)
	if d.negative {
		sign = "-"
	}
	switch {
	case count == 0:
		return "0"
	case count <= d.point && d.point <= 21:
		return sign + d.digits + strings.Repeat("0", d.point-count)
	case 0 < d.point && d.point <= 21:
		return sign + d.digits[:d.point] + "." + d.digits[d.point:]
	case -6 < d.point && d.point <= 0:
		return sign + "0." + strings.Repeat("0", -d.point) + d.digits
	}
	mantissa := d.digits[:1]
	if count > 1 {
		mantissa += "." + d.digits[1:]
	}
	exponent := strconv.Itoa(d.point - 1)
	if d.point > 0 {
		exponent = "+" + exponent
	}
	return sign + mantissa + "e" + exponent
}
