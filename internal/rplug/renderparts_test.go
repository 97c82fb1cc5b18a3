package rplug

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/internal/function/renderphase"
	"github.com/resource-plugins/krm-functions/internal/incremental"
)

// renderConfig is the config of render-phase whose parts are watched; with none, all documents are processed at once.
type renderConfig struct {
	cli.Config
	watch *watchedParts
}

// Parts implements cli.Composite.
func (c *renderConfig) Parts() []any { return []any{c.Config} }

// Without implements cli.Composite.
func (*renderConfig) Without() []string { return nil }

// Split implements cli.Splitter.
func (c *renderConfig) Split(cache *incremental.Cache) cli.PartsProcessor {
	return splitWith(c.watch, c.Config.(cli.Splitter).Split(cache))
}

// renderWith runs render-phase with parts that are watched, or without parts.
func renderWith(watch *watchedParts, stdout *bytes.Buffer, args ...string) (code int, stderr string) {
	f := renderphase.New()
	config := f.Config
	f.Config = func() cli.Config { return &renderConfig{config(), watch} }
	var notes bytes.Buffer
	code = f.Run(context.Background(), args, strings.NewReader(""), stdout, &notes)
	return code, notes.String()
}

// In parts, render-phase prints the same objects and findings as with all documents at once. It resolves no references and
// checks no rules, so fewer documents depend on each other than in build.
func TestRenderInPartsPrintsTheSame(t *testing.T) {
	t.Parallel()
	for _, in := range partsInputs {
		if slices.ContainsFunc(in.args, func(one string) bool { return slices.Contains([]string{"--no-forks", "--strict", "--mode"}, one) }) {
			continue // no options of render-phase
		}
		if in.files["p.yaml"] == "SECRET" {
			in.files = map[string]string{"p.yaml": renderedSecret(t)}
		}
		args := slices.Concat(in.args, []string{in.write(t, manySandboxes)})
		var plain, parted bytes.Buffer
		code, stderr := renderWith(nil, &plain, args...)
		watch := &watchedParts{print: func() { assert.Zero(t, parted.Len(), "%s: printed before all is rendered", in.name) }}
		codeOfParts, stderrOfParts := renderWith(watch, &parted, args...)
		assert.Equal(t, code, codeOfParts, in.name)
		assert.Equal(t, stderr, stderrOfParts, in.name)
		assert.True(t, bytes.Equal(plain.Bytes(), parted.Bytes()), "%s: stdout differs: %d and %d bytes", in.name, plain.Len(), parted.Len())
		if !in.atOnce {
			assert.True(t, watch.done, in.name)
		}
	}
}

// All documents are needed at once to keep the inputs, or to print images in place of objects.
func TestRenderAtOnce(t *testing.T) {
	t.Parallel()
	folder := partsInput{}.write(t, manySandboxes)
	for _, option := range []string{"--keep-inputs", "--images"} {
		watch := &watchedParts{}
		var out bytes.Buffer
		code, stderr := renderWith(watch, &out, option, folder)
		assert.Zero(t, code, stderr)
		assert.False(t, watch.done, option)
		assert.NotZero(t, out.Len())
	}
}
