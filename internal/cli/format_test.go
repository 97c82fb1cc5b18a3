package cli_test

import (
	"bytes"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/function/validateplugin"
)

const misspelled = `
-- plugin.yaml --
name: p
spec:
  runner: {image: ubuntu}
  create:
  - name: tuh
    script: "@{embed: run.sh}"
  - form: 'tuh'
    script: |
      #!/bin/sh
      	日本 mistake
  - "@{embed[yaml]: step.yaml}"
---
apiVersion: v1
kind: Secret
metadata:
  name: right
-- run.sh --
#!/bin/sh
echo a mistake
-- step.yaml --
name: last
form: nowhere
-- sub folder/broken.yaml --
name: a
spec: [
`

// formats are the goldens of each output, from the same files.
func TestFormats(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		golden string
		args   []string
	}{
		{"spelling.txt", nil},
		{"spelling-context.txt", []string{"--context"}},
		{"spelling.json", []string{"--output=json"}},
		{"spelling.sarif", []string{"--output=sarif"}},
		{"spelling.xml", []string{"--output=junit"}},
	} {
		dir := folder(t, misspelled)
		args := append([]string{"--wish=x", dir}, c.args...)
		got := run(speller(), "", args...)
		assert.Equal(t, 1, got.code)
		assert.Empty(t, got.stderr, "findings are on stdout alone")
		for _, prefix := range []string{"file://" + dir + "/", dir + "/"} {
			got.stdout = strings.ReplaceAll(got.stdout, prefix, "")
		}
		golden(t, c.golden, got.stdout)
	}
}

// schema is the official one: see testdata/README.md.
func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := os.Open(filepath.Join("testdata", "sarif-schema-2.1.0.json"))
	require.NoError(t, err)
	defer func() { _ = text.Close() }()
	document, err := jsonschema.UnmarshalJSON(text)
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	require.NoError(t, compiler.AddResource("sarif.json", document))
	compiled, err := compiler.Compile("sarif.json")
	require.NoError(t, err)
	return compiled
}

func TestSARIFKeepsToItsSchema(t *testing.T) {
	t.Parallel()
	dir := folder(t, misspelled+"-- ümläut: 100%.yaml --\nname: tuh\nspec: {cluster: a}\n")
	valid := schema(t)
	for _, args := range [][]string{{dir}, {"--wish=x", dir}, {filepath.Join(dir, "sub folder")}, {"-"}} {
		got := run(speller(), "name: tuh\nspec: {cluster: a}\n", append(args, "--output=sarif")...)
		document, err := jsonschema.UnmarshalJSON(strings.NewReader(got.stdout))
		require.NoError(t, err)
		require.NoError(t, valid.Validate(document), got.stdout)
	}
	const lab = "name: db\nspec:\n  runner:\n    image: Lab # krm-functions: ignore image-reference the lab has it\n  create: []\n"
	got := run(validateplugin.New(), lab, "-", "--output=sarif")
	assert.Contains(t, got.stdout, `"justification": "the lab has it"`)
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(got.stdout))
	require.NoError(t, err)
	require.NoError(t, valid.Validate(document), got.stdout)
	none := run(speller(), "name: a\nspec: {cluster: a}\n", "-", "--output=sarif")
	assert.Equal(t, 0, none.code)
	assert.Contains(t, none.stdout, `"results": []`)
	document, err = jsonschema.UnmarshalJSON(strings.NewReader(strings.Replace(none.stdout, `"results": []`, `"results": [{}]`, 1)))
	require.NoError(t, err)
	require.Error(t, valid.Validate(document), "the schema refuses what is wrong")
}

// Code scanning shows a finding at its file in the repository, wherever in it the command runs.
func TestSARIFNamesFilesRelativeToTheRepository(t *testing.T) {
	dir := folder(t, "-- a/b c.yaml --\nname: tuh\nspec: {cluster: a}\n-- outside.yaml --\nname: tuh\nspec: {cluster: a}\n")
	const based = `,"uriBaseId":"%SRCROOT%"`
	artifact := func(path string) string {
		t.Helper()
		got := run(speller(), "name: tuh\nspec: {cluster: a}\n", path, "--output=sarif").stdout
		for _, space := range []string{" ", "\n"} {
			got = strings.ReplaceAll(got, space, "")
		}
		_, got, _ = strings.Cut(got, `"artifactLocation":{"uri":`)
		got, _, _ = strings.Cut(got, "}")
		return got
	}
	for _, c := range []struct{ name, git, from, path, want string }{
		{"no repository", "", ".", "a", `"a/b%20c.yaml"` + based},
		{"no repository, an absolute path", "", ".", filepath.Join(dir, "a"), `"a/b%20c.yaml"` + based},
		{"no repository, a folder below", "", "a", ".", `"b%20c.yaml"` + based},
		{"no repository, a way up and down", "", "a", "../a", `"b%20c.yaml"` + based},
		{"no repository, another folder", "", "a", "../outside.yaml", `"file://` + dir + `/outside.yaml"`},
		{"the top level", ".git", ".", "./a/b c.yaml", `"a/b%20c.yaml"` + based},
		{"a folder below", ".git", "a", ".", `"a/b%20c.yaml"` + based},
		{"a folder below, an absolute path", ".git", "a", filepath.Join(dir, "a"), `"a/b%20c.yaml"` + based},
		{"a folder below, a way up", ".git", "a", "../outside.yaml", `"outside.yaml"` + based},
		{"a repository below", "a/.git", "a", ".", `"b%20c.yaml"` + based},
		{"a file of another repository", "a/.git", "a", "../outside.yaml", `"file://` + dir + `/outside.yaml"`},
		{"the standard input", ".git", "a", "-", `"%3Cstdin%3E"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.git != "" { // a file, as in a linked work tree
				require.NoError(t, os.WriteFile(filepath.Join(dir, c.git), nil, 0o600))
				defer func() { require.NoError(t, os.Remove(filepath.Join(dir, c.git))) }()
			}
			t.Chdir(filepath.Join(dir, c.from))
			assert.Equal(t, c.want, artifact(c.path))
		})
	}
}

// Whatever a document holds: the report is XML with the right numbers.
func TestJUnitIsXML(t *testing.T) {
	t.Parallel()
	got := run(speller(), "name: \"<\\x00\\e]]>&\"\nspec: {form: '<'}\n---\nname: tuh\nspec: {cluster: a}\n", "-", "--output=junit")
	var report struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Suites   []struct {
			Cases []struct {
				Name    string  `xml:"name,attr"`
				Failure *string `xml:"failure"`
				Output  string  `xml:"system-out"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	require.NoError(t, xml.NewDecoder(bytes.NewReader([]byte(got.stdout))).Decode(&report), got.stdout)
	assert.Equal(t, 2, report.Tests)
	assert.Equal(t, 1, report.Failures)
	require.Len(t, report.Suites, 1)
	require.Len(t, report.Suites[0].Cases, 2)
	assert.NotNil(t, report.Suites[0].Cases[0].Failure)
	assert.Nil(t, report.Suites[0].Cases[1].Failure)
	assert.Contains(t, report.Suites[0].Cases[1].Output, `must not be "tuh"`, "warnings do not fail a test")
}

func TestSummaryTellsThatNothingWasFound(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "spell: read 1 documents: no findings\n",
		run(speller(), "name: a\nspec: {cluster: a}\n", "-", "--verbose").stderr)
	assert.Equal(t, "spell: read 1 documents: 1 error, 1 warning\n",
		run(speller(), "name: a\nspec: {cluster: tuh, form: b}\n", "-", "--verbose").stderr)
	assert.Equal(t, "try: saw 1 documents\n", run(function(nil), "name: a\nspec: {cluster: a}\n", "-", "--verbose").stderr)
}
