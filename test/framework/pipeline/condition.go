package pipeline

import (
	"fmt"
	"strings"
)

// condition evaluates comparisons that are joined with "&&": operands are a literal in quotes, or the result of the
// function. An operand without a comparison is true if it has a value.
func condition(text string, operand func(name string) (string, error)) (bool, error) {
	value := func(text string) (string, error) {
		text = strings.TrimSpace(text)
		if len(text) > 1 && (text[0] == '\'' || text[0] == '"') && text[len(text)-1] == text[0] {
			return text[1 : len(text)-1], nil
		}
		return operand(text)
	}
	for part := range strings.SplitSeq(text, "&&") {
		comparison, want := "==", true
		if strings.Contains(part, "!=") {
			comparison, want = "!=", false
		}
		left, right, compares := strings.Cut(part, comparison)
		a, err := value(left)
		if err != nil {
			return false, fmt.Errorf("%q: %w", part, err)
		}
		if !compares {
			if a == "" {
				return false, nil
			}
			continue
		}
		b, err := value(right)
		if err != nil {
			return false, fmt.Errorf("%q: %w", part, err)
		}
		if (a == b) != want {
			return false, nil
		}
	}
	return true, nil
}
