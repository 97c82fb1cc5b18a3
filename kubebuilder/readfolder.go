package kubebuilder

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// A discovery folder of kubebuilder becomes an ExternalPlugin document with its entries. It is a named path, or the field
// `folder` of a document. A discovery folder is recognized by its path, kubebuilder/plugins, or by a program in it.

// isDiscovery reports whether a folder of the disk is a discovery folder.
func isDiscovery(folder string) bool {
	if strings.HasSuffix("/"+filepath.ToSlash(filepath.Clean(folder)), "/kubebuilder/plugins") {
		return true
	}
	for _, file := range programsOf(folder) {
		version := filepath.Dir(file)
		if v1alpha1.CheckPluginVersion(filepath.Base(version)) == "" && !load.HasDocuments(file) &&
			v1alpha1.IsProgram(filepath.Base(file), filepath.Base(filepath.Dir(version))) && isScript(file) {
			return true
		}
	}
	return false
}

// programsOf returns the files that may be programs of plugins. Files beside the folders of plugins are not looked up: there
// may be very many.
func programsOf(folder string) (files []string) {
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		if !entry.Type().IsRegular() {
			programs, _ := filepath.Glob(filepath.Join(escapeGlob(filepath.Join(folder, entry.Name())), "v[0-9]*", "*"))
			files = append(files, programs...)
		}
	}
	return files
}

// escapeGlob escapes the metacharacters of patterns.
func escapeGlob(folder string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(folder)
}

// isScript reports whether a file is executable, or starts like a script that has lost its executable bit.
func isScript(name string) bool {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	if isExecutable(info) {
		return true
	}
	file, err := os.Open(name)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	var start [2]byte
	_, err = io.ReadFull(file, start[:])
	return err == nil && bytes.Equal(start[:], []byte("#!"))
}

func isExecutable(info fs.FileInfo) bool { return info.Mode()&0o111 != 0 }

// entryPlaces is the krm.Source of a discovery folder, with a file for each entry.
type entryPlaces struct {
	folder string
	files  map[*yaml.Node]string
}

// Place implements krm.Source.
func (p entryPlaces) Place(node *yaml.Node) krm.Place {
	if file, found := p.files[node]; found {
		return krm.Place{File: file}
	}
	return krm.Place{File: p.folder}
}

// Inside implements krm.Source.
func (p entryPlaces) Inside(node *yaml.Node, _, _ int) (krm.Place, bool) { return p.Place(node), false }

// Texts implements krm.Source.
func (entryPlaces) Texts() []krm.Text { return nil }

// discoveryFolder returns the document of a discovery folder on the disk. Findings use the path shown.
func discoveryFolder(name, folder, shown string) (load.Document, error) {
	places := entryPlaces{folder: shown, files: map[*yaml.Node]string{}}
	list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	if err := places.add(list, folder, ""); err != nil {
		return load.Document{}, err
	}
	root := newDocument(name, mappingNode(textNode("entries"), list))
	return load.Document{Item: krm.FromSource(root, places)}, nil
}

// maxDepth is the number of folders between the discovery folder and a program.
const maxDepth = 2

// add adds the entries of a folder and of the folders below it.
func (p entryPlaces) add(list *yaml.Node, folder, below string) error {
	entries, err := os.ReadDir(filepath.Join(folder, filepath.FromSlash(below)))
	if err != nil {
		return err
	}
	for _, entry := range entries {
		at := path.Join(below, entry.Name())
		kind, executable := typeOf(filepath.Join(folder, filepath.FromSlash(at)), entry)
		node := mappingNode(textNode("path"), textNode(at), textNode("type"), textNode(kind))
		if executable {
			yes := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true"}
			node.Content = append(node.Content, textNode("executable"), yes)
		}
		for _, part := range append(node.Content, node) {
			p.files[part] = path.Join(p.folder, at)
		}
		list.Content = append(list.Content, node)
		if kind == v1alpha1.EntryFolder && strings.Count(at, "/") < maxDepth {
			if err := p.add(list, folder, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// typeOf returns the type of an entry, and whether it is executable. A link to a file counts as the file.
func typeOf(name string, entry fs.DirEntry) (kind string, executable bool) {
	info, err := os.Stat(name)
	switch {
	case entry.IsDir():
		return v1alpha1.EntryFolder, false
	case err != nil || !info.Mode().IsRegular():
		return v1alpha1.EntryLink, false // or a pipe, which is not a program, either
	}
	return v1alpha1.EntryFile, isExecutable(info)
}

// readFolder reads a discovery folder.
func readFolder(s load.Source) load.Content {
	name := path.Base(s.Path)
	if name == "." || name == "/" {
		name = "plugins"
	}
	d, err := discoveryFolder(name, s.Path, s.Name)
	if err != nil {
		finding := load.Finding(s.Name, 0, 0, krm.Error, load.ReadError(s.Name, err).Error())
		return load.Content{Findings: krm.Results{finding}}
	}
	return load.Content{Documents: []load.Document{d}}
}

// complete adds the discovery folders that documents name.
func complete(s load.Source, documents []load.Document, options load.Options) []load.Document {
	if s.Path == load.StdinName || !options.OnDisk() {
		return documents
	}
	var all []load.Document
	for _, d := range documents {
		entries := namedFolder(s, &d, options)
		all = append(all, d)
		if entries != nil {
			all = append(all, *entries)
		}
	}
	return all
}

// namedFolder returns the document of the discovery folder that a document refers to, or nil.
func namedFolder(s load.Source, d *load.Document, options load.Options) *load.Document {
	if d.Item.Kind() != v1alpha1.Kind || d.Item.APIVersion() != contract.APIVersion {
		return nil
	}
	node, found := krm.Path("spec.folder").Find(d.Item.YNode())
	if !found || node.Value == "" {
		return nil
	}
	if !filepath.IsLocal(filepath.FromSlash(node.Value)) && !options.EmbedOutside {
		d.Problems = append(d.Problems, folderProblem("must be below the folder of the document, not %q", node.Value))
		return nil
	}
	folder := path.Join(path.Dir(s.Path), node.Value)
	entries, err := discoveryFolder(d.Item.Name(), folder, folder)
	if err != nil {
		var at *fs.PathError
		if errors.As(err, &at) {
			err = at.Err
		}
		d.Problems = append(d.Problems, folderProblem("must be a folder that can be read, not %q: %v", node.Value, err))
		return nil
	}
	return &entries
}

func folderProblem(format string, args ...any) strictyaml.Problem {
	problem := strictyaml.Error("spec.folder", format, args...)
	problem.Rule = load.RuleFile
	return problem
}
