//go:build linux

package runner

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The interpreter in a message is always a word of the first line of the script.
func FuzzInterpreter(f *testing.F) {
	for _, script := range []string{
		"", "#!", "#!\n", "#!/bin/sh", "#! /bin/sh -e\n", "#!/bin/sh\r\n", "#!/usr/bin/env -S python3 -u\n", "echo\n",
		"#!\t \n", "#!/usr/bin/env\n", "#!/usr/bin/env -\n", "#!/usr/bin/env A=1 sh\n", "\x00#!/bin/sh\n",
	} {
		f.Add([]byte(script))
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		file := filepath.Join(t.TempDir(), "script")
		require.NoError(t, os.WriteFile(file, script, 0o600))
		line, readable := firstLine(file)
		require.True(t, readable)
		assert.True(t, strings.HasPrefix(string(script), line))
		for _, name := range []string{interpreterOf(line), missingEnvProgram(file)} {
			assert.NotContains(t, name, "\n")
			assert.NotContains(t, name, " ")
			assert.Contains(t, line, name)
			if !strings.HasPrefix(line, "#!") {
				assert.Empty(t, name)
			}
		}
	})
}
