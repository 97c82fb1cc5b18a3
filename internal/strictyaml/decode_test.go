package strictyaml_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm/field"
)

type shop struct {
	Name    string            `json:"name" required:"true"`
	Open    bool              `json:"open"`
	Port    int               `json:"port"`
	Small   int32             `json:"small"`
	Door    int               `json:"door" quotable:"true"`
	Tags    []string          `json:"tags" aliases:"labels,marks"`
	Prices  map[string]string `json:"prices"`
	Owner   *person           `json:"owner"`
	Staff   []person          `json:"staff" aliases:"people"`
	Hidden  string
	Skipped string `json:"-"`
}

type person struct {
	Name string `json:"name" required:"true"`
	Age  int    `json:"age"`
}

func into(t *testing.T, text string) (shop, []string) {
	t.Helper()
	var document yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte(text), &document))
	var s shop
	problems := strictyaml.Into(&document, "spec", &s)
	lines := make([]string, len(problems))
	for i, p := range problems {
		lines[i] = fmt.Sprintf("%s %s %s: %s", p.Severity, p.Rule, p.Path, p.Message)
		if p.Proposed != nil {
			lines[i] += fmt.Sprintf(" -> %v", p.Proposed)
		}
	}
	return s, lines
}

func TestIntoTakesWhatFits(t *testing.T) {
	t.Parallel()
	adam := person{Name: "adam"}
	cases := map[string]struct {
		text string
		want shop
	}{
		"everything": {
			"{name: a, open: true, port: 8080, small: -1, tags: [x, z], prices: {b: '1'}, owner: {name: adam}, " +
				"staff: [{name: adam}]}",
			shop{Name: "a", Open: true, Port: 8080, Small: -1, Tags: []string{"x", "z"},
				Prices: map[string]string{"b": "1"}, Owner: &adam, Staff: []person{adam}},
		},
		"null means absent":   {"{name: a, open: null, port: ~, tags: , owner: null}", shop{Name: "a"}},
		"null among elements": {"{name: a, tags: [x, null]}", shop{Name: "a", Tags: []string{"x", ""}}},
		"empty list and map": {
			"{name: a, tags: [], prices: {}}",
			shop{Name: "a", Tags: []string{}, Prices: map[string]string{}},
		},
		"quoted numbers are text": {
			`{name: "1.0", prices: {a: '010', b: "true"}}`,
			shop{Name: "1.0", Prices: map[string]string{"a": "010", "b": "true"}},
		},
		"a tag makes it text": {`{name: !!str 1}`, shop{Name: "1"}},
		"block scalars":       {"name: |\n  yes\nport: 1\n", shop{Name: "yes\n", Port: 1}},
		"JSON":                {`{"name":"a","tags":["x"]}`, shop{Name: "a", Tags: []string{"x"}}},
		"aliases":             {"name: &n a\ntags: [*n, *n]\n", shop{Name: "a", Tags: []string{"a", "a"}}},
		"an alias to null":    {"name: a\nopen: &n null\ntags: *n\n", shop{Name: "a"}},
		"a merge": {
			"name: a\nowner: &o {name: adam}\nstaff: [{<<: *o, age: 3}]\n",
			shop{Name: "a", Owner: &adam, Staff: []person{{"adam", 3}}},
		},
		"own keys win over merged": {
			"name: a\nstaff: [{<<: {name: eve, age: 2}, name: adam}]\n",
			shop{Name: "a", Staff: []person{{"adam", 2}}},
		},
		"earlier merges win": {
			"name: a\nstaff: [{<<: [{name: adam}, {name: eve, age: 2}]}]\n",
			shop{Name: "a", Staff: []person{{"adam", 2}}},
		},
		"merges of merges": {
			"name: a\nstaff: [{<<: {<<: {name: adam}, age: 1}}]\n",
			shop{Name: "a", Staff: []person{{"adam", 1}}},
		},
		"merges into maps": {
			"name: a\nprices: {<<: {a: x, b: w}, a: z}\n",
			shop{Name: "a", Prices: map[string]string{"a": "z", "b": "w"}},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, problems := into(t, c.text)
			assert.Empty(t, problems)
			assert.Equal(t, c.want, got)
		})
	}
}

func TestIntoTellsWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	const prices = `"name", "open", "port", "small", "door", "tags", "prices", "owner", "staff"`
	cases := map[string]struct {
		text string
		want []string
	}{
		"a scalar document": {
			"a",
			[]string{`error type spec: must be a mapping with ` + prices + `, not the string "a"`},
		},
		"a list":           {"[]", []string{"error type spec: must be a mapping with " + prices + ", not a list"}},
		"a missing field":  {"{}", []string{"error required spec.name: must be set"}},
		"null is missing":  {"{name: null}", []string{"error required spec.name: must be set"}},
		"an alias to null": {"open: &n null\nname: *n\n", []string{"error required spec.name: must be set"}},
		"a text that is tagged as null": {
			"{name: a, open: !!null true}",
			[]string{`error ambiguous-yaml spec.open: "true" is null to some YAML readers: remove the tag !!null`},
		},
		"a number as string": {
			"{name: 1.0}",
			[]string{"error type spec.name: must be a string, not the number 1.0: quote it"},
		},
		"underscores": {
			"{name: 1_000}",
			[]string{"error type spec.name: must be a string, not the number 1_000: quote it"},
		},
		"a boolean": {
			"{name: true}",
			[]string{"error type spec.name: must be a string, not the boolean true: quote it"},
		},
		"an old boolean": {
			"{name: yes}",
			[]string{`error ambiguous-yaml spec.name: "yes" is a boolean to some YAML readers: quote it`},
		},
		"a letter": {
			"{name: n}",
			[]string{`error ambiguous-yaml spec.name: "n" is a boolean to some YAML readers: quote it`},
		},
		"a date": {
			"{name: 2020-01-01}",
			[]string{`warning ambiguous-yaml spec.name: "2020-01-01" is a date to some YAML readers: quote it`},
		},
		"a time": {
			"{name: 12:30}",
			[]string{`warning ambiguous-yaml spec.name: "12:30" is a number to some YAML readers: quote it`},
		},
		"a mapping": {"{name: {}}", []string{"error type spec.name: must be a string, not a mapping"}},
		"a foreign tag": {
			"{name: !secret x}",
			[]string{`error type spec.name: must be a string, not "x" with the tag "!secret": quote it`},
		},
		"a string as number": {
			`{name: a, port: "80"}`,
			[]string{`error type spec.port: must be a whole number, not the string "80"`},
		},
		"digits as a number that may be quoted": {
			`{name: a, door: "80"}`,
			[]string{`warning quoted-number spec.door: the string "80" is taken for a number -> 80`},
		},
		"a word as a number that may be quoted": {
			`{name: a, door: http}`, []string{`error type spec.door: must be a whole number, not the string "http"`},
		},
		"a sign in a quoted number": {
			`{name: a, door: "-1"}`, []string{`error type spec.door: must be a whole number, not the string "-1"`},
		},
		"a leading zero in a quoted number": {
			`{name: a, door: "080"}`, []string{`error type spec.door: must be a whole number, not the string "080"`},
		},
		"a quoted number of too many bits": {
			`{name: a, door: "4294967296"}`,
			[]string{`error type spec.door: must be a whole number, not the string "4294967296"`},
		},
		"an empty quoted number": {
			`{name: a, door: ""}`, []string{`error type spec.door: must be a whole number, not the string ""`},
		},
		"a fraction": {
			"{name: a, port: 1.5}",
			[]string{"error type spec.port: must be a whole number, not the number 1.5"},
		},
		"an octal number": {
			"{name: a, port: 010}",
			[]string{
				"error ambiguous-yaml spec.port: 010 is octal to some YAML readers: write it without the " +
					"leading zero",
			},
		},
		"a hex number": {
			"{name: a, port: 0x10}",
			[]string{"error type spec.port: must be a whole number, not the number 0x10"},
		},
		"a large number": {
			"{name: a, small: 4294967296}",
			[]string{"error type spec.small: must be a number of at most 32 bits, not the number 4294967296"},
		},
		"a list as number": {
			"{name: a, port: []}",
			[]string{"error type spec.port: must be a whole number, not a list"},
		},
		"a word as boolean": {
			"{name: a, open: yes}",
			[]string{`error type spec.open: must be true or false, not the string "yes"`},
		},
		"a list as boolean": {
			"{name: a, open: [true]}",
			[]string{"error type spec.open: must be true or false, not a list"},
		},
		"a string as list": {
			"{name: a, tags: x}",
			[]string{`error type spec.tags: must be a list, not the string "x"`},
		},
		"an element": {
			"{name: a, tags: [x, 1]}",
			[]string{"error type spec.tags[1]: must be a string, not the number 1: quote it"},
		},
		"a list as map": {
			"{name: a, prices: [a]}",
			[]string{"error type spec.prices: must be a mapping, not a list"},
		},
		"a value of a map": {
			"{name: a, prices: {b/c: 1}}",
			[]string{`error type spec.prices["b/c"]: must be a string, not the number 1: quote it`},
		},
		"an old key": {
			"{name: a, prices: {on: x}}",
			[]string{`error ambiguous-yaml spec.prices.on: key "on" is a boolean to some YAML readers: quote it`},
		},
		"below a pointer": {"{name: a, owner: {}}", []string{"error required spec.owner.name: must be set"}},
		"below a list": {
			"{name: a, staff: [{name: b, age: x}]}",
			[]string{`error type spec.staff[0].age: must be a whole number, not the string "x"`},
		},
		"an unknown key": {
			"{name: a, zzzzzzz: 1}",
			[]string{`error unknown-key spec.zzzzzzz: unknown key "zzzzzzz": must be one of ` + prices},
		},
		"a typo": {
			"{name: a, prot: 1}",
			[]string{`error unknown-key spec.prot: unknown key "prot": did you mean "port"?`},
		},
		"the wrong case": {
			"{name: a, Port: 1}",
			[]string{`error unknown-key spec.Port: unknown key "Port": did you mean "port"? -> port`},
		},
		"a former key's value is read": {
			"{name: a, people: [{name: 1}, {age: 2}]}",
			[]string{
				`error unknown-key spec.people: unknown key "people": it is called "staff" today -> staff`,
				"error type spec.people[0].name: must be a string, not the number 1: quote it",
				"error required spec.people[1].name: must be set",
			},
		},
		"a former key of another form": {
			"{name: a, people: adam}",
			[]string{`error unknown-key spec.people: unknown key "people": it is called "staff" today`},
		},
		"a former key beside today's": {
			"{name: a, people: [1], staff: []}",
			[]string{`error unknown-key spec.people: unknown key "people": it is called "staff" today`},
		},
		"a required key in the wrong case": {
			"{Name: a}",
			[]string{`error unknown-key spec.Name: unknown key "Name": did you mean "name"? -> name`},
		},
		"an empty required string": {`{name: ""}`, []string{"error required spec.name: must not be empty"}},
		"an alias to one": {
			`{prices: {a: &e ""}, name: *e}`, []string{"error required spec.name: must not be empty"},
		},
		"a former name": {
			"{name: a, marks: []}",
			[]string{`error unknown-key spec.marks: unknown key "marks": it is called "tags" today -> tags`},
		},
		"a field without key": {"{name: a, Hidden: x}", []string{
			`error unknown-key spec.Hidden: unknown key "Hidden": must be one of ` + prices}},
		"a repeated key": {
			"name: a\nname: b\n",
			[]string{`error duplicate-key spec.name: must be given once: key "name" is repeated`},
		},
		"a repeated map key": {
			"name: a\nprices: {b: x, b: y}\n",
			[]string{`error duplicate-key spec.prices.b: must be given once: key "b" is repeated`},
		},
		"a key that is a list": {
			"name: a\n? [x]\n: y\n",
			[]string{"error type spec: must have strings as keys, not a list"},
		},
		"a key that is null": {
			"name: a\nprices: {null: y}\n",
			[]string{"error type spec.prices: must have strings as keys, not null"},
		},
		"a merge of a word": {
			"name: a\n<<: x\n",
			[]string{`error type spec["<<"]: must be a mapping to merge, or a list of them, not the string "x"`},
		},
		"a merge of itself": {
			"name: a\nowner: &o {name: b, <<: *o}\n",
			[]string{`error alias spec.owner: alias "o" must not contain itself`},
		},
		"several, in order": {
			"{open: 1, tags: x, prot: 1}",
			[]string{
				"error type spec.open: must be true or false, not the number 1",
				`error type spec.tags: must be a list, not the string "x"`,
				`error unknown-key spec.prot: unknown key "prot": did you mean "port"?`,
				"error required spec.name: must be set",
			},
		},
		"a long value is short": {
			"{name: a, port: " + strings.Repeat("ä", 100) + "}",
			[]string{
				`error type spec.port: must be a whole number, not the string "` + strings.Repeat("ä", 30) + `…"`,
			},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, problems := into(t, c.text)
			assert.Equal(t, c.want, problems)
		})
	}
}

func TestIntoTakesDigitsForANumberThatMayBeQuoted(t *testing.T) {
	t.Parallel()
	s, _ := into(t, `{name: a, door: "80", port: 1}`)
	assert.Equal(t, shop{Name: "a", Door: 80, Port: 1}, s)
}

// A value that does not fit leaves the field unchanged, so that defaults stay.
func TestIntoKeepsWhatIsNotGiven(t *testing.T) {
	t.Parallel()
	var document yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte("{open: maybe, tags: [b]}"), &document))
	s := shop{Open: true, Port: 80, Tags: []string{"a"}}
	problems := strictyaml.Into(&document, "", &s)
	assert.Equal(t, shop{Open: true, Port: 80, Tags: []string{"b"}}, s)
	require.Len(t, problems, 2)
	assert.Equal(t, field.Path("open"), problems[0].Path)
}

func TestIntoTakesNoTreeAsNothing(t *testing.T) {
	t.Parallel()
	var s shop
	assert.Empty(t, strictyaml.Into(nil, "", &s))
	assert.Empty(t, strictyaml.Into(&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}, "", &s))
}

func TestIntoRefusesATargetWithoutARule(t *testing.T) {
	t.Parallel()
	var target struct {
		Ratio float64 `json:"ratio"`
	}
	node := &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{
		{Kind: yaml.ScalarNode, Value: "ratio"}, {Kind: yaml.ScalarNode, Value: "1"},
	}}
	assert.PanicsWithValue(t, "strictyaml: cannot decode float64", func() { strictyaml.Into(node, "", &target) })
}

// A large mapping is decoded as a small one is.
func TestIntoFindsRepeatedKeysAmongMany(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString("name: a\nprices:\n")
	for i := range 100 {
		fmt.Fprintf(&text, "  k%d: v%d\n", i, i)
	}
	text.WriteString("  k1: again\n  k99: again\n")
	got, problems := into(t, text.String())
	assert.Len(t, got.Prices, 100)
	assert.Equal(t, "v99", got.Prices["k99"])
	assert.Equal(t, []string{
		`error duplicate-key spec.prices.k1: must be given once: key "k1" is repeated`,
		`error duplicate-key spec.prices.k99: must be given once: key "k99" is repeated`,
	}, problems)
}

// Each unknown key is compared with all known ones.
func TestIntoReportsSomeOfManyUnknownKeys(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 103 {
		fmt.Fprintf(&text, "unknown%d: 1\n", i)
	}
	_, problems := into(t, text.String())
	problems = slices.DeleteFunc(problems, func(problem string) bool { return !strings.Contains(problem, "unknown") })
	require.Len(t, problems, 101)
	assert.Contains(t, problems[100], "has 3 other unknown keys: only the first 100 are reported")
}

// A former key's value is decoded into today's field, and the problem tells which that is.
func TestFormerKeysAreRead(t *testing.T) {
	t.Parallel()
	var document yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte("{Name: a, marks: [x], labels: [y], owner: {Age: 3, name: eve}}"), &document))
	var s shop
	problems := strictyaml.Into(&document, "spec", &s)
	assert.Equal(t, shop{Name: "a", Tags: []string{"x"}, Owner: &person{Name: "eve", Age: 3}}, s)
	today := map[field.Path]string{}
	for _, p := range problems {
		today[p.Path] = p.ReplacedBy
	}
	assert.Equal(t, map[field.Path]string{
		"spec.Name": "name", "spec.marks": "tags", "spec.labels": "", "spec.owner.Age": "age",
	}, today)
}

// A field of any form accepts all JSON values, and reports the problems of keys.
func TestInto_anyForm(t *testing.T) {
	t.Parallel()
	var target struct {
		Config map[string]any `json:"config"`
	}
	var node yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte("config: {a: [1, {b: null, c: x}], d: true, d: false, e: {f: 1.5}}"), &node))
	problems := strictyaml.Into(&node, "", &target)
	assert.Equal(t, map[string]any{
		"a": []any{1, map[string]any{"b": nil, "c": "x"}}, "d": true, "e": map[string]any{"f": 1.5},
	}, target.Config)
	require.Len(t, problems, 1)
	assert.Equal(t, `config.d: must be given once: key "d" is repeated`, problems[0].String())
}
