// Package release tests the results of `make release-snapshot`: archives, packages, checksums and manifests.
package release

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// platforms are the platforms of all archives.
var platforms = []string{"darwin_amd64", "darwin_arm64", "linux_amd64", "linux_arm64", "windows_amd64", "windows_arm64"}

// snapshot is the result of make release-snapshot.
type snapshot struct{ folder, version string }

// built returns the snapshot, or skips the test.
func built(t *testing.T) snapshot {
	t.Helper()
	folder := filepath.Join(checkout.Root(), "bin", "release")
	text, err := os.ReadFile(filepath.Join(folder, "metadata.json"))
	if err != nil {
		checkout.LeaveOut(t, "bin/release has no release: run make release-snapshot")
	}
	if _, err := os.Stat(filepath.Join(folder, "artifacts.json")); err != nil {
		checkout.LeaveOut(t, "bin/release is not complete: run make release-snapshot")
	}
	var metadata struct{ Version string }
	require.NoError(t, json.Unmarshal(text, &metadata))
	return snapshot{folder, metadata.Version}
}

// programs returns the names of all programs of the root module.
func programs(t *testing.T) []string {
	t.Helper()
	return slices.Concat(folders(t, "cmd"), folders(t, "functions"), folders(t, "kubebuilder/cmd"))
}

// folders returns the names of the subfolders with a program.
func folders(t *testing.T, above string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(checkout.Root(), above, "*", "main.go"))
	require.NoError(t, err)
	require.NotEmpty(t, found)
	for i, file := range found {
		found[i] = filepath.Base(filepath.Dir(file))
	}
	return found
}

// TestConfig_hasAllPrograms checks the lists in .goreleaser.yaml, to which a new function must be added.
func TestConfig_hasAllPrograms(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(checkout.Root(), ".goreleaser.yaml"))
	require.NoError(t, err)
	var config struct {
		Builds   []struct{ ID, Main, Binary string }
		Archives []struct {
			ID  string
			IDs []string
		}
		Casks []struct{ Binaries []string } `json:"homebrew_casks"`
	}
	require.NoError(t, yaml.Unmarshal(text, &config))
	var built []string
	for _, b := range config.Builds {
		assert.Equal(t, b.ID, b.Binary)
		assert.FileExists(t, filepath.Join(checkout.Root(), b.Main, "main.go"))
		built = append(built, b.Binary)
	}
	assert.ElementsMatch(t, programs(t), built)
	assert.ElementsMatch(t, programs(t), config.Archives[0].IDs)
	assert.ElementsMatch(t, programs(t), config.Casks[0].Binaries)
}

// entry is a file of an archive.
type entry struct {
	content []byte
	mode    fs.FileMode
	owner   string
	time    time.Time
}

// unpack returns the files of a .tar.gz or .zip archive.
func unpack(t *testing.T, path string) map[string]entry {
	t.Helper()
	files := map[string]entry{}
	if strings.HasSuffix(path, ".zip") {
		archive, err := zip.OpenReader(path)
		require.NoError(t, err)
		defer archive.Close()
		for _, f := range archive.File {
			opened, err := f.Open()
			require.NoError(t, err)
			content, err := io.ReadAll(opened)
			require.NoError(t, err)
			files[f.Name] = entry{content, f.Mode().Perm(), "root:root", f.Modified.UTC()}
		}
		return files
	}
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	unzipped, err := gzip.NewReader(bytes.NewReader(text))
	require.NoError(t, err)
	archive := tar.NewReader(unzipped)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		require.NoError(t, err)
		content, err := io.ReadAll(archive)
		require.NoError(t, err)
		assert.Zero(t, header.Uid+header.Gid, header.Name)
		files[header.Name] = entry{content, header.FileInfo().Mode().Perm(), header.Uname + ":" + header.Gname, header.ModTime.UTC()}
	}
}

func (s snapshot) archive(name, platform string) string {
	suffix := ".tar.gz"
	if strings.HasPrefix(platform, "windows") {
		suffix = ".zip"
	}
	return filepath.Join(s.folder, name+"_"+s.version+"_"+platform+suffix)
}

func TestSnapshot_archivesHoldPrograms(t *testing.T) {
	t.Parallel()
	s := built(t)
	for archive, names := range map[string][]string{"rplug": programs(t), "kubectl-rplug": {"rplug"}} {
		for _, platform := range platforms {
			files := unpack(t, s.archive(archive, platform))
			times := map[time.Time]bool{}
			for name, file := range files {
				times[file.time] = true
				assert.Equal(t, "root:root", file.owner, name)
				assert.False(t, filepath.IsAbs(name) || strings.Contains(name, ".."), name)
			}
			assert.Len(t, times, 1, "all times are those of the commit: %v", times)
			assert.Contains(t, files, "LICENSE")
			system, architecture, _ := strings.Cut(platform, "_")
			for _, name := range names {
				if system == "windows" {
					name += ".exe"
				}
				require.Contains(t, files, name, platform)
				assert.Equal(t, fs.FileMode(0o755), files[name].mode, name)
				checkProgram(t, files[name].content, system, architecture)
			}
			if archive == "rplug" {
				for _, name := range []string{"CHANGELOG.md", "completions/rplug.bash", "completions/_rplug", "completions/rplug.fish",
					"man/rplug.1.gz", "man/rplug-catalog-push.1.gz"} {
					require.Contains(t, files, name, platform)
					assert.Equal(t, fs.FileMode(0o644), files[name].mode, name)
				}
				continue
			}
			assert.Len(t, files, 2, "krew unpacks nothing else")
		}
	}
}

func checkProgram(t *testing.T, content []byte, system, architecture string) {
	t.Helper()
	info, err := buildinfo.Read(bytes.NewReader(content))
	require.NoError(t, err)
	settings := map[string]string{}
	for _, setting := range info.Settings {
		settings[setting.Key] = setting.Value
	}
	assert.Equal(t, []string{system, architecture, "0", "true"},
		[]string{settings["GOOS"], settings["GOARCH"], settings["CGO_ENABLED"], settings["-trimpath"]}, info.Path)
	assert.NotContains(t, string(content), checkout.Root(), "%s must not contain paths of the machine that built it", info.Path)
}

func sum(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	digest := sha256.Sum256(content)
	return hex.EncodeToString(digest[:])
}

// checksums returns the sums of checksums.txt by file.
func (s snapshot) checksums(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.folder, "checksums.txt"))
	require.NoError(t, err)
	sums := map[string]string{}
	for line := range strings.Lines(string(text)) {
		digest, name, ok := strings.Cut(strings.TrimSpace(line), "  ")
		require.True(t, ok, line)
		sums[name] = digest
	}
	return sums
}

func TestSnapshot_checksumsVerify(t *testing.T) {
	t.Parallel()
	s := built(t)
	sums := s.checksums(t)
	var want []string
	for _, platform := range platforms {
		for _, name := range []string{"rplug", "kubectl-rplug"} {
			archive := filepath.Base(s.archive(name, platform))
			want = append(want, archive, archive+".cdx.json")
		}
	}
	for _, architecture := range []string{"amd64", "arm64"} {
		want = append(want, "rplug_"+s.version+"_"+architecture+".deb")
	}
	for name, digest := range sums {
		assert.Equal(t, sum(t, filepath.Join(s.folder, name)), digest, name)
		want = slices.DeleteFunc(want, func(w string) bool { return w == name })
	}
	assert.Empty(t, want, "files without a checksum")
}

func TestSnapshot_runsHere(t *testing.T) {
	t.Parallel()
	s := built(t)
	folder := t.TempDir()
	for name, file := range unpack(t, s.archive("rplug", runtime.GOOS+"_"+runtime.GOARCH)) {
		if file.mode == 0o755 {
			require.NoError(t, os.WriteFile(filepath.Join(folder, name), file.content, 0o755)) //nolint:gosec // a program
		}
	}
	for _, name := range programs(t) {
		out, err := exec.Command(filepath.Join(folder, name), "--version").Output()
		require.NoError(t, err)
		assert.Equal(t, name+" v"+s.version+"\n", string(out))
	}
	render := exec.Command(filepath.Join(folder, "rplug"), "build", filepath.Join(checkout.Root(), "examples", "hello-db"))
	out, err := render.Output()
	require.NoError(t, err)
	assert.Contains(t, string(out), "kind: Job")
}

// bom has the fields of a CycloneDX document that are read.
type bom struct {
	BomFormat, SpecVersion string
	Components             []struct {
		Type, Name, Purl string
		Hashes           []struct{ Alg, Content string }
	}
}

func TestSnapshot_listsModules(t *testing.T) {
	t.Parallel()
	s := built(t)
	for _, platform := range platforms {
		path := s.archive("rplug", platform)
		text, err := os.ReadFile(path + ".cdx.json")
		require.NoError(t, err)
		var b bom
		require.NoError(t, json.Unmarshal(text, &b))
		assert.Equal(t, "CycloneDX", b.BomFormat)
		var listed []string
		modules := 0
		for _, component := range b.Components {
			if component.Type == "application" {
				listed = append(listed, component.Hashes[0].Content)
			} else {
				assert.True(t, strings.HasPrefix(component.Purl, "pkg:golang/"), component.Purl)
				modules++
			}
		}
		var want []string
		for _, file := range unpack(t, path) {
			if file.mode == 0o755 {
				digest := sha256.Sum256(file.content)
				want = append(want, hex.EncodeToString(digest[:]))
			}
		}
		assert.ElementsMatch(t, want, listed, "the programs of %s", platform)
		assert.Greater(t, modules, 20)
	}
}

func TestSnapshot_debHoldsPrograms(t *testing.T) {
	t.Parallel()
	s := built(t)
	dpkg := checkout.Program(t, "dpkg-deb", "dpkg")
	for _, architecture := range []string{"amd64", "arm64"} {
		deb := filepath.Join(s.folder, "rplug_"+s.version+"_"+architecture+".deb")
		fields, err := exec.Command(dpkg, "--field", deb, "Package", "Architecture", "Section").Output()
		require.NoError(t, err)
		assert.Equal(t, "Package: rplug\nArchitecture: "+architecture+"\nSection: utils\n", string(fields))
		listing, err := exec.Command(dpkg, "--contents", deb).Output()
		require.NoError(t, err)
		for _, name := range programs(t) {
			assert.Regexp(t, `(?m)^-rwxr-xr-x root/root .* \./usr/bin/`+name+`$`, string(listing))
		}
		for _, name := range []string{"usr/bin/kubectl-rplug -> rplug", "usr/bin/kubectl_complete-rplug -> rplug", "usr/share/doc/rplug/copyright",
			"usr/share/bash-completion/completions/rplug", "usr/share/zsh/vendor-completions/_rplug",
			"usr/share/fish/vendor_completions.d/rplug.fish", "usr/share/man/man1/rplug.1.gz"} {
			assert.Contains(t, string(listing), " ./"+name+"\n")
		}
	}
}

func TestSnapshot_manifestsNameArchives(t *testing.T) {
	t.Parallel()
	s := built(t)
	sums := s.checksums(t)
	text, err := os.ReadFile(filepath.Join(s.folder, "krew", "rplug.yaml"))
	require.NoError(t, err)
	var krew struct {
		APIVersion, Kind string
		Metadata         struct{ Name string }
		Spec             struct {
			Version, ShortDescription string
			Platforms                 []struct {
				Bin, URI, Sha256 string
				Selector         struct{ MatchLabels map[string]string }
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &krew))
	assert.Equal(t, "krew.googlecontainertools.github.com/v1alpha2 Plugin rplug v"+s.version,
		strings.Join([]string{krew.APIVersion, krew.Kind, krew.Metadata.Name, krew.Spec.Version}, " "))
	assert.LessOrEqual(t, len(krew.Spec.ShortDescription), 50, "https://krew.sigs.k8s.io/docs/developer-guide/develop/best-practices/")
	var found []string
	for _, platform := range krew.Spec.Platforms {
		labels := platform.Selector.MatchLabels
		found = append(found, labels["os"]+"_"+labels["arch"])
		archive := s.archive("kubectl-rplug", labels["os"]+"_"+labels["arch"])
		assert.Equal(t, sum(t, archive), platform.Sha256)
		assert.True(t, strings.HasSuffix(platform.URI, "/"+filepath.Base(archive)), platform.URI)
		assert.Contains(t, unpack(t, archive), platform.Bin)
	}
	assert.ElementsMatch(t, platforms, found)

	cask, err := os.ReadFile(filepath.Join(s.folder, "homebrew", "Casks", "rplug.rb"))
	require.NoError(t, err)
	for _, platform := range []string{"darwin_amd64", "darwin_arm64", "linux_amd64", "linux_arm64"} {
		assert.Contains(t, string(cask), `sha256 "`+sums[filepath.Base(s.archive("rplug", platform))]+`"`)
	}
	named := regexp.MustCompile(`(?m)^  binary "(.+)"$`).FindAllStringSubmatch(string(cask), -1)
	assert.Len(t, named, len(programs(t)))
	ruby, err := exec.LookPath("ruby")
	if err != nil {
		t.Log("the syntax of the cask is not checked: ruby is not on the PATH")
		return
	}
	out, err := exec.Command(ruby, "-c", filepath.Join(s.folder, "homebrew", "Casks", "rplug.rb")).CombinedOutput()
	assert.NoError(t, err, string(out))
}
