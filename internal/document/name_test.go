package document_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/resource-plugins/krm-functions/internal/document"
)

// texts are good for some checks and bad for others.
var texts = []string{
	"a", "A", "z9", "9z", "a-b", "a--b", "-a", "a-", "a.b", "a..b", ".a", "..a", "...", ".", "..", "a_b", "_", "a b", "ä", "a\n",
	"/", "/a", "/a/", "/a/../b", "/..", "/a/.", "/a//b", "a/b", "/a:b", "/a\x00", "$(A)", "A=B", "null", "~",
	strings.Repeat("a", 30), strings.Repeat("a", 31), strings.Repeat("a", 63), strings.Repeat("a", 64),
	strings.Repeat("a", 253), strings.Repeat("a", 254),
}

// Exactly the names that Kubernetes refuses are refused.
func TestNamesAreThoseOfKubernetes(t *testing.T) {
	t.Parallel()
	for _, text := range texts {
		assert.Equal(t, validation.IsDNS1123Label(text) == nil, document.CheckLabel(text) == "", "label %q", text)
		assert.Equal(t, validation.IsDNS1123Subdomain(text) == nil, document.CheckSubdomain(text) == "", "subdomain %q", text)
		assert.Equal(t, validation.IsConfigMapKey(text) == nil, document.CheckKey(text) == "", "key %q", text)
		assert.Equal(t, validation.IsEnvVarName(text) == nil, document.CheckVariable(text) == "", "variable %q", text)
	}
}

func TestIdentifiersAndFiles(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"a", "A", "z9", "a-b", "a--b", strings.Repeat("a", 30)} {
		assert.Empty(t, document.CheckIdentifier(text), text)
	}
	for _, text := range []string{"9z", "-a", "a-", "a.b", "a_b", "ä", "a\n", strings.Repeat("a", 31)} {
		assert.Contains(t, document.CheckIdentifier(text), "must", text)
	}
	for _, text := range []string{"/a", "/a//b", "/a:b", "/.a/..b"} {
		assert.Empty(t, document.CheckFile(text), text)
	}
	for _, text := range []string{"a", "/", "/a/", "/a/..", "/../a", "/a/.", "/a\n"} {
		assert.Contains(t, document.CheckFile(text), "must", text)
	}
}

func TestHosts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"a", "9z", "a-b.c", "web.shop.svc", "web.shop.svc.cluster.local.", "DB.Example.com", "10.0.0.1", "::1", "::ffff:10.0.0.1",
		"2001:DB8::1", strings.Repeat("a", 63), strings.Repeat("a.", 127),
	} {
		assert.Empty(t, document.CheckHost(text), text)
	}
	for _, text := range []string{
		".", "..", ".a", "a..b", "a..", "-a", "a-", "a.-b", "a_b", "a b", "ä", "\u212aube", "a\n", "*.a", "me@a", "a/b", "a?b", "a#b", "a%20b",
		"a:80", "http://a", "a.b.svc/path", "[::1]", "[::1]:80", "::1%eth0", "::g", "1:2", strings.Repeat("a", 64), strings.Repeat("a.", 126) + "aa",
	} {
		assert.Contains(t, document.CheckHost(text), "must", text)
	}
}

func TestAnEmptyTextPasses(t *testing.T) {
	t.Parallel()
	for _, check := range []func(string) string{
		document.CheckIdentifier, document.CheckLabel, document.CheckSubdomain, document.CheckHost, document.CheckFile, document.CheckKey, document.CheckVariable,
	} {
		assert.Empty(t, check(""))
	}
}
