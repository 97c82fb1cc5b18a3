package histories

import (
	"fmt"
	"slices"
	"strings"
)

// change makes a random change of the repository, and delivers it.
func (r *modelRepository) change() {
	r.t.Helper()
	switch kind := r.random.IntN(20); {
	case kind < 9:
		r.edit()
	case kind == 9:
		r.startBranch()
	case kind == 10 || kind == 11:
		r.switchBranch()
	case kind < 15:
		r.merge()
	case kind == 15:
		r.revert()
	case kind == 16:
		r.forcePush()
	case kind == 17:
		r.deleteBranch()
	case kind == 18:
		r.repair()
	default:
		r.breakFile()
	}
}

func (r *modelRepository) newSandbox() *modelSandbox {
	s := &modelSandbox{
		name: fmt.Sprintf("s%d", r.random.IntN(5)), cluster: r.clusters[r.random.IntN(2)].name,
		plugin: fmt.Sprintf("db@1.%d.0", r.random.IntN(2)), isNative: r.random.IntN(4) == 0,
	}
	if r.name == "other" { // some names are those of the first repository, too
		s.name = fmt.Sprintf("s%d", 3+r.random.IntN(5))
	}
	if s.name == "s2" { // in each cluster
		s.id, s.isNative = "own-s2", false
	}
	if r.random.IntN(6) == 0 {
		s.name = strings.ToUpper(s.name)
	}
	if s.ttl = []string{"", "90m", "8h", "2d"}[r.random.IntN(4)]; s.ttl != "" {
		s.from = []string{"", "createdAt", "updatedAt"}[r.random.IntN(3)]
	}
	s.size = fmt.Sprintf("%s-%d", r.name, r.random.IntN(2))
	return s
}

// edit changes files, and commits them.
func (r *modelRepository) edit() {
	r.t.Helper()
	tree := r.tree()
	if tree.isUnread() && r.random.IntN(6) == 0 {
		r.repair()
		return
	}
	var made []string
	for range 1 + r.random.IntN(4) {
		if what := r.editOne(tree); what != "" {
			made = append(made, what)
		}
	}
	if len(made) > 0 {
		r.finish(strings.Join(made, ", "), tree)
	}
}

// editOne changes one file, and returns a description of the change, empty without any.
func (r *modelRepository) editOne(tree modelTree) string {
	name, file := some(r.random, tree)
	if file == nil || file.unread != "" || len(file.sandboxes) == 0 || r.random.IntN(3) == 0 {
		return r.create(tree)
	}
	i := r.random.IntN(len(file.sandboxes))
	s := file.sandboxes[i]
	switch r.random.IntN(12) {
	case 0, 1:
		s.size = fmt.Sprintf("%s-%d", r.name, r.random.IntN(9))
		return "edit " + s.name + " to " + s.size
	case 2:
		s.plugin = fmt.Sprintf("db@1.%d.0", r.random.IntN(2))
		return "upgrade " + s.name
	case 3:
		file.format++
		return "format " + name
	case 4:
		to := r.fileName()
		if tree[to] != nil {
			return ""
		}
		delete(tree, name)
		tree[to] = file
		return "rename " + name
	case 5: // split a file in two
		to := r.fileName()
		if tree[to] != nil || len(file.sandboxes) < 2 {
			return ""
		}
		tree[to] = &modelFile{sandboxes: slices.Clone(file.sandboxes[:1])}
		file.sandboxes = file.sandboxes[1:]
		return "split " + name
	case 6, 7, 8:
		file.sandboxes = slices.Delete(file.sandboxes, i, i+1)
		return "delete " + s.cluster + "/" + s.name
	case 9, 10:
		return r.copyToOther(tree, s)
	default:
		delete(tree, name)
		return "delete " + name
	}
}

func (r *modelRepository) fileName() string {
	return fmt.Sprintf("env%d/f%d.yaml", r.random.IntN(2), r.random.IntN(4))
}

// create adds a sandbox to a file.
func (r *modelRepository) create(tree modelTree) string {
	s := r.newSandbox()
	if !tree.add(r.fileName(), s) {
		return ""
	}
	return "create " + s.cluster + "/" + s.name + " " + s.size
}

// copyToOther adds a sandbox to the other cluster, with the same name and id.
func (r *modelRepository) copyToOther(tree modelTree, s *modelSandbox) string {
	copied := *s
	copied.cluster = r.clusters[0].name
	if s.cluster == copied.cluster {
		copied.cluster = r.clusters[1].name
	}
	if !tree.add(r.fileName(), &copied) {
		return ""
	}
	return "copy " + s.cluster + "/" + s.name
}

// add adds a sandbox to a file, unless the file cannot be read or a sandbox has the key.
func (t modelTree) add(to string, s *modelSandbox) bool {
	if t[to] == nil {
		t[to] = &modelFile{}
	}
	if len(t.find(s.key())) > 0 || t[to].unread != "" {
		return false
	}
	t[to].sandboxes = append(t[to].sandboxes, s)
	return true
}

func (r *modelRepository) finish(what string, tree modelTree) {
	r.note("%s", what)
	r.writeTree(tree)
	r.commit(what)
	r.push()
}

// breakFile commits the markers of a conflict.
func (r *modelRepository) breakFile() {
	r.t.Helper()
	tree := r.tree()
	name, file := some(r.random, tree)
	if file == nil || file.unread != "" {
		return
	}
	lines := strings.SplitAfter(file.text(), "\n")
	at := 1 + r.random.IntN(len(lines)-1)
	file.unread = strings.Join(slices.Insert(lines, at, "<<<<<<< HEAD\n", "=======\n", ">>>>>>> other\n"), "")
	r.finish("break "+name, tree)
}

// repair removes conflict markers.
func (r *modelRepository) repair() {
	r.t.Helper()
	tree := r.tree()
	isChanged := false
	for _, file := range tree {
		if file.unread == "" {
			continue
		}
		isChanged = true
		var lines []string
		for line := range strings.Lines(file.unread) {
			if !strings.HasPrefix(line, "<<<<<<<") && !strings.HasPrefix(line, "=======") && !strings.HasPrefix(line, ">>>>>>>") {
				lines = append(lines, line)
			}
		}
		repaired := readModelFile(strings.Join(lines, ""))
		file.unread, file.sandboxes = "", repaired.sandboxes
	}
	if isChanged {
		r.finish("repair", tree)
	}
}
