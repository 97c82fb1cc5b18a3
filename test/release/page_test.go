package release

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// section returns the shell commands below a heading of a page.
func section(page, heading string) (string, error) {
	_, text, ok := strings.Cut(page, "\n## "+heading+"\n")
	if !ok {
		return "", fmt.Errorf("no section %q", heading)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	var found strings.Builder
	for _, block := range regexp.MustCompile("(?ms)^```sh\n(.*?)^```").FindAllStringSubmatch(text, -1) {
		found.WriteString(block[1])
	}
	if found.Len() == 0 {
		return "", fmt.Errorf("no commands in section %q", heading)
	}
	return found.String(), nil
}

func installPage(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(checkout.Root(), "docs", "howto", "install.md"))
	require.NoError(t, err)
	return string(text)
}

// TestInstallPage_hasOneVersion: the page is about the version that this checkout renders into Pods.
func TestInstallPage_hasOneVersion(t *testing.T) {
	t.Parallel()
	version := strings.TrimPrefix(contract.ImageTag, "v")
	found := regexp.MustCompile(`\d+\.\d+\.\d+`).FindAllString(installPage(t), -1)
	require.NotEmpty(t, found)
	for _, v := range found {
		assert.Equal(t, version, v)
	}
}

// TestInstallPage_namesFilesOfTheRelease: each downloaded file is part of a release.
func TestInstallPage_namesFilesOfTheRelease(t *testing.T) {
	t.Parallel()
	s := built(t)
	version := strings.TrimPrefix(contract.ImageTag, "v")
	release := map[string]bool{"rplug.krew.yaml": true, "rplug.rb": true, "checksums.txt": true}
	for name := range s.checksums(t) {
		release[strings.ReplaceAll(name, s.version, version)] = true
	}
	names := regexp.MustCompile(`(?:kubectl-)?rplug_[\w.]+\.(?:tar\.gz|zip|deb)|rplug\.krew\.yaml|rplug\.rb|checksums\.txt`)
	found := names.FindAllString(installPage(t), -1)
	require.Greater(t, len(found), 10)
	for _, name := range found {
		assert.True(t, release[name], "a release has no %s", name)
	}
}

// TestInstallPage_goInstall: the packages exist in the module. test/release/install installs them from a module proxy.
func TestInstallPage_goInstall(t *testing.T) {
	t.Parallel()
	commands, err := section(installPage(t), "Go")
	require.NoError(t, err)
	assert.Equal(t, "go install github.com/resource-plugins/krm-functions/cmd/rplug@"+contract.ImageTag+"\n"+
		"go install github.com/resource-plugins/krm-functions/functions/...@"+contract.ImageTag+"\n", commands)
}
