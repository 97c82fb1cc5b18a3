package histories

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/yaml"
)

// modelSandbox is a sandbox of a file, as the model reads it: with no code of the commands.
type modelSandbox struct {
	name, cluster, id  string // the id is that of an annotation
	isAbsent           bool
	ttl, from          string
	plugin, size       string
	isNative, isMarked bool // isMarked: the annotation with the state is written, even if it is present
}

// sandboxKey identifies a sandbox: names are compared in lower case.
type sandboxKey struct{ cluster, name string }

func (s *modelSandbox) key() sandboxKey {
	return sandboxKey{s.cluster, strings.ToLower(s.name)}
}

// spec returns the fields whose change is an update.
func (s *modelSandbox) spec() string {
	return fmt.Sprint(s.name, s.id, s.isAbsent, s.ttl, s.from, s.plugin, s.size)
}

// content returns the fields of the spec, without the versions of plugins.
func (s *modelSandbox) content() string { return fmt.Sprint(s.ttl, s.from, s.size) }

func (s *modelSandbox) text() string {
	var text strings.Builder
	if s.isNative {
		fmt.Fprintf(&text, "name: %s\n", s.name)
	} else {
		fmt.Fprintf(&text, "apiVersion: resourceplugins.dev/v1alpha1\nkind: Sandbox\nmetadata:\n  name: %s\n", s.name)
		annotations := ""
		if s.id != "" {
			annotations += "    resourceplugins.dev/sandbox-id: " + s.id + "\n"
		}
		if s.isAbsent {
			annotations += "    resourceplugins.dev/state: absent\n"
		} else if s.isMarked {
			annotations += "    resourceplugins.dev/state: present\n"
		}
		if annotations != "" {
			text.WriteString("  annotations:\n" + annotations)
		}
	}
	fmt.Fprintf(&text, "spec:\n  cluster: %s\n", s.cluster)
	if s.ttl != "" {
		fmt.Fprintf(&text, "  ttl:\n    duration: %s\n", s.ttl)
		if s.from != "" {
			fmt.Fprintf(&text, "    offsetFrom: %s\n", s.from)
		}
	}
	fmt.Fprintf(&text, "  resources:\n  - name: db\n    plugin: %s\n    params:\n      size: %q\n", s.plugin, s.size)
	return text.String()
}

// modelFile is a file with sandboxes.
type modelFile struct {
	sandboxes []*modelSandbox
	// format changes the text, and no document.
	format int
	// unread is the text if it has conflict markers.
	unread string
}

func (f *modelFile) text() string {
	if f.unread != "" {
		return f.unread
	}
	texts := make([]string, len(f.sandboxes))
	for i, s := range f.sandboxes {
		texts[i] = s.text()
	}
	return fmt.Sprintf("# format %d\n", f.format) + strings.Join(texts, "---\n")
}

// readModelFile reads a text.
func readModelFile(text string) *modelFile {
	f := &modelFile{}
	if strings.Contains(text, "<<<<<<<") {
		f.unread = text
		return f
	}
	_, _ = fmt.Sscanf(text, "# format %d\n", &f.format)
	for part := range strings.SplitSeq("\n"+text, "\n---\n") {
		s, err := readModelSandbox(part)
		if err != nil {
			f.unread = text
			return f
		}
		if s != nil {
			f.sandboxes = append(f.sandboxes, s)
		}
	}
	return f
}

func readModelSandbox(text string) (*modelSandbox, error) {
	var d struct {
		Kind, Name string
		Metadata   struct {
			Name        string
			Annotations map[string]string
		}
		Spec struct {
			Cluster   string
			TTL       struct{ Duration, OffsetFrom string }
			Resources []struct {
				Plugin string
				Params map[string]string
			}
		}
	}
	if err := yaml.UnmarshalStrict([]byte(text), &struct{}{}); err != nil && !strings.Contains(err.Error(), "unknown field") {
		return nil, err // not YAML, or a key twice
	}
	if err := yaml.Unmarshal([]byte(text), &d); err != nil || len(d.Spec.Resources) == 0 {
		return nil, err
	}
	state, isMarked := d.Metadata.Annotations["resourceplugins.dev/state"]
	return &modelSandbox{
		name: d.Metadata.Name + d.Name, cluster: d.Spec.Cluster, id: d.Metadata.Annotations["resourceplugins.dev/sandbox-id"],
		isAbsent: state == "absent", isMarked: isMarked, isNative: d.Kind == "",
		ttl: d.Spec.TTL.Duration, from: d.Spec.TTL.OffsetFrom,
		plugin: d.Spec.Resources[0].Plugin, size: d.Spec.Resources[0].Params["size"],
	}, nil
}

// modelTree is the files of a commit with sandboxes, by their paths.
type modelTree map[string]*modelFile

// find returns all sandboxes of a key.
func (t modelTree) find(key sandboxKey) (found []*modelSandbox) {
	for _, f := range t {
		for _, s := range f.sandboxes {
			if s.key() == key {
				found = append(found, s)
			}
		}
	}
	return found
}

// wants reports whether a sandbox has a key, or an id, which clusters may share.
func (t modelTree) wants(key sandboxKey, id string) bool {
	for _, f := range t {
		for _, s := range f.sandboxes {
			if s.key() == key || s.id == id {
				return true
			}
		}
	}
	return false
}

// mayHave reports whether a file that cannot be read names a sandbox.
func (t modelTree) mayHave(name string) bool {
	for _, f := range t {
		if strings.Contains(strings.ToLower(f.unread), strings.ToLower(name)) {
			return true
		}
	}
	return false
}

func (t modelTree) isUnread() bool {
	for _, f := range t {
		if f.unread != "" {
			return true
		}
	}
	return false
}

// keys returns the sandboxes, sorted.
func (t modelTree) keys() (all []sandboxKey) {
	for _, f := range t {
		for _, s := range f.sandboxes {
			all = append(all, s.key())
		}
	}
	slices.SortFunc(all, func(a, b sandboxKey) int { return strings.Compare(a.cluster+"/"+a.name, b.cluster+"/"+b.name) })
	return slices.Compact(all)
}

// modelCommit is a commit of the model.
type modelCommit struct {
	tree modelTree
	// time is when it counts, and written the one that is written on it: clocks may be late.
	time, written time.Time
	// lives are those of the sandboxes on the branch.
	lives map[sandboxKey]modelLife
}

// modelLife is since when a sandbox exists, and is as it is. It is unsure after a commit in which its file could not be
// read.
type modelLife struct {
	created, updated time.Time
	isUnsure         bool
}

// newModelCommit compares the sandboxes of a commit with those of its first parent, nil if it is the first one.
func newModelCommit(parent *modelCommit, tree modelTree, written time.Time) *modelCommit {
	c := &modelCommit{tree: tree, time: written, written: written, lives: map[sandboxKey]modelLife{}}
	if parent == nil {
		parent = &modelCommit{}
	}
	if c.time.Before(parent.time) {
		c.time = parent.time
	}
	isUnread := parent.tree.isUnread() || tree.isUnread()
	for _, key := range tree.keys() {
		now, before := tree.find(key), parent.tree.find(key)
		life, wasKnown := parent.lives[key]
		switch {
		case len(now) > 1 || len(before) > 1:
			life = modelLife{c.time, c.time, true}
		case len(before) == 0 || before[0].isAbsent && !now[0].isAbsent:
			life = modelLife{c.time, c.time, isUnread}
		case now[0].spec() != before[0].spec():
			life.updated = c.time
		}
		life.isUnsure = life.isUnsure || isUnread || len(before) > 0 && !wasKnown
		c.lives[key] = life
	}
	return c
}
