package incremental_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/function/validateplugin"
	"github.com/resource-plugins/krm-functions/internal/incremental"
	"github.com/resource-plugins/krm-functions/test/framework/changes"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// checkOptions are flags of validate-plugin.
var checkOptions = [][]string{
	{"--strict"}, {"--output", "json"}, {"--output", "sarif"}, {"--output", "junit"}, {"--set", "team=db"},
	{"--rules", "unknown-param=error"}, {"--rules", "unknown-param=off"}, {"--context"}, {"--exclude", "split*"}, {"--fix"},
}

// counting is the function, and counts the sandboxes that it leaves out.
type counting struct {
	*validateplugin.Config

	reused, inParts *int
}

// Split implements cli.Splitter: few sandboxes are checked in parts, too.
func (c *counting) Split(cache *incremental.Cache) cli.PartsProcessor {
	parts := c.Config.Split(cache)
	if few, ok := parts.(interface{ EvenIfFew() }); ok {
		few.EvenIfFew()
	}
	return &countingParts{parts, c}
}

type countingParts struct {
	cli.PartsProcessor
	*counting
}

// ProcessParts implements cli.PartsProcessor.
func (p *countingParts) ProcessParts(call cli.Call, documents cli.Postponed) (summary string, done bool, err error) {
	*p.reused = call.Reused
	*p.inParts++
	return p.PartsProcessor.ProcessParts(call, documents)
}

// Process implements cli.Config.
func (c *counting) Process(call cli.Call) (string, error) {
	*c.reused = call.Reused
	return c.Config.Process(call)
}

// checkAll runs validate-plugin on the documents.
func checkAll(t *testing.T, args ...string) (printed string, reused, inParts int) {
	t.Helper()
	f := validateplugin.New()
	f.Config = func() cli.Config { return &counting{&validateplugin.Config{}, &reused, &inParts} }
	if slices.Contains(args, "--no-cache") { // all documents at once
		f.Config = func() cli.Config { return &wholeConfig{validateplugin.Config{}} }
	}
	var out, notes bytes.Buffer
	code := f.Run(t.Context(), append(args, "--verbose", "in"), strings.NewReader(""), &out, &notes)
	return fmt.Sprintf("%d\n%s%s", code, &out, &notes), reused, inParts
}

// wholeConfig is the config of a function that checks all documents at once.
type wholeConfig struct{ validateplugin.Config }

// Split implements cli.Splitter.
func (*wholeConfig) Split(*incremental.Cache) cli.PartsProcessor { return nil }

// After any changes, validate-plugin prints the same with a cache as without.
func TestFindingsAreThoseOfAllDocuments(t *testing.T) {
	random := checkout.Random(t)
	reused, inParts, steps := 0, 0, 0
	for i := range checkout.Rounds(20) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			r := changes.NewRepository(t, rand.New(rand.NewPCG(random.Uint64(), 0)))
			for range 6 {
				if r.Change(); r.Random.IntN(4) == 0 {
					r.Commit(t)
				}
				r.Write(t)
				if r.Random.IntN(3) == 0 {
					time.Sleep(120 * time.Millisecond) // so that times show that files did not change
				}
				var args []string
				if r.Random.IntN(2) == 0 {
					args = []string{"--base-ref", "HEAD"}
				}
				if r.Random.IntN(2) == 0 {
					args = slices.Concat(args, checkOptions[r.Random.IntN(len(checkOptions))])
				}
				r.Log = append(r.Log, strings.Join(args, " "))
				steps++
				for range 2 { // the second call reuses the results of the first one
					got, n, some := checkAll(t, args...)
					want, _, _ := checkAll(t, append(slices.Clone(args), "--no-cache")...)
					if slices.Contains(args, "--fix") {
						break // of both calls, the first one has made the fixes
					}
					require.Equal(t, want, got, strings.Join(r.Log, "\n"))
					reused, inParts = reused+min(n, 1), inParts+some
				}
			}
		})
	}
	t.Logf("%d of %d runs left out sandboxes, %d were in parts", reused, 2*steps, inParts)
	assert.Greater(t, reused, steps/8)
	assert.Greater(t, inParts, steps/8)
}
