package krm

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	jsonHead = `{"apiVersion":"config.kubernetes.io/v1","kind":"ResourceList",`
	jsonA    = `{"apiVersion":"v1","kind":"A","metadata":{"name":"a"}}`
	jsonB    = `{"kind":"B", "apiVersion":"v1", "metadata":{"name":"b\u0062\/\ud83d\ude00","annotations":{"x":"1"}},"n":[1e3,1.0,{"m":null}]}`
	pretty   = `{
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

func TestJSONSplices(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, src string
		do        func(*ResourceList) error
		want      string
	}{
		{"nothing", jsonHead + `"items":[` + jsonA + " , " + jsonB + "]}\n", report(), jsonHead + `"items":[` + jsonA + " , " + jsonB + "]}\n"},
		{"byte order mark", "\ufeff " + jsonHead + `"items":null}`, report(), "\ufeff " + jsonHead + `"items":null}`},
		{"annotate", jsonHead + `"items":[` + jsonA + " , " + jsonB + "]}", annotate(0, "k", "v\n", "l", "1"),
			jsonHead + `"items":[{"apiVersion":"v1","kind":"A","metadata":{"name":"a","annotations":{"k": "v\n","l": "1"}}} , ` + jsonB + "]}"},
		{"annotate again", jsonHead + `"items":[` + jsonB + "]}", annotate(0, "x", "2", "y", "3"),
			jsonHead + `"items":[` + strings.Replace(jsonB, `{"x":"1"}`, `{"x":"2","y":"3"}`, 1) + "]}"},
		{"unannotate", jsonHead + `"items":[` + jsonB + "]}", unannotate(0, "x", "y"),
			jsonHead + `"items":[` + strings.Replace(jsonB, `,"annotations":{"x":"1"}`, ``, 1) + "]}"},
		{"set", jsonHead + `"items":[` + jsonA + "," + jsonB + "]}", set(1, "n[2].m", `"q"`),
			jsonHead + `"items":[` + jsonA + "," + strings.Replace(jsonB, `null`, `"\"q\""`, 1) + "]}"},
		{"remove", jsonHead + `"items":[ ` + jsonA + " , " + jsonB + " ]}", remove(0), jsonHead + `"items":[ ` + jsonB + " ]}"},
		{"remove the last", jsonHead + `"items":[ ` + jsonA + " , " + jsonB + " ]}", remove(1), jsonHead + `"items":[ ` + jsonA + " ]}"},
		{"remove all", jsonHead + `"items":[ ` + jsonA + " ]}", remove(0), jsonHead + `"items":[]}`},
		{"append", jsonHead + `"items":[` + jsonA + "]}", appendText("apiVersion: v1\nkind: NList\nx: [1, 0x10, 1.50, true, ~, 2020-01-01, .5]\n"),
			jsonHead + `"items":[` + jsonA + `,{"apiVersion":"v1","kind":"NList","x":[1,16,1.50,true,null,"2020-01-01",0.5]}]}`},
		{"append to null", jsonHead + `"items":null}`, appendText("apiVersion: v1\nkind: NList\n"), jsonHead + `"items":[{"apiVersion":"v1","kind":"NList"}]}`},
		{"append to nothing", jsonHead + `"a":1}`, appendText("apiVersion: v1\nkind: NList\n"),
			jsonHead + `"a":1,"items":[{"apiVersion":"v1","kind":"NList"}]}`},
		{"append pretty", pretty, appendText("apiVersion: v1\nkind: NList\n"), strings.Replace(pretty, "    }\n  ]",
			"    },\n    {\n      \"apiVersion\": \"v1\",\n      \"kind\": \"NList\"\n    }\n  ]", 1)},
		{"annotate pretty", pretty, annotate(0, "k", "v"), strings.Replace(pretty, `"name": "a"`, "\"name\": \"a\",\n        \"annotations\": {\"k\": \"v\"}", 1)},
		{"results", jsonHead + `"items":[]}`, report(Result{Message: "<a>", Severity: Info}),
			jsonHead + `"items":[],"results":[{"message":"<a>","severity":"info"}]}`},
		{"results over old ones", jsonHead + `"results":[{"message":"old"}],"items":[]}`, report(Result{Message: "new"}),
			jsonHead + `"results":[{"message":"new"}],"items":[]}`},
		{"old results go", jsonHead + `"results":[{"message":"old"}],"items":[]}`, report(), jsonHead + `"results":[],"items":[]}`},
		{"pretty results", pretty, report(Result{Message: "a"}), strings.Replace(pretty, "  ]\n}",
			"  ],\n  \"results\": [\n    {\n      \"message\": \"a\"\n    }\n  ]\n}", 1)},
	} {
		list, err := Parse([]byte(test.src))
		require.NoError(t, err, test.name)
		require.NoError(t, test.do(list), test.name)
		got := written(t, list)
		assert.Equal(t, test.want, got, test.name)
		assert.True(t, json.Valid([]byte(strings.TrimPrefix(got, "\ufeff"))), test.name)
	}
}

func TestJSONItem(t *testing.T) {
	t.Parallel()
	list, err := Parse([]byte(jsonHead + `"items":[` + jsonB + "]}"))
	require.NoError(t, err)
	item := list.Items()[0]
	assert.Equal(t, ResourceRef{APIVersion: "v1", Kind: "B", Name: "bb/😀"}, item.Ref())
	numbers := Value(item.Node(), "n").Content
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

func TestJSONHasNoSuchNumber(t *testing.T) {
	t.Parallel()
	list, err := Parse([]byte(jsonHead + `"items":[]}`))
	require.NoError(t, err)
	require.NoError(t, appendText("apiVersion: v1\nkind: NList\nx: .inf\n")(list))
	_, err = list.WriteTo(&strings.Builder{})
	require.ErrorContains(t, err, `JSON has no number ".inf"`)
}

// FuzzJSON checks that every JSON list comes back as it is, and that its trees say what encoding/json reads.
func FuzzJSON(f *testing.F) {
	f.Add([]byte(jsonHead+`"items":[`+jsonA+","+jsonB+"]}"), "k", "v")
	f.Add([]byte(pretty), "a", "b")
	f.Add([]byte(jsonHead+`"items":[{"apiVersion":"v1","kind":"AList","a":["\\\"",{}," "],"metadata":null}]}`), "a", "b")
	f.Fuzz(func(t *testing.T, src []byte, key, value string) {
		list, err := Parse(src)
		if err != nil || list.json == nil {
			return
		}
		require.Equal(t, string(src), written(t, list))
		for _, item := range list.Items() {
			text, err := encodeJSON(nil, item.Node())
			require.NoError(t, err)
			require.JSONEq(t, string(item.raw()), string(text))
		}
		if len(list.Items()) == 0 {
			return
		}
		item := list.Items()[0]
		item.Annotate(key, value)
		want, wantErr := item.editedTree()
		got, err := item.jsonText()
		require.Equal(t, wantErr == nil, err == nil)
		if err == nil {
			tree, err := jsonTree(got)
			require.NoError(t, err)
			require.True(t, same(tree, want))
		}
	})
}
