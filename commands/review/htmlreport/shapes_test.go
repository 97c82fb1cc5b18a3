package htmlreport

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// expand does what script.js does.
func expand(s shape, values []string) (objects []object) {
	text := func(pieces []piece) string {
		var b strings.Builder
		for _, one := range pieces {
			b.WriteString(one.Text)
			if one.Hole >= 0 {
				b.WriteString(values[one.Hole])
			}
		}
		return b.String()
	}
	for _, one := range s.Objects {
		objects = append(objects, object{Kind: one.Kind, Name: text(one.Label), About: text(one.About), YAML: text(one.YAML)})
	}
	return objects
}

// randomCards returns cards whose objects are alike, and some that are not.
func randomCards(random *rand.Rand) []ownerCard {
	starts := []string{"k: ", "  - n: ", "- ", "", "k:", "- - ", "a: b: "}
	values := []string{"", "", " ", "a", "b: c", "- d", `"<&>'"`, "|", "{x: y}", ":", "\u2028", "(hidden)"}
	values = values[:1+random.IntN(len(values))]
	value := func() string { return values[random.IntN(len(values))] }
	outlines := make([][]string, 1+random.IntN(3))
	for i := range outlines {
		for range 1 + random.IntN(6) {
			outlines[i] = append(outlines[i], starts[random.IntN(len(starts))])
		}
	}
	cards := make([]ownerCard, random.IntN(60))
	for i := range cards {
		for _, keys := range outlines[random.IntN(2)*random.IntN(len(outlines)):] {
			lines := make([]string, len(keys))
			for n, key := range keys {
				lines[n] = key + value()
			}
			cards[i].Objects = append(cards[i].Objects,
				object{Kind: "Job", Name: value(), About: value(), YAML: strings.Join(lines, "\n")})
		}
	}
	return cards
}

// The objects of generated cards are those of their shapes with their values.
func TestShare_keepsTexts(t *testing.T) {
	t.Parallel()
	random, shared := checkout.Random(t), 0
	for range 300 {
		cards := randomCards(random)
		before := slices.Clone(cards)
		shapes := share(cards)
		for i, card := range cards {
			if card.Shape == 0 {
				assert.Equal(t, before[i], card)
				continue
			}
			assert.Equal(t, before[i].Objects, expand(shapes[card.Shape-1], strings.Split(card.Values(), "\n")))
			shared++
		}
	}
	assert.Greater(t, shared, 1000)
}

// The objects of few cards are shown without a script, however alike they are.
func TestShare_keepsFewCards(t *testing.T) {
	t.Parallel()
	cards := make([]ownerCard, alike-1)
	assert.Empty(t, share(cards))
	assert.Len(t, share(append(cards, ownerCard{})), 1)
}
