package htmlreport

import (
	"crypto/sha256"
	"strings"
)

// This file keeps pages about many sandboxes small. Their objects differ in few values, such as names. If the objects of
// very many cards have the same text but for values, it is in the page once, as a shape, and each card has only its values;
// script.js fills in the shape when the card is opened. Pages with fewer cards show all objects without a script.

// alike is the number of cards of one shape from which on they share it.
const alike = 20

// shape is the content of cards, with holes for the values of each.
type shape struct {
	ID      int
	Objects []shapedObject
}

type shapedObject struct {
	Kind               string
	Label, About, YAML []piece
}

// piece is a text, and the number of the value that follows it; none if it is negative.
type piece struct {
	Text string
	Hole int
}

// share moves the objects of cards that are alike into shapes, which it returns in the order of the cards.
func share(cards []ownerCard) (shapes []shape) {
	var order [][sha256.Size]byte
	groups := map[[sha256.Size]byte][]*ownerCard{}
	for i := range cards {
		key := outline(&cards[i])
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], &cards[i])
	}
	for _, key := range order {
		if group := groups[key]; len(group) >= alike {
			shapes = append(shapes, shapeOf(group, len(shapes)+1))
		}
	}
	return shapes
}

// cut splits a line of YAML into a start that is alike in many objects and a value.
func cut(line string) (start, value string) {
	at := len(line) - len(strings.TrimLeft(line, " -"))
	if key := strings.Index(line, ": "); key >= 0 {
		at = key + len(": ")
	} else if strings.HasSuffix(line, ":") {
		at = len(line)
	}
	return line[:at], line[at:]
}

// outline is a digest of the objects of a card without their values.
func outline(card *ownerCard) (key [sha256.Size]byte) {
	hash := sha256.New()
	write := func(text string) {
		hash.Write([]byte(text)) // never fails
		hash.Write([]byte{'\n'})
	}
	for i := range card.Objects {
		write("\n" + card.Objects[i].Kind)
		for line := range strings.SplitSeq(card.Objects[i].YAML, "\n") {
			start, _ := cut(line)
			write(start)
		}
	}
	hash.Sum(key[:0])
	return key
}

// shapeOf returns the shape of cards with the same outline, and replaces their objects by values.
func shapeOf(group []*ownerCard, id int) shape {
	h := holes{group: group, numbers: map[string]int{}}
	s := shape{ID: id, Objects: make([]shapedObject, len(group[0].Objects))}
	for i := range s.Objects {
		lines := make([][]string, len(group))
		for n, card := range group {
			lines[n] = strings.Split(card.Objects[i].YAML, "\n")
		}
		one := &s.Objects[i]
		one.Kind = group[0].Objects[i].Kind
		one.Label = h.add(nil, "", func(n int) string { return group[n].Objects[i].Label() })
		one.About = h.add(nil, "", func(n int) string { return group[n].Objects[i].About })
		for at := range lines[0] {
			start, _ := cut(lines[0][at])
			if at > 0 {
				start = "\n" + start
			}
			one.YAML = h.add(one.YAML, start, func(n int) string { _, value := cut(lines[n][at]); return value })
		}
	}
	for _, card := range group {
		card.Shape, card.Objects = id, nil
	}
	return s
}

// holes numbers the values that differ between cards. Values that are the same in each card have one number.
type holes struct {
	group   []*ownerCard
	numbers map[string]int // by the values of all cards
}

// add appends a start and the values of the cards to a text: as a text if they all have the same, and else as a hole.
func (h *holes) add(text []piece, start string, valueOf func(card int) string) []piece {
	if last := len(text) - 1; last >= 0 && text[last].Hole < 0 {
		start, text = text[last].Text+start, text[:last]
	}
	values, same := make([]string, len(h.group)), true
	for n := range values {
		values[n] = valueOf(n)
		same = same && values[n] == values[0]
	}
	if same {
		return append(text, piece{start + values[0], -1})
	}
	column := strings.Join(values, "\n")
	hole, isKnown := h.numbers[column]
	if !isKnown {
		hole = len(h.numbers)
		h.numbers[column] = hole
		for n, card := range h.group {
			card.values = append(card.values, values[n])
		}
	}
	return append(text, piece{start, hole})
}
