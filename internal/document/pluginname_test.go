package document_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/document"
)

func TestParseName(t *testing.T) {
	t.Parallel()
	good := map[string]string{
		"db":                       "db@0.0.0",
		"my-plugin":                "my-plugin@0.0.0",
		"my-plugin@1.2.0":          "my-plugin@1.2.0",
		"my-plugin@v1.0.0":         "my-plugin@1.0.0",
		"my-plugin@1.0":            "my-plugin@1.0.0",
		"my-plugin@1":              "my-plugin@1.0.0",
		"my-plugin@0.0.0":          "my-plugin@0.0.0",
		"my-plugin@1.0.0-rc.1":     "my-plugin@1.0.0-rc.1",
		"my-plugin@1.0.0+build.7":  "my-plugin@1.0.0+build.7",
		"My--Plugin9@2.0.0":        "My--Plugin9@2.0.0",
		strings.Repeat("a", 253):   strings.Repeat("a", 253) + "@0.0.0",
		"my-plugin@1.2-1.4.5":      "my-plugin@1.2.0-1.4.5",
		"my-plugin@v1.2.3-alpha+b": "my-plugin@1.2.3-alpha+b",
	}
	for text, want := range good {
		name, err := document.ParsePluginName(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, name.String())
	}
	bad := map[string]string{
		"":                                     "name must not be empty",
		"@1.0.0":                               "name must not be empty",
		"a":                                    "at least two characters",
		"1db":                                  "must start with a letter",
		"-db":                                  "must start with a letter",
		"db-":                                  "must end in a letter or a digit",
		"my_plugin":                            "letters, digits and dashes only",
		"my plugin":                            "letters, digits and dashes only",
		"mÿplugin":                             "letters, digits and dashes only",
		strings.Repeat("a", 254):               "at most 253 bytes, not 254",
		"db@":                                  "drop the @ or give a semver",
		"db@latest":                            "must not be published",
		"db@Latest":                            `version "Latest" must be a semver`,
		"db@one":                               `version "one" must be a semver`,
		"db@1.2.3.4":                           "must be a semver",
		"db@1.0.0@2.0.0":                       `version "1.0.0@2.0.0" must be a semver`,
		"db@^1.0":                              "must be a semver",
		"db@1.0.0 ":                            "must be a semver",
		"db@-1":                                "must be a semver",
		"db@1.0.0-" + strings.Repeat("a", 300): "at most 253 bytes",
		"db@99999999999999999999.0.0":          "must be a semver",
	}
	for text, want := range bad {
		_, err := document.ParsePluginName(text)
		require.ErrorContains(t, err, want, text)
	}
}

// The hand-written check agrees with the spec's pattern.
func TestCheckBareIsThePattern(t *testing.T) {
	t.Parallel()
	pattern := regexp.MustCompile(`^[a-zA-Z][-a-zA-Z0-9]*[a-zA-Z0-9]$`)
	letters := []string{"", "a", "Z", "0", "-", "_", ".", "é"}
	for _, a := range letters {
		for _, b := range letters {
			for _, c := range letters {
				text := a + b + c
				assert.Equal(t, pattern.MatchString(text), document.CheckBareName(text) == nil, "%q", text)
			}
		}
	}
}

func FuzzParseName(f *testing.F) {
	for _, seed := range []string{"db", "db@1", "db@v1.0.0-rc.1+b", "@", "db@latest", "a@1.2.3.4"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		name, err := document.ParsePluginName(text)
		if err != nil {
			assert.NotContains(t, err.Error(), "\n")
			return
		}
		again, err := document.ParsePluginName(name.String())
		require.NoError(t, err, "the canonical form of %q", text)
		assert.Equal(t, name.String(), again.String())
	})
}
