package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFile(t *testing.T) {
	t.Parallel()
	check, err := newChecker("mend(s|ed)? => fix\nalso if => even if\nof its own => its own\n")
	require.NoError(t, err)
	const wrong = "rec" + "ieves" // in one word, golangci-lint would find it, too
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"page.md", "fix it, amendments too\n", nil},
		{"page.md", "one\nhe Mends it\n", []string{`page.md:2: "Mends": write fix`}},
		{"page.md", "runs also\n  if it fails\n", []string{`page.md:1: "also if": write even if`}},
		{"page.md", "it " + wrong + "\n", []string{`page.md:1: "` + wrong + `" is misspelt: write "receives"`}},
		{"page.md", "`mend` and [fixed](mend.md)\n\n```sh\nmend " + wrong + "\n```\nhttps://example.org/mend\n", nil},
		{"page.md", "```sh\nmend\n```\nmend\n", []string{`page.md:4: "mend": write fix`}},
		{"code.go", "package a\n\n// A is mended.\nvar A = \"mend\" // also if\n",
			[]string{`code.go:3: "mended": write fix`, `code.go:4: "also if": write even if`}},
		{"code.go", "package a\n\n// B splits what\n// it " + wrong + ": é\n//\n//\tmend code\nvar B int\n",
			[]string{`code.go:4: "` + wrong + `" is misspelt: write "receives"`}},
		{"code.go", "package a\n\nvar C = `éé\n`\n\n// mend\n", []string{`code.go:6: "mend": write fix`}},
		{"page.md", "a name of its own\n", []string{`page.md:1: "of its own": write its own`}},
		{"code.go", "package a\n\n// D has a name of\n// its own.\nvar D int\n", []string{`code.go:3: "of its own": write its own`}},
		{"code.go", "//go:build mend\n\npackage a\n\nvar mend int\n", nil},
	} {
		got, err := check.file(test.name, test.text)
		require.NoError(t, err)
		assert.Equal(t, test.want, got, test.text)
	}
	_, err = check.file("code.go", "package")
	assert.Error(t, err)
}

func TestNewChecker_refusesLines(t *testing.T) {
	t.Parallel()
	for list, message := range map[string]string{"# comment\nmend": "words.txt:2", "a( => b": "words.txt:1"} {
		_, err := newChecker(list)
		assert.ErrorContains(t, err, message)
	}
}

func TestExcess(t *testing.T) {
	t.Parallel()
	check, err := newChecker("what is => the noun [at most 1]\n")
	require.NoError(t, err)
	for _, name := range []string{"a.go", "b.go"} {
		assert.Empty(t, check.excess())
		got, err := check.file(name, "package a // what is rendered\n")
		require.NoError(t, err)
		assert.Empty(t, got)
	}
	assert.Equal(t, []string{`a.go:1: "what is": write the noun`, `b.go:1: "what is": write the noun`,
		"at most 1 of these must remain, not 2"}, check.excess())
}

func TestRun(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	good, bad := filepath.Join(folder, "good.md"), filepath.Join(folder, "bad.md")
	require.NoError(t, os.WriteFile(good, []byte("It reports whether.\n"), 0o600))
	require.NoError(t, os.WriteFile(bad, []byte("It tells whether.\n"), 0o600))
	for _, test := range []struct {
		files  []string
		code   int
		output string
	}{
		{[]string{good}, 0, ""},
		{[]string{good, bad}, 1, bad + ":1: \"tells whether\": write reports whether\n"},
		{[]string{filepath.Join(folder, "none.md")}, 2, ""},
	} {
		var stdout, stderr bytes.Buffer
		assert.Equal(t, test.code, run(test.files, &stdout, &stderr))
		assert.Equal(t, test.output, stdout.String())
		assert.Equal(t, test.code == 2, stderr.Len() > 0)
	}
}
