package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// wideElements are elements that extend beyond the window and cannot be scrolled.
const wideElements = `[...document.body.querySelectorAll("*")].filter((e) => {
  const box = e.getBoundingClientRect();
  if (!box.width || box.right <= innerWidth + 0.5 && box.left >= -0.5) return false;
  for (let at = e.parentElement; at; at = at.parentElement) {
    if (["auto", "scroll", "hidden"].includes(getComputedStyle(at).overflowX)) return false;
  }
  return !e.classList.contains("skip");
}).map((e) => e.localName + "." + e.className).slice(0, 5)`

// pale are texts with insufficient contrast: WCAG 2.2 requires 4.5.
const pale = `(() => {
  const channels = (color) => color.match(/[\d.]+/g).map(Number);
  const luminance = (color) => {
    const [r, g, b] = channels(color).slice(0, 3).map((v) => {
      v /= 255;
      return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const found = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !e.checkVisibility({checkVisibilityCSS: true}) || e.closest("svg, script, style")) continue;
    let behind = e;
    while (behind && (channels(getComputedStyle(behind).backgroundColor)[3] ?? 1) === 0) behind = behind.parentElement;
    if (!behind) continue;
    const [a, b] = [luminance(getComputedStyle(e).color), luminance(getComputedStyle(behind).backgroundColor)];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) found.add(e.localName + "." + e.className + " " + contrast.toFixed(1));
  }
  return [...found];
})()`

// BROWSER_PICTURES=FOLDER writes a picture of each page.
func TestLayout(t *testing.T) {
	for name, args := range pages {
		t.Run(name, func(t *testing.T) {
			tab := open(t, report(t, root, args...))
			for _, width := range widths {
				for _, scheme := range schemes {
					tab.view(width, scheme)
					view := fmt.Sprintf("%s at %d, %s", name, width, scheme)
					assert.LessOrEqual(t, eval[int64](tab, `document.documentElement.scrollWidth`), width, view)
					assert.Empty(t, eval[[]string](tab, wideElements), view)
					assert.Empty(t, eval[[]string](tab, pale), view)
					tab.picture(fmt.Sprintf("%s-%d-%s.png", name, width, scheme))
				}
			}
			tab.quiet()
		})
	}
}

// picture writes a picture of the whole page if the environment asks for it.
func (tt *tab) picture(name string) {
	folder := os.Getenv("BROWSER_PICTURES")
	if folder == "" {
		return
	}
	var image []byte
	tt.do(chromedp.FullScreenshot(&image, 100))
	require.NoError(tt.t, os.WriteFile(filepath.Join(folder, name), image, 0o644))
}
