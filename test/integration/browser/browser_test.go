// Package browser tests the page of rplug report in a headless Chromium: layout, keyboard navigation, screen readers, and
// printing.
package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// root is the folder of the checkout.
var root = filepath.Join("..", "..", "..")

// leaveOut skips a test because this machine lacks a requirement; with TEST_SKIPS=none it fails.
func leaveOut(t *testing.T, format string, args ...any) {
	t.Helper()
	reason := "skipped: " + fmt.Sprintf(format, args...)
	if os.Getenv("TEST_SKIPS") == "none" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}

// program returns the path of a program of a Debian package, or skips the test.
func program(t *testing.T, name, debian string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		leaveOut(t, "%s is not on the PATH: apt-get install %s", name, debian)
	}
	return path
}

// rplug builds the program once.
var rplug = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "rplug-")
	if err != nil {
		return "", err
	}
	file := filepath.Join(folder, "rplug")
	build := exec.Command("go", "build", "-o", file, "./cmd/rplug")
	build.Dir, build.Env = root, append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("go build: %w\n%s", err, out)
	}
	return file, err
})

func TestMain(m *testing.M) {
	code := m.Run()
	if file, err := rplug(); err == nil {
		_ = os.RemoveAll(filepath.Dir(file))
	}
	os.Exit(code)
}

// report calls rplug report in a folder and returns the page.
func report(t *testing.T, folder string, args ...string) string {
	t.Helper()
	file, err := rplug()
	require.NoError(t, err)
	run := exec.Command(file, append([]string{"report"}, args...)...)
	run.Dir = folder
	var problems strings.Builder
	run.Stderr = &problems
	out, _ := run.Output()
	require.NotEqual(t, 2, run.ProcessState.ExitCode(), problems.String())
	return string(out)
}

// pages are the tested pages.
var pages = map[string][]string{
	"hello":    {"examples/hello-db"},
	"shop":     {"examples/postgres", "examples/shop"},
	"orders":   {"--no-forks", "--exclude", "native", "examples/orders-db"},
	"findings": {"examples"},
}

// tab is a tab of the browser with a page.
type tab struct {
	context.Context
	t *testing.T

	mutex sync.Mutex
	said  []string // messages on the console, and dialogs
}

// open opens a page in a browser. The page is served, since files have other permissions in browsers.
func open(t *testing.T, html string) *tab {
	t.Helper()
	chromium := program(t, "chromium", "chromium")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(html))
	}))
	t.Cleanup(server.Close)
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium), chromedp.NoSandbox,
		chromedp.WSURLReadTimeout(time.Minute), chromedp.Flag("disable-dev-shm-usage", true))
	allocator, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, end := chromedp.NewContext(allocator)
	t.Cleanup(end)
	tt := &tab{Context: ctx, t: t}
	chromedp.ListenTarget(ctx, tt.hear)
	tt.do(log.Enable(), chromedp.Navigate(server.URL))
	return tt
}

// hear records messages and dialogs, which pages should not have.
func (tt *tab) hear(event any) {
	var said string
	switch event := event.(type) {
	case *runtime.EventConsoleAPICalled:
		said = fmt.Sprintf("console: %s", event.Type)
	case *runtime.EventExceptionThrown:
		said = event.ExceptionDetails.Error()
	case *log.EventEntryAdded:
		said = event.Entry.Text
	case *page.EventJavascriptDialogOpening:
		said = "dialog: " + event.Message
	default:
		return
	}
	tt.mutex.Lock()
	tt.said = append(tt.said, said)
	tt.mutex.Unlock()
}

// quiet requires that the page wrote nothing to the console.
func (tt *tab) quiet() {
	tt.t.Helper()
	tt.mutex.Lock()
	defer tt.mutex.Unlock()
	require.Empty(tt.t, tt.said)
}

func (tt *tab) do(actions ...chromedp.Action) {
	tt.t.Helper()
	require.NoError(tt.t, chromedp.Run(tt, actions...))
}

// eval returns the value of an expression of JavaScript.
func eval[T any](tt *tab, expression string) (value T) {
	tt.t.Helper()
	var text string
	tt.do(chromedp.Evaluate("JSON.stringify("+expression+")", &text))
	require.NoError(tt.t, json.Unmarshal([]byte(text), &value), text)
	return value
}

// view sets the width in pixels and the colour scheme.
func (tt *tab) view(width int64, scheme string) {
	tt.t.Helper()
	height := int64(900)
	tt.do(emulation.SetDeviceMetricsOverride(width, height, 1, width < 600),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
}

// The widths of a telephone, a laptop and a large screen.
var widths = []int64{360, 1280, 2560}

var schemes = []string{"light", "dark"}
