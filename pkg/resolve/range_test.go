package resolve

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/Masterminds/semver/v3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// TestPrecedence is the order of the examples of semver.org (item 11): of each pair of neighbours the right one wins.
func TestPrecedence(t *testing.T) {
	t.Parallel()
	ascending := strings.Fields("0.0.0 0.0.1 0.1.0 1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 " +
		"1.0.0-beta.11 1.0.0-rc.1 1.0.0 2.0.0 2.1.0 2.1.1")
	for i := 1; i < len(ascending); i++ {
		plugins := NewCatalog(items(t, "db@"+ascending[i-1]+" db@"+ascending[i]))
		choice, err := plugins.Resolve("db@>=0.0.0-0")
		require.NoError(t, err)
		assert.Equal(t, "db@"+ascending[i], choice.Pin())
	}
}

// TestRangesAgainstMasterminds resolves 12,000 random ranges in random catalogs and compares with Masterminds semver
// used directly: the highest of the versions that the constraint takes.
func TestRangesAgainstMasterminds(t *testing.T) {
	t.Parallel()
	random := checkout.Random(t)
	chosen := 0
	for range 60 {
		versions, documents := randomVersions(t, random)
		plugins := NewCatalog(documents)
		require.Empty(t, plugins.Problems())
		for range 200 {
			selector := randomRange(random)
			choice, err := plugins.Resolve("db@" + selector)
			want := highest(t, versions, selector)
			if want == nil {
				require.ErrorContains(t, err, fmt.Sprintf(`plugin "db" has no version in %q`, selector), "of %s", versions)
				continue
			}
			require.NoError(t, err)
			require.Equal(t, "db@"+want.String(), choice.Pin(), "%s of %s", selector, versions)
			chosen++
		}
	}
	assert.Greater(t, chosen, 3000, "enough ranges must lead somewhere")
}

func highest(t *testing.T, versions []*semver.Version, selector string) *semver.Version {
	t.Helper()
	constraint, err := semver.NewConstraint(selector)
	require.NoError(t, err)
	var best *semver.Version
	for _, v := range versions {
		if constraint.Check(v) && (best == nil || v.GreaterThan(best)) {
			best = v
		}
	}
	return best
}

func randomVersions(t *testing.T, random *rand.Rand) ([]*semver.Version, []*krm.Item) {
	t.Helper()
	var versions []*semver.Version
	var documents []*krm.Item
	seen := map[string]bool{}
	for range 1 + random.IntN(25) {
		text := randomVersion(random)
		if seen[text] {
			continue
		}
		seen[text] = true
		versions = append(versions, semver.MustParse(text))
		documents = append(documents, item(t, "db@"+text))
	}
	return versions, documents
}

func randomVersion(random *rand.Rand) string {
	text := fmt.Sprintf("%d.%d.%d", random.IntN(4), random.IntN(4), random.IntN(4))
	switch random.IntN(6) {
	case 0:
		return fmt.Sprintf("%s-rc.%d", text, random.IntN(12))
	case 1:
		return text + []string{"-alpha", "-alpha.1", "-0", "-beta", "-1.4.5"}[random.IntN(5)]
	default:
		return text
	}
}

// randomRange returns one to three conditions, now and then in two groups. None is a version: that would be a pin.
func randomRange(random *rand.Rand) string {
	condition := func() string {
		operator := []string{"^", "~", ">=", "<=", ">", "<", "!=", "=", "~>", "=>", "=<"}[random.IntN(11)]
		operand := randomVersion(random)
		switch random.IntN(3) {
		case 0:
			operand = strings.Join(strings.SplitN(operand, ".", 3)[:2], ".")
		case 1:
			operand = operand[:1] + []string{"", ".x", ".*", ".x.x"}[random.IntN(4)]
		}
		return operator + operand
	}
	group := func() string {
		switch random.IntN(5) {
		case 0:
			return randomVersion(random) + " - " + randomVersion(random)
		case 1:
			return condition() + " " + condition()
		case 2:
			return condition() + ", " + condition()
		default:
			return condition()
		}
	}
	if random.IntN(4) == 0 {
		return group() + " || " + group()
	}
	return group()
}
