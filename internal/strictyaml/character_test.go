package strictyaml_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/strictyaml"
)

// The parser refuses some characters without a place: each of them is reported with its own, and no other.
func TestParse_namesRefusedCharacters(t *testing.T) {
	t.Parallel()
	for r := rune(1); r <= 0x10ffff; r++ {
		if r == '\'' || r >= 0x3000 && r < 0xd7f0 || r >= 0xd800 && r < 0xe000 || r > 0x10010 && r < 0x10fff0 {
			continue
		}
		text := "a: b\r\nc: 'größe " + string(r) + "'\n"
		var node yaml.Node
		_, problem := strictyaml.Parse([]byte(text))
		if err := yaml.Unmarshal([]byte(text), &node); err == nil {
			assert.Nil(t, problem, "%U", r)
			continue
		}
		require.NotNil(t, problem, "%U", r)
		assert.Equal(t, [2]int{2, 11}, [2]int{problem.Line, problem.Column}, "%U", r)
		assert.Contains(t, problem.Message, fmt.Sprintf("must not hold the control character %U", r))
	}
}

func TestSeparators(t *testing.T) {
	t.Parallel()
	const first = ", which kustomize, kpt and kubectl take for a line break: remove it"
	const escape = first + ", or write it with an escape, in double quotes"
	for text, want := range map[string][]string{
		"a: b\n":                  nil,
		`a: "\u0085\u2028\L"`:     nil,
		"a: ä\u0085b":             {"line 1:5: must not hold U+0085 (next line)" + first},
		"# ä\n- |\r\n  \u2028b\r": {"line 3:3: must not hold U+2028 (line separator)" + escape},
		"\u2029a\u2028": {
			"line 1:1: must not hold U+2029 (paragraph separator)" + escape,
			"line 2:2: must not hold U+2028 (line separator)" + escape,
		},
	} {
		var got []string
		for _, problem := range strictyaml.Separators([]byte(text)) {
			got = append(got, fmt.Sprintf("line %d:%d: %s", problem.Line, problem.Column, problem.Message))
		}
		assert.Equal(t, want, got, "%q", text)
	}
	assert.Len(t, strictyaml.Separators([]byte(strings.Repeat("\u0085", 1000))), 100)
}
