package cli

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// columns is a half-open range of columns of a line.
type columns struct{ from, to int }

// unfilled holds the places of values whose templates could not be filled in, by file and line: other findings about such
// a value are meaningless. Of a block scalar, these are the lines with directives.
type unfilled map[krm.Place][]columns

func newUnfilled(read *load.Package) unfilled {
	u := unfilled{}
	for _, d := range read.Documents {
		file := d.Item.PlaceOf("").File
		for _, node := range d.Failed {
			value := columns{node.Column, node.Column + len(`""`) + utf8.RuneCountInString(node.Value)}
			if node.Style&yaml.LiteralStyle == 0 {
				u.add(file, node.Line, value)
				continue
			}
			u.add(file, node.Line, columns{node.Column, node.Column + 1})
			for i, line := range strings.Split(node.Value, "\n") {
				if load.HasDirective(line) {
					u.add(file, node.Line+1+i, columns{0, math.MaxInt})
				}
			}
		}
	}
	return u
}

func (u unfilled) add(file string, line int, c columns) {
	at := krm.Place{File: file, Line: line}
	u[at] = append(u[at], c)
}

// isAbout reports whether a result is about such a value, unless it is the finding that the template could not be filled
// in.
func (u unfilled) isAbout(result krm.Result) bool {
	return u.has(result.Place) && result.Tags[krm.RuleTag] != load.RuleTemplate
}

// has reports whether a place is in such a value. The values of a line are in order.
func (u unfilled) has(place krm.Place) bool {
	line := u[krm.Place{File: place.File, Line: place.Line}]
	after, _ := slices.BinarySearchFunc(line, place.Column+1, func(c columns, column int) int { return c.from - column })
	return after > 0 && place.Column < line[after-1].to
}

// unset returns the variables without a value, sorted.
func unset(read *load.Package) []string {
	var names []string
	for _, d := range read.Documents {
		names = append(names, d.Unset...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
