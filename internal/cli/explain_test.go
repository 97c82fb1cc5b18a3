package cli_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	const page = "https://github.com/resource-plugins/krm-functions/blob/main/docs/reference/rules.md"
	const sources = "  source:  https://example.org/spelling\n"
	const key = "key: error, Spelling, Other\n  A key is known.\n  Others vanish.\n  example: a: b\n" +
		sources + "  page:    " + page + "#key\n"
	const unused = "unused: info, Spelling, Other\n  Nothing.\n  No reason.\n  example: e: f\n" +
		sources + "  page:    " + page + "#unused\n"
	const list = "key     A key is known.\nunused  Nothing.\n"
	for _, c := range []struct {
		args []string
		want outcome
	}{
		{[]string{"--explain"}, outcome{0, list, ""}},
		{[]string{"--explain", "list"}, outcome{0, list, ""}},
		{[]string{"--explain", "key"}, outcome{0, key, ""}},
		{[]string{"--explain=key"}, outcome{0, key, ""}},
		{[]string{"unused", "--explain", "key"}, outcome{0, unused + "\n" + key, ""}},
		{
			[]string{"--explain", "image", "key", "foo"},
			outcome{2, "", `spell: --explain: there is no rule "image": did you mean "image-reference" or "image-container"? ` +
				"validate-plugin --explain lists all\n" +
				`spell: --explain: there is no rule "foo": validate-plugin --explain lists all` + "\n"},
		},
		{[]string{"--explain="}, outcome{2, "", `spell: --explain: there is no rule "": validate-plugin --explain lists all` + "\n"}},
		{
			[]string{"--explain", "key", "--fix"},
			outcome{2, "", "spell: --explain must be without --fix: it only describes rules\n"},
		},
	} {
		assert.Equal(t, c.want, run(speller(), "", c.args...), c.args)
	}
	assert.Equal(t, outcome{2, "", "try: unknown flag \"--explain\": see --help\n"}, run(function(nil), "", "--explain"),
		"a function without rules has no such flag")
}
