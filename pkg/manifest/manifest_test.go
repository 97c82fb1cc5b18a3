package manifest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	. "github.com/resource-plugins/krm-functions/pkg/manifest"
)

func TestNewMapSortsAndKeepsTheLast(t *testing.T) {
	t.Parallel()
	m := NewMap(Field{"b", Int(1)}, Field{"a", nil}, Field{"c", Bool(true)}, Field{"b", Int(2)}, Field{"", String("x")})
	assert.Equal(t, Map{{"", String("x")}, {"b", Int(2)}, {"c", Bool(true)}}, m)
	assert.Empty(t, NewMap())
}

func TestWithLeavesTheOriginalAlone(t *testing.T) {
	t.Parallel()
	m := NewMap(Field{"a", Int(1)}, Field{"c", Int(3)})
	assert.Equal(t, Map{{"a", Int(1)}, {"b", Int(2)}, {"c", Int(3)}}, m.With("b", Int(2)))
	assert.Equal(t, Map{{"a", Int(9)}, {"c", Int(3)}}, m.With("a", Int(9)))
	assert.Equal(t, Map{{"c", Int(3)}}, m.With("a", nil))
	assert.Equal(t, m, m.With("z", nil))
	assert.Equal(t, Map{{"a", Int(1)}, {"c", Int(3)}}, m)
}

func TestReadingATree(t *testing.T) {
	t.Parallel()
	m := NewMap(Field{"m", NewMap(Field{"k", String("v")})}, Field{"l", Strings("a", "b")}, Field{"n", Int(1)})
	assert.Equal(t, "v", m.Map("m").Text("k"))
	assert.Len(t, m.List("l"), 2)
	assert.Nil(t, m.Get("none"))
	assert.Empty(t, m.Text("n"), "a number is no text")
	assert.Empty(t, m.Map("l"))
	assert.Empty(t, m.List("m"))
}
