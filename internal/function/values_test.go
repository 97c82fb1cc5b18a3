package function

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The values that shells propose for flags, and that schemas have for fields, are those that the functions accept: the error
// about another value names them all.
func TestFlagsHaveTheValuesThatAreAccepted(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "sandbox.yaml")
	require.NoError(t, os.WriteFile(file, []byte("name: shop\nspec: {cluster: demo}\n"), 0o600))
	checked := 0
	for _, f := range functions {
		for _, flag := range f.Flags() {
			if flag.Values == nil || flag.Name == "explain" {
				continue
			}
			checked++
			call := func(value string) (code int, messages string) {
				var out, errs bytes.Buffer
				code = f.Run(t.Context(), []string{"--" + flag.Name, value, file}, strings.NewReader(""), &out, &errs)
				return code, errs.String()
			}
			code, messages := call("nonsense")
			assert.Equal(t, 2, code, "%s --%s: %s", f.Name, flag.Name, messages)
			for _, value := range flag.Values {
				assert.Contains(t, messages, value, "%s --%s", f.Name, flag.Name)
				_, accepted := call(value)
				assert.NotContains(t, accepted, `not "`+value+`"`, "%s --%s", f.Name, flag.Name)
			}
		}
	}
	assert.GreaterOrEqual(t, checked, 12)
}
