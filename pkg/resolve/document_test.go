package resolve

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

func messages(plugins *Catalog) []string {
	var lines []string
	for _, problem := range plugins.Problems() {
		lines = append(lines, fmt.Sprintf("%s %s: %s", problem.ResourceRef.Name, problem.Field.Path, problem.Message))
	}
	return lines
}

// TestEqualPrecedence holds that a version is published once, whether or not its documents say the same, and that the
// versions beside it still
func TestEqualPrecedence(t *testing.T) {
	t.Parallel()
	for _, second := range []*krm.Item{
		item(t, "db@1.0.0"),
		parse(t, "db@1.0.0", "{runner: {image: other}}"),
	} {
		plugins := NewCatalog([]*krm.Item{item(t, "db@v1"), item(t, "db@0.9.0"), second})
		message := `version 1.0.0 of plugin "db" must be published once, not by "db@1.0.0" and "db@v1": ` +
			`remove one, or bump its version`
		assert.Equal(t, []string{"db@1.0.0 metadata.name: " + message, "db@v1 metadata.name: " + message}, messages(plugins))
		for _, reference := range []string{"db", "db@1", "db@^1"} {
			_, err := plugins.Resolve(reference)
			require.EqualError(t, err, `ResourcePlugin "db@1.0.0": metadata.name: `+message)
		}
		choice, err := plugins.Resolve("db@<1")
		require.NoError(t, err)
		assert.Equal(t, "db@0.9.0", choice.Pin())
	}
}

// The message about one of many does not name all of them.
func TestManyDocumentsOfOneVersion(t *testing.T) {
	t.Parallel()
	plugins := NewCatalog(items(t, "db@1.0.0+a db@1.0.0+b db@1.0.0+c db@1.0.0+d db@1.0.0+e db@1.0.0+f db@1.0.0+g"))
	problems := plugins.Problems()
	require.Len(t, problems, 7)
	assert.Equal(t, `version 1.0.0+a of plugin "db" must be published once, not by "db@1.0.0+a" and "db@1.0.0+b" and "db@1.0.0+c" `+
		`and "db@1.0.0+d" and "db@1.0.0+e" and 2 more: remove one, or bump its version`, problems[0].Message)
}

func TestBuildsOfOneVersionAreEqual(t *testing.T) {
	t.Parallel()
	plugins := NewCatalog(items(t, "db@1.0.0+b1 db@1.0.0+b2"))
	assert.Len(t, plugins.Problems(), 2)
}

func annotated(path string, index int) string {
	return fmt.Sprintf("  annotations:\n    internal.config.kubernetes.io/path: %q\n"+
		"    internal.config.kubernetes.io/index: '%d'\n", path, index)
}

// TestTheSameItemTwice covers the lists that kpt sends with overlapping selectors.
func TestTheSameItemTwice(t *testing.T) {
	t.Parallel()
	plugins := NewCatalog([]*krm.Item{
		item(t, "db@1", annotated("a.yaml", 1)), item(t, "db@2", annotated("a.yaml", 0)), item(t, "db@1", annotated("a.yaml", 1)),
	})
	assert.Empty(t, plugins.Problems())
	choice, err := plugins.Resolve("db@1")
	require.NoError(t, err)
	assert.Equal(t, "all=2 -> 1=1", choice.Trace.String())

	plugins = NewCatalog([]*krm.Item{item(t, "db@1", annotated("a.yaml", 0)), item(t, "db@1", annotated("b.yaml", 0))})
	require.Len(t, plugins.Problems(), 2)
	assert.Contains(t, plugins.Problems()[0].Message, `not by "db@1" (a.yaml) and "db@1" (b.yaml)`)
}

func TestNamesThatDifferOnlyInCase(t *testing.T) {
	t.Parallel()
	plugins := NewCatalog(items(t, "db@1 DB@2 Db-x@1"))
	assert.Equal(t, []string{`db@1 metadata.name: plugin "db" must not differ only in case from plugin "DB": rename one`},
		messages(plugins))
	for _, reference := range []string{"db", "DB"} {
		choice, err := plugins.Resolve(reference)
		require.NoError(t, err)
		assert.Equal(t, reference, choice.entry.name.Bare)
	}
}

// TestDocumentsNobodyNeeds holds that a broken document matters to those who refer to it alone.
func TestDocumentsNobodyNeeds(t *testing.T) {
	t.Parallel()
	documents := []*krm.Item{
		item(t, "db@1"),
		parse(t, "broken@1", "{runner: {image: 5}, creat: []}"),
		parse(t, "specless@1", "~"),
		parse(t, "endless@1", "{runner: {image: alpine}, create: &a [*a]}"),
		item(t, "unread@1"), item(t, "unread@one"),
		item(t, "un_named@1"),
	}
	plugins := NewCatalog(documents)
	assert.Empty(t, plugins.Problems())
	for reference, want := range map[string]string{
		"db":         "",
		"unread@1":   "",
		"broken":     `ResourcePlugin "broken@1": spec.runner.image: must be a string`,
		"specless@1": `ResourcePlugin "specless@1": spec: must be set; run validate-plugin for all findings`,
		"unread":     `ResourcePlugin "unread@one": metadata.name: version "one" must be a semver such as 1.0.0`,
		"unread@^1":  `ResourcePlugin "unread@one": metadata.name: version "one" must be a semver such as 1.0.0`,
		"unread@2":   `ResourcePlugin "unread@one": metadata.name: version "one" must be a semver such as 1.0.0`,
		"un_named@1": `plugin name "un_named" must hold letters, digits and dashes only`,
	} {
		_, err := plugins.Resolve(reference)
		if want == "" {
			require.NoError(t, err, reference)
			continue
		}
		assert.ErrorContains(t, err, want)
	}
}

// TestWhatHasNoDigestIsNotChosen uses a document that decodes and yet has no canonical form.
func TestWhatHasNoDigestIsNotChosen(t *testing.T) {
	t.Parallel()
	_, err := NewCatalog([]*krm.Item{
		parse(t, "db@1", "{runner: {image: alpine}, description: 2001-12-14 21:59:43}"),
	}).Resolve("db")
	var found *DocumentError
	require.ErrorAs(t, err, &found)
	assert.Equal(t, krm.Path("spec.description"), found.Path)
	assert.Equal(t, `"2001-12-14 21:59:43" must be a string: quote it`, found.Message)
}

func TestConfirm(t *testing.T) {
	t.Parallel()
	plugins := NewCatalog(items(t, "pp@1.0.0 qq"))
	other := "sha256:" + strings.Repeat("0", 64)
	for reference, words := range map[string]string{
		"pp": `resource plugin "pp" version "1.0.0" already exists; versions are immutable — ` +
			`bump the @<semver> suffix on name: to publish a new revision`,
		"qq": `resource plugin "qq" default version (0.0.0) already exists; versions are immutable — ` +
			`add an @<semver> suffix to publish a new revision (e.g. qq@0.0.1)`,
	} {
		choice, err := plugins.Resolve(reference)
		require.NoError(t, err)
		pin := choice.Pin()
		require.NoError(t, choice.Confirm(Resolution{Pin: pin, Digest: choice.Digest}))
		require.NoError(t, choice.Confirm(Resolution{Pin: reference + "@0.1.0", Digest: other}), "of another version")
		require.NoError(t, choice.Confirm(Resolution{}), "of nothing")
		err = choice.Confirm(Resolution{Pin: pin, Digest: other})
		var found *DocumentError
		require.ErrorAs(t, err, &found)
		assert.Same(t, choice.Item, found.Item)
		assert.Equal(t, krm.Path("metadata.name"), found.Path)
		assert.Equal(t, fmt.Sprintf("%s; it was resolved as %s and is %s now", words, other, choice.Digest), found.Message)
	}
}
