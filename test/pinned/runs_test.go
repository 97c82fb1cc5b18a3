package pinned

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// recorder runs programs in a folder and keeps the facts of each run; runs with the same facts share them.
type recorder struct {
	t                *testing.T
	programs, folder string
	facts            []string            // in the order of the first runs
	titles           map[string][]string // of runs with the same facts
}

// newRecorder creates a folder with a link to another folder.
func newRecorder(t *testing.T, programs, linked string) *recorder {
	t.Helper()
	folder := t.TempDir()
	require.NoError(t, os.Symlink(linked, filepath.Join(folder, filepath.Base(linked))))
	return &recorder{t: t, programs: programs, folder: folder, titles: map[string][]string{}}
}

func (r *recorder) String() string {
	var out strings.Builder
	for _, facts := range r.facts {
		fmt.Fprintf(&out, "$ %s\n%s\n", strings.Join(r.titles[facts], "\n$ "), facts)
	}
	return out.String()
}

// line makes the runs of a line of an archive.
func (r *recorder) line(line string) {
	command, list, isList := strings.Cut(line, " < ")
	var content []byte
	if isList {
		var err error
		content, err = os.ReadFile(filepath.Join(r.folder, list))
		require.NoError(r.t, err)
	}
	program, paths, _ := strings.Cut(command, " ")
	switch all := program == "matrix"; {
	case program != "chain" && !all:
		r.run(line, content)
	case isList:
		r.pipe("< "+list, content, all)
	default:
		r.files(paths, all)
		r.pipe("< list of "+paths, r.list(paths), false)
	}
}

// files runs every function in file mode.
func (r *recorder) files(paths string, all bool) {
	phases, routings := modes(all)
	r.run("validate-plugin --output json "+paths, nil)
	r.run("resolve-version --keep-inputs "+paths, nil)
	for _, flags := range phases {
		r.run("render-phase "+flags+paths, nil)
	}
	for _, flags := range routings {
		r.run("render-sandbox "+flags+paths, nil)
	}
}

var (
	functionConfig = regexp.MustCompile(`(?m)^functionConfig:.*\n(?:[ #-].*\n|\n)*`)
	flag           = regexp.MustCompile(`--(\S+) (\S+) `)
)

// pipe runs every function on the ResourceList from the previous one, with the flags as a ConfigMap.
func (r *recorder) pipe(from string, list []byte, all bool) {
	run := func(program, flags string) []byte {
		input := list
		if !bytes.HasPrefix(list, []byte("{")) {
			input = fmt.Appendf(functionConfig.ReplaceAll(list, nil), "functionConfig: {apiVersion: v1, kind: ConfigMap, "+
				"metadata: {name: pinned}, data: {%s}}\n", flag.ReplaceAllString(flags, `"$1": "$2", `))
		}
		return r.run(program+" "+flags+from, input)
	}
	phases, routings := modes(all)
	run("validate-plugin", "")
	list, from = run("resolve-version", ""), from+" | resolve-version"
	rendered := run("render-phase", "")
	for _, flags := range phases {
		run("render-phase", flags)
	}
	list, from = rendered, from+" | render-phase"
	run("render-phase", "")
	for _, flags := range routings {
		run("render-sandbox", flags)
	}
}

// modes returns the flags of render-phase and render-sandbox.
func modes(all bool) (phases, routings []string) {
	if !all {
		return []string{"--phases create ", "--phases delete "}, []string{"--routing none "}
	}
	for _, workload := range []string{"Job", "Pod"} {
		for _, delivery := range []string{"kubectl", "argocd", "flux", "helm", "kpt"} {
			for _, phase := range []string{"create", "delete", "create,delete"} {
				phases = append(phases, fmt.Sprintf("--phases %s --delivery %s --workload %s ", phase, delivery, workload))
			}
		}
	}
	return phases, []string{"--routing none ", "--routing istio ", "--routing gateway-api "}
}

// list creates a ResourceList of the KRM documents in the paths.
func (r *recorder) list(paths string) []byte {
	list := []byte("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n")
	for _, path := range strings.Fields(paths) {
		root, err := filepath.EvalSymlinks(filepath.Join(r.folder, path))
		require.NoError(r.t, err)
		require.NoError(r.t, filepath.Walk(root, func(file string, _ os.FileInfo, err error) error {
			if err != nil || filepath.Ext(file) != ".yaml" || filepath.Base(file) == "kustomization.yaml" {
				return err
			}
			content, err := os.ReadFile(file)
			for _, document := range strings.Split("\n"+strings.TrimPrefix(string(content), "---\n"), "\n---\n") {
				if strings.Contains(document, "\nkind: ") {
					list = append(list, "-"+strings.ReplaceAll("\n"+strings.Trim(document, "\n"), "\n", "\n  ")+"\n"...)
				}
			}
			return err
		}))
	}
	return list
}

// run runs the program named by the first word of a title, with the other words as arguments, or with a ResourceList.
func (r *recorder) run(title string, list []byte) (stdout []byte) {
	r.t.Helper()
	words := strings.Fields(title)
	command := exec.Command(filepath.Join(r.programs, words[0]))
	if list == nil {
		command.Args = words
	}
	var out, messages bytes.Buffer
	command.Dir, command.Stdin, command.Stdout, command.Stderr = r.folder, bytes.NewReader(list), &out, &messages
	var failed *exec.ExitError
	if err := command.Run(); !errors.As(err, &failed) {
		require.NoError(r.t, err)
	}
	facts := fmt.Sprintf("exit %d\n%s", command.ProcessState.ExitCode(), factsOf(r.t, out.Bytes(), messages.String()))
	if r.titles[facts] == nil {
		r.facts = append(r.facts, facts)
	}
	r.titles[facts] = append(r.titles[facts], title)
	return out.Bytes()
}
