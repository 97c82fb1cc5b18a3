package krm

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	jsonHead = `{"apiVersion":"config.kubernetes.io/v1","kind":"ResourceList",`
	jsonA    = `{"apiVersion":"v1","kind":"A","metadata":{"name":"a"}}`
	jsonB    = `{"kind":"B", "apiVersion":"v1", "metadata":{"name":"b\u0062\/\ud83d\ude00","annotations":{"x":"1"}},` +
		`"n":[1e3,1.0,{"m":null}]}`
	pretty = `{
  "apiVersion": "config.kubernetes.io/v1",
  "kind": "ResourceList",
  "items": [
    {
      "apiVersion": "v1",
      "kind": "A",
      "metadata": {
        "name": "a"
      }
    }
  ]
}
`
)

func TestJSONItem(t *testing.T) {
	t.Parallel()
	list, err := Parse([]byte(jsonHead + `"items":[` + jsonB + "]}"))
	require.NoError(t, err)
	item := list.Items()[0]
	assert.Equal(t, refTo("B", "bb/😀"), item.Ref())
	numbers := Value(item.YNode(), "n").Content
	assert.Equal(t, "1e3", numbers[0].Value)
	assert.Equal(t, "!!float", numbers[0].Tag)
	assert.Equal(t, "1.0", numbers[1].Value)
	assert.Equal(t, Place{}, item.PlaceOf("n[0]"))
}

func TestJSONInTheWay(t *testing.T) {
	t.Parallel()
	for _, meta := range []string{`1`, `{"annotations":[]}`} {
		list, err := Parse([]byte(jsonHead + `"items":[{"apiVersion":"v1","kind":"AList","metadata":` + meta + "}]}"))
		require.NoError(t, err)
		list.Items()[0].Annotate("a", "b")
		_, err = list.WriteTo(&strings.Builder{})
		require.ErrorContains(t, err, "must be a mapping to be annotated")
	}
}

func TestJSONUntouched(t *testing.T) {
	t.Parallel()
	src := "\ufeff\r\n " + jsonHead + "\t\"items\":[ " + jsonA + " , " + jsonB + "],\"items2\":{\"a\":[]}}\n\n"
	list, err := Parse([]byte(src))
	require.NoError(t, err)
	require.Len(t, list.Items(), 2)
	require.Equal(t, src, written(t, list))
}

func TestJSONHasNoSuchNumber(t *testing.T) {
	t.Parallel()
	list, err := Parse([]byte(jsonHead + `"items":[]}`))
	require.NoError(t, err)
	item, err := NewItem([]byte("apiVersion: v1\nkind: NList\nx: .inf\n"))
	require.NoError(t, err)
	list.Append(item)
	_, err = list.WriteTo(&strings.Builder{})
	require.ErrorContains(t, err, `JSON has no number ".inf"`)
}

// FuzzJSON checks that every JSON list keeps its bytes, and that its trees agree with encoding/json.
func FuzzJSON(f *testing.F) {
	f.Add([]byte(jsonHead+`"items":[`+jsonA+","+jsonB+"]}"), "k", "v")
	f.Add([]byte(pretty), "a", "b")
	f.Add([]byte(jsonHead+`"items":[{"apiVersion":"v1","kind":"AList","a":["\\\"",{}," "],"metadata":null}]}`), "a", "b")
	f.Fuzz(func(t *testing.T, src []byte, key, value string) {
		list, err := Parse(src)
		if err != nil || !list.isJSON {
			return
		}
		require.Equal(t, string(src), written(t, list))
		if len(list.Items()) == 0 {
			return
		}
		item := list.Items()[0]
		item.Annotate(key, value)
		var out bytes.Buffer
		_, err = list.WriteTo(&out)
		require.Equal(t, item.err == nil, err == nil)
		if err == nil {
			require.True(t, json.Valid(out.Bytes()))
			compareItems(t, list, full(out.Bytes()))
		}
	})
}
