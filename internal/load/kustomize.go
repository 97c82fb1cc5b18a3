package load

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/kustomize/kyaml/openapi"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// KustomizeError is the error for a kustomization that was not built.
type KustomizeError struct {
	// Folder is the folder that was to be built.
	Folder string
	// Refused reports that kustomize itself would build it: an entry is remote, a Helm chart, a function or a plugin.
	Refused bool
	// Err is the reason, in one or more lines.
	Err error
}

// Error returns the reason in one line.
func (e *KustomizeError) Error() string {
	return fmt.Sprintf("--kustomize %s: %s", e.Folder, strings.Join(strings.Fields(e.Err.Error()), " "))
}

// Unwrap returns the reason.
func (e *KustomizeError) Unwrap() error { return e.Err }

// kustomize builds a folder as `kustomize build` does, without the network, Helm, functions and plugins, and adds its
// objects. They have their places in the files that kustomize took them from.
func (p *Package) kustomize(folder string) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("kustomize failed: %.200v", cause)
		}
		if err != nil {
			err = &KustomizeError{Folder: folder, Refused: errors.As(err, new(refusedEntry)), Err: err}
		}
	}()
	if isRemoteFile(folder) || isRepository(folder) {
		return refusedEntry{errors.New(isRemote)}
	}
	if err := (kustomizations{}).check(folder, false); err != nil {
		return err
	}
	files := &kustomizeFiles{FileSystem: filesys.MakeFsOnDisk()}
	for _, name := range konfig.RecognizedKustomizationFileNames() {
		if top, err := filepath.EvalSymlinks(filepath.Join(folder, name)); err == nil {
			files.top, _ = filepath.Abs(top)
		}
	}
	options := krusty.MakeDefaultOptions()
	options.Reorder = krusty.ReorderOptionUnspecified // the default of the command
	defer openapi.ResetOpenAPI()                      // a kustomization may set another schema for the process
	built, err := krusty.MakeKustomizer(options).Run(files, folder)
	if err != nil {
		return err
	}
	return p.addBuilt(folder, built, files.keepOrigins)
}

// addBuilt adds the objects of a build.
func (p *Package) addBuilt(folder string, built resmap.ResMap, keepOrigins bool) error {
	byFile := map[string][]*builtObject{}
	objects := make([]*builtObject, 0, built.Size())
	for _, object := range built.Resources() {
		origin, err := object.GetOrigin()
		if err != nil {
			return err
		}
		one := &builtObject{root: object.YNode(), places: &Places{}}
		if origin != nil {
			file := cmp.Or(origin.Path, origin.ConfiguredIn)
			one.places.file = path.Join(filepath.ToSlash(folder), filepath.ToSlash(file))
			byFile[one.places.file] = append(byFile[one.places.file], one)
		}
		objects = append(objects, one)
	}
	if !keepOrigins {
		if err := built.RemoveOriginAnnotations(); err != nil {
			return err
		}
	}
	for file, objects := range byFile {
		p.locate(file, objects)
	}
	for _, one := range objects {
		normalize(one.root)
		p.Documents = append(p.Documents, Document{Item: krm.FromSource(one.root, one), Built: true})
	}
	return nil
}

// locate finds the documents of a file that objects were built from. For the objects of a kind it is certain only if
// each has its own document of the same name; else they have the file as their place.
func (p *Package) locate(file string, objects []*builtObject) {
	if regular(os.Stat(file)) != nil {
		return
	}
	text, chunks, err := Source{Name: file, Path: file, Files: disk{}, Below: file}.chunks(nil)
	if err != nil {
		return
	}
	p.texts[file] = text
	documents := map[string][]builtObject{}
	for _, chunk := range chunks {
		if root, _ := parse(chunk); root != nil {
			id := identityOf(root)
			documents[id] = append(documents[id], builtObject{root: root, places: newPlaces(file, chunk)})
		}
	}
	unsure := map[string]bool{}
	for _, one := range objects {
		if len(documents[identityOf(one.root)]) != 1 {
			unsure[kindIn(one.root)] = true
		}
	}
	for _, one := range objects {
		if !unsure[kindIn(one.root)] {
			document := documents[identityOf(one.root)][0]
			one.places, one.nodes = document.places, map[*yaml.Node]*yaml.Node{}
			one.match(one.root, document.root, true)
		}
	}
}

// normalize removes comments and styles and sorts keys, so that an object looks as `kustomize build` prints it.
func normalize(node *yaml.Node) {
	node.HeadComment, node.LineComment, node.FootComment, node.Style = "", "", "", 0
	for _, child := range node.Content {
		normalize(child)
	}
	if node.Kind == yaml.MappingNode {
		pairs := slices.Collect(slices.Chunk(node.Content, 2))
		slices.SortStableFunc(pairs, func(a, b []*yaml.Node) int { return cmp.Compare(a[0].Value, b[0].Value) })
		node.Content = slices.Concat(pairs...)
	}
}

func kindIn(object *yaml.Node) string {
	item := krm.FromNode(object, "")
	return item.APIVersion() + " " + item.Kind()
}

func identityOf(object *yaml.Node) string {
	return kindIn(object) + " " + krm.FromNode(object, "").Name()
}

// builtObject is an object of a build; it implements krm.Source.
type builtObject struct {
	root   *yaml.Node
	places *Places                   // the document that it was built from; only its file if that is not certain
	nodes  map[*yaml.Node]*yaml.Node // of that document, by those of the object; the parent's if the document lacks it
}

// match finds the nodes of the document that nodes of the object come from: values of the same keys, and elements of
// lists of the same length. A node that the document lacks comes from the one that it was added to, and same is
// false.
func (b *builtObject) match(built, from *yaml.Node, same bool) {
	if from.Kind == yaml.AliasNode {
		from = from.Alias
	}
	b.nodes[built] = from
	same = same && built.Kind == from.Kind
	for i, node := range built.Content {
		next, found := from, false
		switch {
		case same && built.Kind == yaml.MappingNode:
			if at := key(from, built.Content[i-i%2].Value); at >= 0 {
				next, found = from.Content[at+i%2], true
			}
		case same && len(built.Content) == len(from.Content):
			next, found = from.Content[i], true
		}
		b.match(node, next, found)
	}
}

// Place returns where the node, or the one that it was added to, is written.
func (b *builtObject) Place(node *yaml.Node) krm.Place {
	if from := b.nodes[node]; from != nil {
		return b.places.Place(from)
	}
	return krm.Place{File: b.places.file}
}

// Inside returns where a line and a column of a scalar's value are written, if the document has that value.
func (b *builtObject) Inside(node *yaml.Node, line, column int) (krm.Place, bool) {
	if from := b.nodes[node]; from != nil && from.Kind == yaml.ScalarNode && from.Value == node.Value {
		return b.places.Inside(from, line, column)
	}
	return b.Place(node), false
}

// Texts returns the document that the object was built from, if that is certain.
func (b *builtObject) Texts() []krm.Text {
	if b.nodes == nil {
		return nil
	}
	return b.places.Texts()
}

// kustomizeFiles is the file system for kustomize. Files are regular and not larger than MaxFile.
type kustomizeFiles struct {
	filesys.FileSystem
	top         string // the kustomization file of the folder that is built
	keepOrigins bool   // set when top is read: it asks for annotations with the origin of objects itself
}

// ReadFile reads a file. The kustomization that is built asks for annotations with the origin of objects.
func (f *kustomizeFiles) ReadFile(path string) ([]byte, error) {
	content, err := readRegular(path)
	if err != nil || path != f.top {
		return content, err
	}
	root, err := kyaml.Parse(string(content))
	if err != nil {
		return nil, err
	}
	options, err := root.Pipe(kyaml.LookupCreate(kyaml.SequenceNode, "buildMetadata"))
	if err != nil {
		return nil, err
	}
	for _, option := range options.Content() {
		f.keepOrigins = f.keepOrigins || option.Value == types.OriginAnnotations
	}
	if err := options.PipeE(kyaml.Append(kyaml.NewStringRNode(types.OriginAnnotations).YNode())); err != nil {
		return nil, err
	}
	text, err := root.String()
	return []byte(text), err
}

// readRegular reads a file, unless it is not a regular one or larger than MaxFile.
func readRegular(path string) ([]byte, error) {
	if err := regular(os.Stat(path)); err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return limited(path, file, 0)
}
