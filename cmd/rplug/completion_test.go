package main

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"

	"github.com/resource-plugins/krm-functions/internal/rplug"
)

// enumeration matches the values of a flag in its usage: "create or delete", or "text, json, junit" behind a colon.
var enumeration = regexp.MustCompile(`(?:^|: )((?:[\w./-]+(?: \(\w+\))?, )*[\w./-]+(?: \(\w+\))?(?: or |, )[\w./-]+)(?: \(\w+\))?(?:$|[;:(]| \(default)`)

// paths are arguments of flags that a shell completes itself, and free texts.
var freeArguments = []string{"FILE", "PATH", "DIR", "DUMP", "PROGRAM", "IMAGE", "NAMES", "TEXT", "REGEX", "FROM"}

// named are arguments of flags that name something, so that a shell can propose names.
var named = []string{"PHASE", "ENGINE", "FORMAT", "TOOL", "HOOK", "KIND", "WAY", "STANDARD", "SCOPE", "FORGE", "REVISION", "STEP"}

// valuesIn returns the values that a usage enumerates.
func valuesIn(usage string) []string {
	match := enumeration.FindStringSubmatch(usage)
	if match == nil {
		return nil
	}
	text := regexp.MustCompile(` \(\w+\)`).ReplaceAllString(match[1], "")
	return strings.Split(strings.ReplaceAll(text, " or ", ", "), ", ")
}

// flagsOf returns the names of the flags of a command.
func flagsOf(c *cobra.Command) (names []string) {
	c.LocalFlags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}

// proposed returns the values that a shell proposes for a flag.
func proposed(c *cobra.Command, flag string) (values []string, isRegistered bool) {
	complete, isRegistered := c.GetFlagCompletionFunc(flag)
	if !isRegistered {
		return nil, false
	}
	found, _ := complete(c, nil, "")
	if len(found) > 0 { // of pairs, the values behind the equals sign
		if key, _, _ := strings.Cut(found[0], "\t"); strings.HasSuffix(key, "=") {
			found, _ = complete(c, nil, key)
			for i := range found {
				found[i] = strings.TrimPrefix(found[i], key)
			}
		}
	}
	for _, one := range found {
		value, _, _ := strings.Cut(one, "\t")
		values = append(values, value)
	}
	return values, true
}

// Every flag whose usage or argument enumerates values has a completion with these values, and every argument that is a
// name has one.
func TestEveryEnumerationIsCompleted(t *testing.T) {
	t.Parallel()
	flags, enumerations, arguments := 0, 0, 0
	var check func(c *cobra.Command)
	check = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			check(sub)
		}
		if c.Name() == "man" || strings.Contains(c.CommandPath(), " completion") {
			return
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			flags++
			if checkFlag(t, c, f) {
				enumerations++
			}
		})
		_, usage, hasArguments := strings.Cut(c.Use, " ")
		if names := regexp.MustCompile(`\b(SANDBOX|NAME|PLUGIN|RESOURCE|FORMAT|PART|TOPIC|OLD|COMMAND)\b`); hasArguments &&
			names.MatchString(usage) && !c.HasSubCommands() {
			arguments++
			assert.NotNil(t, c.ValidArgsFunction, "%s: the arguments must be completed", c.CommandPath())
		}
	}
	check(rplug.NewCommand(&bytes.Buffer{}, extensions()...))
	assert.Greater(t, flags, 300)
	assert.Greater(t, enumerations, 60)
	assert.Greater(t, arguments, 12)
}

// checkFlag checks the completion of a flag, and reports whether it needs one.
func checkFlag(t *testing.T, c *cobra.Command, f *pflag.Flag) bool {
	t.Helper()
	at := c.CommandPath() + " --" + f.Name
	argument, usage := pflag.UnquoteUsage(f)
	if f.Value.Type() == "bool" || slices.Contains(freeArguments, argument) && len(valuesIn(usage)) == 0 {
		return false
	}
	values := valuesIn(usage)
	needsNames := slices.Contains(named, argument) ||
		slices.Contains([]string{"cluster", "context", "namespace", "plugin", "sandbox", "rules", "engine", "output"}, f.Name)
	if isFree := slices.Contains([]string{"FILE", "PATH", "DIR", "DUMP"}, argument); isFree || len(values) == 0 && !needsNames {
		return false
	}
	got, isRegistered := proposed(c, f.Name)
	if assert.True(t, isRegistered, "%s: %q must be completed", at, f.Usage) && len(values) > 0 {
		assert.Subset(t, got, values, at)
	}
	return true
}

// The test finds enumerations in usages, and nothing else.
func TestValuesIn(t *testing.T) {
	t.Parallel()
	for usage, want := range map[string][]string{
		"create or delete; both only with argocd or helm":                  {"create", "delete"},
		"FORMAT: text, json, junit":                                        {"text", "json", "junit"},
		"the tool: kubectl, argocd, flux, helm or kpt":                     {"kubectl", "argocd", "flux", "helm", "kpt"},
		"none, gateway-api (HTTPRoute) or istio (VirtualService)":          {"none", "gateway-api", "istio"},
		"ENGINE: docker, podman or process (default: docker, then podman)": {"docker", "podman", "process"},
		"write to files of this folder, and print nothing":                 nil,
		"names of Secrets for pulling the images":                          nil,
	} {
		assert.Equal(t, want, valuesIn(usage), usage)
	}
}
