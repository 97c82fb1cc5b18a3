package overlay

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAccount(t *testing.T) {
	t.Parallel()
	const off = "automountServiceAccountToken: false"
	project := func(source string) string {
		return "{serviceAccountName: a, " + off + ", volumes: [{name: v, projected: {sources: [{" + source + "}]}}]}"
	}
	for spec, want := range map[string]struct {
		account  string
		hasToken bool
	}{
		"{}":                                      {"", false},
		"{automountServiceAccountToken: true}":    {"", false},
		"{serviceAccountName: a}":                 {"a", true},
		"{serviceAccount: a}":                     {"a", true},
		"{serviceAccountName: a, " + off + "}":    {"a", false},
		project("serviceAccountToken: {path: t}"): {"a", true},
		project("serviceAccountToken: {path: t, audience: https://kubernetes.default.svc}"): {"a", true},
		project("serviceAccountToken: {path: t, audience: vault}"):                          {"a", false},
		project("secret: {name: s}"):                                                        {"a", false},
	} {
		o, problems := Parse("spec: " + spec)
		assert.Empty(t, problems, spec)
		assert.Equal(t, want.account, o.Account(), spec)
		assert.Equal(t, want.hasToken, o.HasToken(), spec)
	}
}
