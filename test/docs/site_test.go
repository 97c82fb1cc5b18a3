package docs

import (
	"io/fs"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// TestNav checks that the site's navigation has every page of docs/, once.
func TestNav(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(checkout.Root(), "mkdocs.yml"))
	require.NoError(t, err)
	var config struct {
		Nav any `json:"nav"`
	}
	require.NoError(t, yaml.Unmarshal(text, &config))
	listed := navPages(config.Nav)

	want := map[string]bool{}
	for _, page := range pages(t) {
		if name, ok := strings.CutPrefix(page, "docs/"); ok {
			want[name] = true
		}
	}
	assert.ElementsMatch(t, slices.Collect(maps.Keys(want)), listed, "nav of mkdocs.yml")
}

// navPages returns the pages of a nav: a name, or lists and mappings of them.
func navPages(nav any) []string {
	var found []string
	switch node := nav.(type) {
	case string:
		found = append(found, node)
	case []any:
		for _, child := range node {
			found = append(found, navPages(child)...)
		}
	case map[string]any:
		for _, child := range node {
			found = append(found, navPages(child)...)
		}
	}
	return found
}

// TestSite builds the site with mkdocs, and adds checks that mkdocs lacks: links to sections, Markdown that only GitHub
// supports, and that browsers load nothing from other sites.
func TestSite(t *testing.T) {
	t.Parallel()
	mkdocs := checkout.Program(t, "mkdocs", "mkdocs")
	folder := t.TempDir()
	require.NoError(t, checkout.Copy(folder, "docs", "mkdocs.yml"))
	build := exec.Command(mkdocs, "build", "--strict", "--quiet")
	build.Dir = folder
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)

	site := readSite(t, filepath.Join(folder, "bin", "docs"))
	require.NotEmpty(t, site)
	for name, text := range site {
		for _, fault := range faults(site, name, text) {
			t.Errorf("%s: %s", name, fault)
		}
	}
}

// readSite returns the pages of a site.
func readSite(t *testing.T, root string) map[string]string {
	t.Helper()
	site := map[string]string{}
	require.NoError(t, filepath.WalkDir(root, func(file string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".html" {
			return err
		}
		text, err := os.ReadFile(file)
		site[strings.TrimPrefix(file, root+"/")] = string(text)
		return err
	}))
	return site
}

var (
	hrefs    = regexp.MustCompile(`<a [^>]*href="([^"]*)"`)
	loads    = regexp.MustCompile(`<(?:script|img|iframe)[^>]* src="(?:https?:)?//[^"]*"|<link [^>]*rel="stylesheet"[^>]*href="(?:https?:)?//`)
	leftOver = regexp.MustCompile("(?m)<p>(?:- |\\||```).*$|\n(?:- |\\d+\\. |\\| ---|```)[^<]*</p>")
)

// faults returns the problems of a page of a site.
func faults(site map[string]string, name, text string) []string {
	var found []string
	for _, match := range hrefs.FindAllStringSubmatch(text, -1) {
		target, err := url.Parse(match[1])
		if err != nil || target.IsAbs() || target.Fragment == "" || name == "404.html" {
			continue
		}
		to := name
		if target.Path != "" {
			to = filepath.Join(filepath.Dir(name), target.Path)
			if strings.HasSuffix(target.Path, "/") || target.Path == "." || filepath.Base(target.Path) == ".." {
				to = filepath.Join(to, "index.html")
			}
		}
		if !strings.Contains(site[to], ` id="`+target.Fragment+`"`) {
			found = append(found, "no section "+match[1])
		}
	}
	found = append(found, loads.FindAllString(text, -1)...)
	return append(found, leftOver.FindAllString(text, -1)...)
}

func TestFaults(t *testing.T) {
	t.Parallel()
	site := map[string]string{"a/index.html": `<h2 id="here">`, "index.html": ""}
	for text, want := range map[string]int{
		`<a href="../a/#here">`: 0, `<a href="#here">`: 0, `<a href="https://example.org/#x">`: 0, `<img src="../picture.svg">`: 0,
		`<a href="../a/#there">`: 1, `<a href="#there">`: 1, `<a href="..#here">`: 1,
		`<script src="https://example.org/x.js">`:  1,
		"<p>a list:\n- one</p>":                    1,
		"<p>| a | b |</p>":                         1,
		"<p>```console</p>":                        1,
		`<link rel="stylesheet" href="//x.org/a">`: 1,
	} {
		assert.Len(t, faults(site, "a/index.html", text), want, text)
	}
}
