package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/checkout"
)

var functions = []string{"validate-plugin", "resolve-version", "render-phase", "render-sandbox"}

// BenchmarkStart is the start of a process on an empty list against a program that only copies stdin.
func BenchmarkStart(b *testing.B) {
	bin := build(b)
	empty := filepath.Join(b.TempDir(), "empty.yaml")
	require.NoError(b, os.WriteFile(empty, []byte("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n"), 0o600))
	contestants := []*contestant{{name: "copier", stdin: empty, argv: []string{program(b, "copier")}}}
	for _, name := range functions {
		contestants = append(contestants, &contestant{name: name, stdin: empty, argv: []string{filepath.Join(bin, name)}})
	}
	contest(b, contestants...)
}

// BenchmarkPassThrough is a list of 6,000 foreign objects against the same on kyaml's framework.
func BenchmarkPassThrough(b *testing.B) {
	bin := build(b)
	list := filepath.Join(b.TempDir(), "list.yaml")
	require.NoError(b, writeForeignList(list, 6000))
	info, err := os.Stat(list)
	require.NoError(b, err)
	kyaml := &contestant{name: "kyaml", stdin: list, argv: []string{program(b, "kyaml-noop")}}
	ours := &contestant{name: "validate-plugin", stdin: list, argv: []string{filepath.Join(bin, "validate-plugin")}}
	contest(b, kyaml, ours)
	b.ReportMetric(float64(kyaml.median())/float64(ours.median()), "times-faster")
	b.ReportMetric(float64(info.Size())/(1<<20), "input-MB")
}

// BenchmarkChain is the whole chain, piped and in file mode, against helm printing as many Jobs.
func BenchmarkChain(b *testing.B) {
	bin, helm := build(b), helm(b)
	for _, n := range []int{1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			list, documents, chart := filepath.Join(b.TempDir(), "list.yaml"), b.TempDir(), b.TempDir()
			require.NoError(b, writeList(list, n))
			require.NoError(b, writeDocuments(documents, n))
			require.NoError(b, writeChart(chart, n, jobTemplate))
			shell := func(script string) []string {
				return []string{"bash", "-o", "pipefail", "-c", script, "bench", bin, documents}
			}
			contest(b,
				&contestant{name: "helm", argv: []string{helm, "template", "bench", chart}},
				&contestant{name: "piped", stdin: list, argv: shell(`"$1/validate-plugin" | "$1/resolve-version" | "$1/render-phase"`)},
				&contestant{name: "files", argv: shell(
					`"$1/validate-plugin" "$2" && "$1/resolve-version" --keep-inputs "$2" | "$1/render-phase" -`)},
			)
		})
	}
}

// BenchmarkForks is the whole chain over sandboxes with a resource and three forks each, piped, against helm printing as many
// Jobs, Deployments and Services.
func BenchmarkForks(b *testing.B) {
	bin, helm := build(b), helm(b)
	for _, n := range []int{1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			list, chart := filepath.Join(b.TempDir(), "list.yaml"), b.TempDir()
			require.NoError(b, writeForkList(list, n))
			require.NoError(b, writeChart(chart, n, forkTemplate))
			contest(b,
				&contestant{name: "helm", argv: []string{helm, "template", "bench", chart}},
				&contestant{name: "piped", stdin: list, argv: []string{"bash", "-o", "pipefail", "-c",
					`"$1/validate-plugin" | "$1/resolve-version" | "$1/render-phase" | "$1/render-sandbox"`, "bench", bin}},
			)
		})
	}
}

func build(b *testing.B) string {
	b.Helper()
	folder := b.TempDir()
	require.NoError(b, checkout.BuildFunctions(folder))
	return folder
}

func program(b *testing.B, name string) string {
	b.Helper()
	file := filepath.Join(b.TempDir(), name)
	require.NoError(b, checkout.BuildProgram(file, "test/bench/testdata/"+name))
	return file
}

// helm finds the helm that `make bench` has built, or one on the PATH.
func helm(b *testing.B) string {
	b.Helper()
	pinned := filepath.Join(checkout.Root(), "bin", "tools", "helm")
	if _, err := os.Stat(pinned); err == nil {
		return pinned
	}
	file, err := exec.LookPath("helm")
	if err != nil {
		checkout.Skip(b, "there is no helm: run `make bench`, which builds it")
	}
	return file
}
