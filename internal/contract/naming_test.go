package contract_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

func TestObjectNames(t *testing.T) {
	t.Parallel()
	hash := contract.Hash("x")
	repeat := strings.Repeat
	for _, c := range []struct {
		texts []string
		want  string
	}{
		{[]string{"pgdb", "provision"}, "pgdb-provision-" + hash},
		{[]string{"MyDB", "Seed_it"}, "mydb-seed-it-" + hash},
		{[]string{"--a--", "", "9lives"}, "a-lives-" + hash},
		{nil, hash},
		{[]string{"ünï", "数"}, "n-" + hash},
		{[]string{strings.Repeat("long", 20), "db"}, "longlonglonglonglonglonglongl-db-" + hash},
		{[]string{repeat("a", 60), repeat("b", 60)}, repeat("a", 15) + "-" + repeat("b", 16) + "-" + hash},
	} {
		assert.Equal(t, c.want, contract.ObjectName(hash, c.texts...))
	}
}

func TestNamesAreValidInKubernetes(t *testing.T) {
	t.Parallel()
	random := checkout.Random(t)
	for range 20_000 {
		texts := make([]string, random.IntN(4))
		for i := range texts {
			texts[i] = randomText(random, 80)
		}
		name := contract.ObjectName(contract.Hash(texts...), texts...)
		require.Empty(t, validation.IsDNS1123Label(name), "%q from %q", name, texts)
		require.LessOrEqual(t, len(name), contract.MaxObjectName)
		text := randomText(random, 90)
		require.Empty(t, validation.IsValidLabelValue(contract.LabelValue(text)), "%q from %q", contract.LabelValue(text), text)
		require.Empty(t, validation.IsDNS1123Label(contract.FileName(text)), "%q from %q", contract.FileName(text), text)
	}
}

// A million pairs of names that are near one another: cases, borders, long common starts.
func TestNamesNeverCollide(t *testing.T) {
	t.Parallel()
	checkout.Slow(t, "compares a million pairs of names")
	random := checkout.Random(t)
	seen := make(map[string][2]string, 1_000_000)
	add := func(resource, step string) {
		name := contract.OutputSecretName("abcdefghijklm", resource, step)
		if old, ok := seen[name]; ok && old != [2]string{resource, step} {
			t.Fatalf("%q and %q are both called %s", old, [2]string{resource, step}, name)
		}
		seen[name] = [2]string{resource, step}
	}
	letters := "abAB-"
	for len(seen) < 1_000_000 {
		text := make([]byte, 14+random.IntN(8))
		for i := range text {
			text[i] = letters[random.IntN(len(letters))]
		}
		for cut := range text {
			add(string(text[:cut]), string(text[cut:]))
			add(string(text[:cut]), string(text[cut:])+"-")
			add(strings.ToLower(string(text[:cut])), string(text[cut:]))
		}
	}
}

func TestSandboxIDs(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "nzfyssbriadlc", contract.DeriveSandboxID("production", "feature-x"), "databases are named after it: for good")
	assert.Equal(t, "pgdb-provision-wisvvjql646n", contract.OutputSecretName("abcdefghijklm", "pgdb", "provision"), "for good")
	seen := map[string]string{}
	for i := range 50_000 {
		name := fmt.Sprintf("sandbox-%d", i)
		id := contract.DeriveSandboxID("cluster", name)
		require.Len(t, id, 13)
		require.Empty(t, validation.IsDNS1035Label(id))
		require.NoError(t, contract.CheckSandboxID(id))
		require.Empty(t, seen[id], "%s and %s", seen[id], name)
		seen[id] = name
	}
	assert.NotEqual(t, contract.DeriveSandboxID("a", "b"), contract.DeriveSandboxID("ab", ""))
}

func TestRoutingKeys(t *testing.T) {
	t.Parallel()
	key := contract.DeriveRoutingKey("Sandbox", "production", "feature-x")
	assert.Equal(t, "hb4d2jxg7f5ln", key, "clients send it: for good")
	assert.NotEqual(t, contract.DeriveSandboxID("production", "feature-x"), key)
	assert.NotEqual(t, contract.DeriveRoutingKey("RouteGroup", "production", "feature-x"), key)
	assert.NotEqual(t, contract.DeriveRoutingKey("Sandbox", "productionfeature-x", ""), key)
	require.NoError(t, contract.CheckRoutingKey(key))
	for _, bad := range []string{"", "a,b", "a;b", "A", "a.*", "a=b", "%61"} {
		require.ErrorContains(t, contract.CheckRoutingKey(bad), fmt.Sprintf("routing key %q must hold lower-case letters", bad))
	}
}

func TestGivenSandboxIDs(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"a", "x9", "sbx--1", strings.Repeat("a", 32)} {
		require.NoError(t, contract.CheckSandboxID(good), good)
	}
	for bad, want := range map[string]string{
		"":                      `sandbox id "" must hold`,
		"A":                     `sandbox id "A" must hold`,
		"9a":                    `begin with a letter`,
		"-a":                    `begin with a letter`,
		"a-":                    `end in a letter or a digit`,
		"a b":                   `must hold lower-case letters`,
		"a\n":                   `must hold lower-case letters`,
		strings.Repeat("a", 33): "must have at most 32 bytes, not 33",
	} {
		assert.ErrorContains(t, contract.CheckSandboxID(bad), want)
	}
}

func TestLabels(t *testing.T) {
	t.Parallel()
	for _, same := range []string{"", "MyDB", "a_b.c-d", "9", strings.Repeat("x", 63)} {
		assert.Equal(t, same, contract.LabelValue(same))
	}
	for _, changed := range []string{"a b", "-a", "a-", "ä", strings.Repeat("x", 64)} {
		assert.NotEqual(t, changed, contract.LabelValue(changed))
	}
	assert.NotEqual(t, contract.LabelValue("a b"), contract.LabelValue("a+b"))
}

func TestFiles(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "pgdb", contract.FileName("pgdb"))
	for _, text := range []string{"PgDB", "../x", "", ".", "a/b", "CON "} {
		assert.NotContains(t, contract.FileName(text), ".", text)
		assert.NotContains(t, contract.FileName(text), "/", text)
	}
	assert.NotEqual(t, strings.ToLower(contract.FileName("DB")), strings.ToLower(contract.FileName("db")))
}

func randomText(random *rand.Rand, limit int) string {
	alphabet := []rune("abcXYZ019-_./ \x00ü数")
	text := make([]rune, random.IntN(limit))
	for i := range text {
		text[i] = alphabet[random.IntN(len(alphabet))]
	}
	return string(text)
}

func BenchmarkObject(b *testing.B) {
	for b.Loop() {
		contract.ObjectName(contract.Hash("job", "abcdefghijklm", "pgdb", "provision"), "feature-x", "pgdb", "provision")
	}
}
