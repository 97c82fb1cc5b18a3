package history_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/resource-plugins/krm-functions/commands/lifecycle/history"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/test/framework/checkout"
)

// start is when the first commit is made.
var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// doc is a sandbox of the model, with the times that the history must find.
type doc struct {
	version          int
	absent           bool
	created, updated time.Time
	// isUnsure means that a commit had its file in a state that cannot be read.
	isUnsure bool
}

// model is a branch: files with sandboxes by their names.
type model struct {
	random  *rand.Rand
	files   map[string]map[string]*doc
	broken  map[string]bool // files with conflict markers
	format  map[string]int  // changes of it change no document
	stream  bytes.Buffer    // for git fast-import
	commits int
	clock   time.Time
	latest  time.Time
	older   []map[string]map[string]doc
	isExact bool // all clocks are right
}

func (m *model) text(file string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "# format %d\n", m.format[file])
	conflict := ""
	if m.broken[file] {
		conflict = "<<<<<<< HEAD\n"
	}
	for _, name := range slices.Sorted(maps.Keys(m.files[file])) {
		d := m.files[file][name]
		state := "present"
		if d.absent {
			state = "absent"
		}
		fmt.Fprintf(&text, "---\napiVersion: resourceplugins.dev/v1alpha1\nkind: Sandbox\nmetadata:\n  name: %s\n  annotations:\n"+
			"    resourceplugins.dev/state: %s\n%sspec:\n  cluster: demo\n  labels: {version: \"%d\"}\n  ttl: {duration: 2d}\n", name, state, conflict,
			d.version)
	}
	return text.String()
}

// find returns the file of a sandbox, empty if no file has it.
func (m *model) find(name string) string {
	for _, file := range slices.Sorted(maps.Keys(m.files)) {
		if m.files[file][name] != nil {
			return file
		}
	}
	return ""
}

func (m *model) file() string {
	return fmt.Sprintf("dir%d/f%d.yaml", m.random.IntN(2), m.random.IntN(4))
}
func (m *model) name() string { return fmt.Sprintf("s%d", m.random.IntN(6)) }

// put adds a sandbox to a file.
func (m *model) put(file, name string, d *doc) {
	if m.files[file] == nil {
		m.files[file] = map[string]*doc{}
	}
	m.files[file][name] = d
}

func (m *model) remove(file, name string) {
	if delete(m.files[file], name); len(m.files[file]) == 0 {
		delete(m.files, file)
		delete(m.broken, file)
	}
}

// move moves a sandbox to another file, which must be readable, as must its own.
func (m *model) move(name, to string) {
	from := m.find(name)
	if from == "" || from == to || m.broken[from] || m.broken[to] {
		return
	}
	d := m.files[from][name]
	m.remove(from, name)
	m.put(to, name, d)
}

// change makes a random change.
func (m *model) change() {
	name := m.name()
	file := m.find(name)
	switch kind := m.random.IntN(10); {
	case kind < 3 && file == "":
		if to := m.file(); !m.broken[to] {
			m.put(to, name, &doc{version: m.random.IntN(3)})
		}
	case file == "" || m.broken[file]:
	case kind < 3:
		m.files[file][name].version++
	case kind == 3:
		m.move(name, m.file())
	case kind == 4: // rename
		to := m.file()
		if m.files[to] == nil && !m.broken[to] {
			for _, one := range slices.Sorted(maps.Keys(m.files[file])) {
				m.move(one, to)
			}
		}
	case kind == 5:
		m.remove(file, name)
	case kind == 6:
		d := m.files[file][name]
		d.absent = !d.absent
	default:
		m.format[file]++
	}
}

// breakFile commits conflict markers to a file, and a later commit removes them: the earlier state cannot be known.
func (m *model) breakFile() {
	for _, file := range slices.Sorted(maps.Keys(m.files)) {
		if m.random.IntN(3) == 0 && !m.broken[file] {
			m.broken[file] = true
			return
		}
	}
}

func (m *model) repair(at time.Time) {
	for file := range m.broken {
		delete(m.broken, file)
		for _, d := range m.files[file] {
			d.created, d.updated, d.isUnsure = at, at, true
		}
	}
}

// next returns the time of the next commit, and the one that is written on it: some clocks are late.
func (m *model) next() (at, written time.Time) {
	m.clock = m.clock.Add(time.Duration(1+m.random.IntN(100)) * time.Minute)
	written = m.clock
	if !m.isExact && m.random.IntN(8) == 0 {
		written = m.clock.Add(-time.Duration(m.random.IntN(3000)) * time.Minute)
	}
	if at = written; at.Before(m.latest) {
		at = m.latest
	}
	m.latest = at
	return at, written
}

// commit writes the files as a commit of a branch; a side branch is its second parent.
func (m *model) commit(branch string, at time.Time, parents ...string) {
	m.commits++
	fmt.Fprintf(&m.stream, "commit refs/heads/%s\nmark :%d\ncommitter t <t@localhost> %d +0000\ndata 1\nx", branch, m.commits, at.Unix())
	for i, parent := range parents {
		fmt.Fprintf(&m.stream, "\n%s %s", []string{"from", "merge"}[i], parent)
	}
	m.stream.WriteString("\ndeleteall\n")
	for _, file := range slices.Sorted(maps.Keys(m.files)) {
		text := m.text(file)
		fmt.Fprintf(&m.stream, "M 100644 inline %s\ndata %d\n%s\n", file, len(text), text)
	}
}

// run makes a history.
func (m *model) run() {
	main := ""
	for range 5 + m.random.IntN(25) {
		at, written := m.next()
		before := m.byName()
		var parents []string
		if main != "" {
			parents = []string{main}
		}
		kind := m.random.IntN(12)
		switch {
		case kind == 0 && main != "": // a side branch that is merged: its own commits do not count
			side := m.commits
			m.commit("side", written.Add(-time.Hour), main)
			for range 1 + m.random.IntN(3) {
				m.change()
			}
			parents = append(parents, fmt.Sprintf(":%d", side+1))
		case kind == 1: // a squash: several changes at once
			for range 1 + m.random.IntN(4) {
				m.change()
			}
		case kind == 2 && len(m.older) > 0:
			m.revert(m.older[m.random.IntN(len(m.older))])
		case kind == 3:
			m.breakFile()
		default:
			m.change()
		}
		m.settle(before, at)
		if kind > 3 && m.random.IntN(4) == 0 {
			m.repair(at)
		}
		m.commit("main", written, parents...)
		main = fmt.Sprintf(":%d", m.commits)
		m.older = append(m.older, m.copy())
	}
	at, written := m.next()
	m.repair(at)
	m.commit("main", written, main)
}

func (m *model) copy() map[string]map[string]doc {
	all := map[string]map[string]doc{}
	for file, docs := range m.files {
		all[file] = map[string]doc{}
		for name, d := range docs {
			all[file][name] = *d
		}
	}
	return all
}

// revert returns to an older state.
func (m *model) revert(state map[string]map[string]doc) {
	if len(m.broken) > 0 {
		return
	}
	m.files = map[string]map[string]*doc{}
	for file, docs := range state {
		for name, old := range docs {
			m.put(file, name, &doc{version: old.version, absent: old.absent})
		}
	}
}

func (m *model) byName() map[string]doc {
	all := map[string]doc{}
	for _, docs := range m.files {
		for name, d := range docs {
			all[name] = *d
		}
	}
	return all
}

// settle sets the times of each sandbox from its states before and after a commit.
func (m *model) settle(before map[string]doc, at time.Time) {
	for _, docs := range m.files {
		for name, d := range docs {
			was, isOld := before[name]
			switch {
			case !isOld || was.absent && !d.absent:
				d.created, d.updated, d.isUnsure = at, at, false
			case was.version != d.version || was.absent != d.absent:
				d.created, d.updated, d.isUnsure = was.created, at, was.isUnsure
			default:
				d.created, d.updated, d.isUnsure = was.created, was.updated, was.isUnsure
			}
		}
	}
}

func git(t *testing.T, stdin []byte, args ...string) {
	t.Helper()
	command := exec.Command("git", args...)
	command.Stdin = bytes.NewReader(stdin)
	out, err := command.CombinedOutput()
	require.NoError(t, err, "git %v: %s", args, out)
}

// Random histories are compared with a model: no sandbox is older than it is, and none is unknown that can be known. The test
// changes the working folder, so it is not parallel.
func TestLives_ofRandomHistories(t *testing.T) {
	random, histories := checkout.Random(t), checkout.Rounds(30)
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	sandboxes, unsure := 0, 0
	for range histories {
		m := &model{
			random: random, files: map[string]map[string]*doc{}, broken: map[string]bool{}, format: map[string]int{}, clock: start,
			isExact: random.IntN(2) == 0,
		}
		m.run()
		folder := t.TempDir()
		git(t, nil, "init", "-q", "-b", "main", folder)
		git(t, m.stream.Bytes(), "-C", folder, "fast-import", "--quiet")
		git(t, nil, "-C", folder, "reset", "-q", "--hard", "main")
		now := m.clock.Add(24 * time.Hour)
		for _, life := range lives(t, folder, now) {
			d := m.files[m.find(life.name)][life.name]
			sandboxes++
			if d.isUnsure {
				unsure++
				assert.NotEmpty(t, life.Created.Unknown, life.name)
			} else {
				assert.Empty(t, life.Created.Unknown, life.name)
			}
			require.Equal(t, d.created, life.Created.Time, "created %s\n%s", life.name, m.stream.String())
			require.Equal(t, d.updated, life.Updated.Time, "updated %s\n%s", life.name, m.stream.String())
		}
		if !m.isExact {
			continue // a shallow clone lacks the commits that show that a clock is late
		}
		depth := 1 + random.IntN(5)
		shallow := t.TempDir()
		git(t, nil, "clone", "-q", "--depth", fmt.Sprint(depth), "file://"+folder, shallow)
		for _, life := range lives(t, shallow, now) {
			d := m.files[m.find(life.name)][life.name]
			require.False(t, life.Created.Time.Before(d.created), life.name)
			if life.Created.Unknown == "" {
				require.Equal(t, d.created, life.Created.Time, life.name)
			}
		}
	}
	t.Logf("%d histories: %d sandboxes, %d of them unknown", histories, sandboxes, unsure)
	require.NotZero(t, sandboxes-unsure)
}

type named struct {
	history.Life
	name string
}

// lives returns the lives of the sandboxes of a folder that are not absent.
func lives(t *testing.T, folder string, now time.Time) (all []named) {
	t.Helper()
	t.Chdir(folder)
	read, err := load.Read([]string{"."}, load.Options{})
	require.NoError(t, err)
	read.Documents = slices.DeleteFunc(read.Documents, func(d load.Document) bool {
		state, _ := d.Item.Annotation("resourceplugins.dev/state")
		return state == "absent"
	})
	h, err := history.Open(load.Options{}, now)
	require.NoError(t, err)
	found, err := h.Lives(read.Documents, read.Documents)
	require.NoError(t, err)
	require.NoError(t, h.Close())
	for i, d := range read.Documents {
		all = append(all, named{found[i], d.Item.Name()})
	}
	return all
}

// The error has the advice.
func TestOpen_outsideOfARepository(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(t.TempDir()))
	_, err := history.Open(load.Options{}, start)
	require.ErrorContains(t, err, "the working folder must be in the work tree of a git repository")
}
