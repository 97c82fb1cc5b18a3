package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Links lead to existing elements, open them if they are closed, and the heading of the page does not cover them.
func TestLinks(t *testing.T) {
	tab := open(t, report(t, root, pages["shop"]...))
	tab.view(1280, "light")
	assert.Empty(t, eval[[]string](tab, `[...document.querySelectorAll("a[href^='#']")].map((a) => a.hash.slice(1))
	  .filter((id) => !document.getElementById(id))`))
	assert.Empty(t, eval[[]string](tab, `[...document.querySelectorAll("[id]")].map((e) => e.id)
	  .filter((id, i, all) => all.indexOf(id) !== i)`))
	tab.do(chromedp.Evaluate(`for (const d of document.querySelectorAll("details")) d.open = false`, nil))
	for _, anchor := range eval[[]string](tab, `[...new Set([...document.querySelectorAll("main a[href^='#']")].map((a) => a.hash))]`) {
		tab.do(chromedp.Evaluate(fmt.Sprintf(`location.hash = ""; location.hash = %q`, anchor), nil),
			chromedp.Poll(fmt.Sprintf(`document.querySelector(%q).open`, anchor), nil))
		place := fmt.Sprintf(`document.querySelector(%q).getBoundingClientRect().top`, anchor)
		assert.GreaterOrEqual(t, eval[float64](tab, place), eval[float64](tab, `document.querySelector(".top").offsetHeight`), anchor)
		assert.Less(t, eval[float64](tab, place), 900.0, anchor)
	}
	tab.quiet()
}

// Elements with a role for screen readers have names, the landmarks exist, and headings skip no level.
func TestAccessibilityTree(t *testing.T) {
	for name, args := range pages {
		t.Run(name, func(t *testing.T) {
			tab := open(t, report(t, root, args...))
			tab.do(chromedp.Evaluate(`for (const d of document.querySelectorAll("details")) d.open = true`, nil))
			var tree struct {
				Nodes []struct {
					Ignored    bool
					Role, Name struct{ Value any }
				}
			}
			tab.do(accessibility.Enable(), chromedp.ActionFunc(func(ctx context.Context) error {
				var answer jsontext.Value // the browser has more properties than the library
				err := cdp.Execute(ctx, accessibility.CommandGetFullAXTree, nil, &answer)
				return errors.Join(err, json.Unmarshal(answer, &tree))
			}))
			seen := map[string]int{}
			for _, node := range tree.Nodes {
				if node.Ignored {
					continue
				}
				role := fmt.Sprint(node.Role.Value)
				seen[role]++
				switch role {
				case "link", "button", "searchbox", "image", "region", "heading", "DisclosureTriangle", "navigation", "columnheader", "rowheader":
					assert.NotEmpty(t, node.Name.Value, role)
				}
			}
			for _, role := range []string{"banner", "navigation", "main", "search", "heading"} {
				assert.NotZero(t, seen[role], role)
			}
			assert.Equal(t, 1, seen["main"])
			assert.Empty(t, eval[[]string](tab, `[...document.querySelectorAll("h1, h2, h3, h4")]
			  .filter((h, i, all) => i && h.localName[1] - all[i - 1].localName[1] > 1).map((h) => h.textContent)`))
			assert.Equal(t, "en", eval[string](tab, `document.documentElement.lang`))
			tab.quiet()
		})
	}
}

// Everything can be operated with the keyboard.
func TestKeyboard(t *testing.T) {
	tab := open(t, report(t, root, pages["shop"]...))
	tab.view(1280, "light")
	focus := func() string {
		return eval[string](tab, `(document.activeElement.id || document.activeElement.className || document.activeElement.textContent).trim()`)
	}
	tab.do(chromedp.KeyEvent(kb.Tab))
	assert.Equal(t, "skip", focus())
	assert.GreaterOrEqual(t, eval[float64](tab, `document.activeElement.getBoundingClientRect().left`), 0.0, "it is visible")
	tab.do(chromedp.KeyEvent(kb.Enter))
	assert.Equal(t, "main", focus())
	tab.do(input.DispatchKeyEvent(input.KeyDown).WithKey("/").WithText("/"), input.DispatchKeyEvent(input.KeyUp).WithKey("/"))
	assert.Equal(t, "query", focus())
	assert.Empty(t, eval[string](tab, `document.activeElement.value`), "the key is no text")
	tab.do(chromedp.KeyEvent("currency"), chromedp.Poll(`document.getElementById("matches").value`, nil))
	tab.do(chromedp.KeyEvent(kb.Escape))
	assert.Empty(t, eval[string](tab, `document.getElementById("query").value + document.getElementById("matches").value`))
	// Starting at the first card, Tab reaches each summary, and Enter closes and opens it.
	tab.do(chromedp.Evaluate(`document.querySelector("details.card > summary").focus()`, nil))
	before := eval[bool](tab, `document.activeElement.parentElement.open`)
	tab.do(chromedp.KeyEvent(kb.Enter))
	assert.Equal(t, !before, eval[bool](tab, `document.activeElement.parentElement.open`))
	reached := map[string]bool{}
	total := eval[int](tab, `[...document.querySelectorAll("a[href], summary, button, [tabindex='0']")].filter((e) => e.checkVisibility()).length`)
	for range total + 5 {
		tab.do(chromedp.KeyEvent(kb.Tab))
		reached[eval[string](tab, `document.activeElement.outerHTML.slice(0, 300)`)] = true
		if width := eval[string](tab, `getComputedStyle(document.activeElement).outlineWidth`); eval[bool](tab, `document.activeElement !== document.body`) {
			assert.NotEqual(t, "0px", width, "the focus must be visible")
		}
	}
	for _, want := range eval[[]string](tab, `[...document.querySelectorAll("details.card > summary")].map((e) => e.outerHTML.slice(0, 300))`) {
		assert.True(t, reached[want], want)
	}
	tab.quiet()
}

func TestSearch(t *testing.T) {
	tab := open(t, report(t, root, pages["shop"]...))
	shown := func() []string {
		return eval[[]string](tab, `[...document.querySelectorAll("details.card:not([hidden])")].filter((e) => e.checkVisibility()).map((e) => e.id)`)
	}
	search := func(words, want string) {
		tab.do(chromedp.Evaluate(fmt.Sprintf(`{const q = document.getElementById("query"); q.value = %q; document.getElementById("matches").value = "…"; q.dispatchEvent(new Event("input"))}`, words), nil),
			chromedp.Poll(fmt.Sprintf(`document.getElementById("matches").value === %q`, want), nil))
	}
	all := shown()
	search("euros", "1 match")
	assert.Equal(t, []string{"sandbox-shop-42"}, shown())
	assert.Equal(t, 1, eval[int](tab, `CSS.highlights.get("found").size`))
	search("rolebinding shop-42", "1 match")
	assert.Equal(t, []string{"objects-sandbox-shop-42"}, shown())
	assert.Equal(t, []string{"RoleBinding"}, eval[[]string](tab, `[...new Set([...document.querySelectorAll("#objects-sandbox-shop-42 .object:not([hidden]) .kind")].map((e) => e.textContent))]`))
	search("no such thing", "0 matches")
	assert.Empty(t, shown())
	assert.True(t, eval[bool](tab, `document.getElementById("no-match").checkVisibility()`))
	search("", "")
	assert.Equal(t, all, shown())
	tab.quiet()
}

// All cards are printed in dark letters on white, even if the screen is dark or cards are closed.
func TestPrint(t *testing.T) {
	tool := program(t, "pdftotext", "poppler-utils")
	tab := open(t, report(t, root, pages["shop"]...))
	tab.view(1280, "dark")
	tab.do(chromedp.Evaluate(`for (const d of document.querySelectorAll("details")) d.open = false`, nil))
	var pdf []byte
	tab.do(chromedp.ActionFunc(func(ctx context.Context) (err error) {
		pdf, _, err = page.PrintToPDF().WithPrintBackground(true).Do(ctx)
		return err
	}))
	file := filepath.Join(t.TempDir(), "report.pdf")
	require.NoError(t, os.WriteFile(file, pdf, 0o600))
	if folder := os.Getenv("BROWSER_PICTURES"); folder != "" {
		require.NoError(t, os.WriteFile(filepath.Join(folder, "shop.pdf"), pdf, 0o644))
	}
	out, err := exec.Command(tool, "-layout", file, "-").Output()
	require.NoError(t, err)
	for _, want := range []string{"shop-42", "the catalog with prices in euros", "postgres@1.2.0", "Steps of delete", "RoleBinding"} {
		assert.Contains(t, string(out), want)
	}
	assert.NotContains(t, string(out), "Expand all")
	assert.Zero(t, eval[int](tab, `document.querySelectorAll("details[open]").length`), "they are closed again")
	tab.quiet()
}

// Texts with markup or scripts remain texts.
func TestHostileDocuments(t *testing.T) {
	folder := t.TempDir()
	hostile := `<img src=x onerror=alert(1)></script><script>alert(2)</script>`
	encoded := strings.ReplaceAll(hostile, `"`, `\"`)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "all.yaml"), fmt.Appendf(nil, "apiVersion: resourceplugins.dev/v1alpha1\nkind: ResourcePlugin\n"+
		"metadata: {name: pp@1.0.0}\nspec:\n  description: %[1]q\n  runner: {image: alpine}\n  create:\n  - {name: %[1]q, script: %[1]q}\n"+
		"---\napiVersion: resourceplugins.dev/v1alpha1\nkind: Sandbox\nmetadata: {name: %[1]q}\nspec:\n  cluster: %[1]q\n", encoded), 0o600))
	tab := open(t, report(t, folder, "."))
	assert.Zero(t, eval[int](tab, `document.querySelectorAll("img").length`))
	assert.Equal(t, 1, eval[int](tab, `document.scripts.length`))
	assert.Contains(t, eval[string](tab, `document.querySelector("#sandboxes").closest("section").textContent`), hostile)
	tab.quiet()
	// The policy would block a script even if a text became one.
	tab.do(chromedp.Evaluate(`{const s = document.createElement("script"); s.textContent = "document.title = 'ran'"; document.body.append(s)}`, nil))
	assert.NotEqual(t, "ran", eval[string](tab, `document.title`))
}

// A page about 1,000 sandboxes remains usable. The test prints the times.
func TestLarge(t *testing.T) {
	folder := t.TempDir()
	plugin, err := os.ReadFile(filepath.Join(root, "examples", "postgres", "plugin.yaml"))
	require.NoError(t, err)
	var all strings.Builder
	all.Write(plugin)
	for n := range 1000 {
		fmt.Fprintf(&all, "\n---\napiVersion: resourceplugins.dev/v1alpha1\nkind: Sandbox\nmetadata: {name: box-%d}\nspec:\n  cluster: c\n"+
			"  resources:\n  - {name: db, plugin: postgres@1.2.0, params: {seed: none}}\n", n)
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, "all.yaml"), []byte(all.String()), 0o600))
	html := report(t, folder, ".")
	tab := open(t, html)
	tab.view(1280, "light")
	timing := eval[map[string]float64](tab, `(({domContentLoadedEventEnd, loadEventEnd}) => ({domContentLoadedEventEnd, loadEventEnd}))(performance.getEntriesByType("navigation")[0])`)
	search := eval[float64](tab, `(() => {
	  const q = document.getElementById("query"), start = performance.now();
	  q.value = "box-77";
	  q.dispatchEvent(new Event("input"));
	  return start;
	})()`)
	tab.do(chromedp.Poll(`document.getElementById("matches").value`, nil))
	took := eval[float64](tab, `performance.now()`) - search
	t.Logf("1000 sandboxes, %d objects: %.1f MB, %d elements, loaded after %.0f ms, found after %.0f ms (120 of them are waited)",
		eval[int](tab, `document.querySelectorAll(".object").length`), float64(len(html))/1e6,
		eval[int](tab, `document.querySelectorAll("*").length`), timing["loadEventEnd"], took)
	assert.Equal(t, "22 matches", eval[string](tab, `document.getElementById("matches").value`), "box-77 and box-770 to box-779, twice")
	// The objects of a card are made from shared text when it is opened, and those without the word are hidden.
	card := `document.getElementById("objects-sandbox-box-771")`
	assert.Zero(t, eval[int](tab, card+`.querySelectorAll(".object").length`))
	tab.do(chromedp.Evaluate(`{
	  const q = document.getElementById("query");
	  q.value = "box-771 rolebinding";
	  document.getElementById("matches").value = "";
	  q.dispatchEvent(new Event("input"));
	}`, nil), chromedp.Poll(`document.getElementById("matches").value === "1 match"`, nil),
		chromedp.Evaluate(card+`.open = true`, nil), chromedp.Poll(card+`.querySelector(".object")`, nil))
	assert.Equal(t, []string{"RoleBinding"},
		eval[[]string](tab, `[...`+card+`.querySelectorAll(".object:not([hidden]) .kind")].map((e) => e.textContent)`))
	yaml := eval[string](tab, card+`.querySelector(".object:not([hidden]) pre").textContent`)
	assert.Contains(t, yaml, "kind: RoleBinding\n")
	assert.Contains(t, yaml, "\n    resourceplugins.dev/sandbox: box-771\n")
	assert.Regexp(t, `^RoleBinding box-771-db-create-[a-z0-9]{12}$`,
		eval[string](tab, card+`.querySelector(".object:not([hidden]) pre").getAttribute("aria-label")`))
	tab.quiet()
}
