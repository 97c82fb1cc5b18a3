package manifest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	. "github.com/resource-plugins/krm-functions/internal/manifest"
)

func TestNewMapSortsAndKeepsTheLast(t *testing.T) {
	t.Parallel()
	m := NewMap(KV("b", Int(1)), KV("a", nil), KV("c", Bool(true)), KV("b", Int(2)), KV("", String("x")))
	assert.Equal(t, Map{{"", String("x")}, {"b", Int(2)}, {"c", Bool(true)}}, m)
	assert.Empty(t, NewMap())
}

func TestWithLeavesTheOriginalAlone(t *testing.T) {
	t.Parallel()
	m := NewMap(KV("a", Int(1)), KV("c", Int(3)))
	assert.Equal(t, Map{{"a", Int(1)}, {"b", Int(2)}, {"c", Int(3)}}, m.With("b", Int(2)))
	assert.Equal(t, Map{{"a", Int(9)}, {"c", Int(3)}}, m.With("a", Int(9)))
	assert.Equal(t, Map{{"c", Int(3)}}, m.With("a", nil))
	assert.Equal(t, m, m.With("z", nil))
	assert.Equal(t, Map{{"a", Int(1)}, {"c", Int(3)}}, m)
}

func TestReadingATree(t *testing.T) {
	t.Parallel()
	m := NewMap(KV("m", NewMap(KV("k", String("v")))), KV("l", Strings("a", "b")), KV("n", Int(1)))
	assert.Equal(t, "v", m.Map("m").Text("k"))
	assert.Len(t, m.List("l"), 2)
	assert.Nil(t, m.Get("none"))
	assert.Empty(t, m.Text("n"), "a number is no text")
	assert.Empty(t, m.Map("l"))
	assert.Empty(t, m.List("m"))
}
