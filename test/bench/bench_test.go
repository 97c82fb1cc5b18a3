package bench

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

var functions = []string{"validate-plugin", "resolve-version", "render-phase", "render-sandbox"}

// BenchmarkStart compares the start of a process on an empty list with a program on kyaml's framework that does nothing.
func BenchmarkStart(b *testing.B) {
	empty := filepath.Join(b.TempDir(), "empty.yaml")
	require.NoError(b, os.WriteFile(empty, []byte(strings.TrimSuffix(listHead, "\n")+" []\n"), 0o600))
	kyaml := kyamlNoop(b, empty)
	contestants := []*contestant{kyaml}
	for _, s := range sets(b) {
		for _, name := range functions {
			contestants = append(contestants, s.contestant(name, empty, kyaml))
		}
	}
	contest(b, contestants...)
}

// BenchmarkPassThrough compares a list of 6,000 foreign objects with a program on kyaml's framework.
func BenchmarkPassThrough(b *testing.B) {
	list := filepath.Join(b.TempDir(), "list.yaml")
	require.NoError(b, writeForeignList(list, 6000))
	kyaml := kyamlNoop(b, list)
	contestants := []*contestant{kyaml}
	for _, s := range sets(b) {
		ours := s.contestant("validate-plugin", list)
		contestants, kyaml.against = append(contestants, ours), append(kyaml.against, ours)
	}
	contest(b, contestants...)
}

// Scripts of the chain: piped, on files, and with forks.
const (
	chainPiped = `"$1/validate-plugin" | "$1/resolve-version" | "$1/render-phase"`
	chainFiles = `"$1/validate-plugin" "$2" && "$1/resolve-version" --keep-inputs "$2" | "$1/render-phase" -`
	chainForks = chainPiped + ` | "$1/render-sandbox"`
)

// BenchmarkChain compares the whole chain, piped and in file mode, with helm printing as many Jobs.
func BenchmarkChain(b *testing.B) {
	contestWithHelm(b, writeList, jobTemplate, map[string]string{"piped": chainPiped, "files": chainFiles})
}

// BenchmarkForks compares the whole piped chain over sandboxes with a resource and three forks each with helm printing as
// many Jobs, Deployments and Services.
func BenchmarkForks(b *testing.B) {
	contestWithHelm(b, writeForkList, forkTemplate, map[string]string{"forks": chainForks})
}

// chainOfCommands has the same effect as rplug build with a pipe of subcommands: it prints the rendered objects.
const chainOfCommands = `r=$1/rplug; "$r" validate "$2" && "$r" resolve --keep-inputs "$2" | "$r" render --keep-inputs - | "$r" fork --keep-inputs -`

// BenchmarkBuild compares rplug build over 10,000 sandboxes with the pipe: to stdout, to an existing folder, and checking
// that folder. The runs of a ratio take turns.
func BenchmarkBuild(b *testing.B) {
	documents := b.TempDir()
	require.NoError(b, writeBuildDocuments(documents, 10000))
	var contestants []*contestant
	for _, s := range sets(b) {
		out := filepath.Join(b.TempDir(), "out")
		piped := &contestant{name: "piped" + s.suffix, argv: []string{"bash", "-o", "pipefail", "-c", chainOfCommands, "bench", s.folder, documents}}
		build := func(name string, against []*contestant, flags ...string) *contestant {
			argv := append([]string{filepath.Join(s.folder, "rplug"), "build"}, flags...)
			return &contestant{name: name + s.suffix, argv: append(argv, documents), against: against}
		}
		stdout := build("build", []*contestant{piped})
		write := build("write", []*contestant{piped, stdout}, "--output-dir", out)
		require.NoError(b, write.run())
		write.walls, write.cpus = nil, nil
		contestants = append(contestants, piped, stdout, write, build("check", []*contestant{stdout}, "--check", out))
	}
	contest(b, contestants...)
}

// BenchmarkParts measures rplug build over 10,000 sandboxes that use a step with an output, on one core, and over ten times as
// many.
func BenchmarkParts(b *testing.B) {
	const sandboxes = 10000
	few, many := b.TempDir(), b.TempDir()
	require.NoError(b, writeOutputs(few, sandboxes))
	require.NoError(b, writeOutputs(many, 10*sandboxes))
	var contestants []*contestant
	for _, s := range sets(b) {
		program := filepath.Join(s.folder, "rplug")
		all := &contestant{name: "parts" + s.suffix, argv: []string{program, "build", few}}
		contestants = append(contestants, all,
			&contestant{name: "one-core" + s.suffix, argv: []string{"env", "GOMAXPROCS=1", program, "build", few}, against: []*contestant{all}},
			&contestant{name: "tenfold" + s.suffix, argv: []string{program, "build", many}, against: []*contestant{all}})
	}
	contest(b, contestants...)
}

// contestWithHelm compares scripts over 1,000 and 10,000 sandboxes with helm and with each other.
func contestWithHelm(b *testing.B, write func(string, int) error, template string, scripts map[string]string) {
	b.Helper()
	helm, sets := checkout.Tool(b, "helm"), sets(b)
	var contestants []*contestant
	before := map[string]*contestant{}
	for _, n := range []int{1000, 10000} {
		list, documents, chart := filepath.Join(b.TempDir(), "list.yaml"), b.TempDir(), b.TempDir()
		require.NoError(b, write(list, n))
		require.NoError(b, writeDocuments(documents, n))
		require.NoError(b, writeChart(chart, n, template))
		peer := &contestant{name: fmt.Sprint("helm-", n), argv: []string{helm, "template", "bench", chart}}
		contestants = append(contestants, peer)
		for _, name := range slices.Sorted(maps.Keys(scripts)) {
			for _, s := range sets {
				ours := s.contestant(fmt.Sprint(name, "-", n), list, peer)
				ours.argv = []string{"bash", "-o", "pipefail", "-c", scripts[name], "bench", s.folder, documents}
				if fewer := before[name+s.suffix]; fewer != nil {
					ours.against = append(ours.against, fewer)
				}
				before[name+s.suffix] = ours
				contestants = append(contestants, ours)
			}
		}
	}
	contest(b, contestants...)
}

// BenchmarkPhase measures render-phase over 100,000 sandboxes: its time, and its memory in relation to its output.
func BenchmarkPhase(b *testing.B) {
	list := filepath.Join(b.TempDir(), "list.yaml")
	require.NoError(b, writeList(list, 100000))
	var contestants []*contestant
	for _, s := range sets(b) {
		contestants = append(contestants, s.contestant("render-phase", list))
	}
	contest(b, contestants...)
}

// set is a folder with our programs.
type set struct{ suffix, folder string }

// sets returns the programs of this checkout, and with BASE those in another folder, such as the bin/ of an earlier commit.
func sets(b *testing.B) []set {
	b.Helper()
	folder := b.TempDir()
	require.NoError(b, checkout.BuildFunctions(folder))
	require.NoError(b, checkout.BuildProgram(filepath.Join(folder, "rplug"), "cmd/rplug"))
	sets := []set{{"", folder}}
	if base := os.Getenv("BASE"); base != "" {
		sets = append(sets, set{"-base", base})
	}
	return sets
}

// contestant returns a program with the contestants to compare it with.
func (s set) contestant(name, stdin string, against ...*contestant) *contestant {
	return &contestant{name: name + s.suffix, stdin: stdin, argv: []string{filepath.Join(s.folder, name)}, against: against}
}

func kyamlNoop(b *testing.B, stdin string) *contestant {
	b.Helper()
	file := filepath.Join(b.TempDir(), "kyaml-noop")
	require.NoError(b, checkout.BuildProgram(file, "test/bench/testdata/kyaml-noop"))
	return &contestant{name: "kyaml", stdin: stdin, argv: []string{file}}
}
