package load

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	stacksv1 "github.com/resource-plugins/krm-functions/stacks/api/v1"
	stackpackage "github.com/resource-plugins/krm-functions/stacks/pack"
)

// Packages of Crossplane are read as a whole:
//
//   - A `.registry` folder with an app.yaml, wherever it is found. Its files are no documents of their own.
//   - An OCI layout or a tar that is named. In folders they are not looked for: whether an image is a package is seen only
//     once all of it is read, and images of other programs are none of our business.
//   - package.yaml is read like any other file.

// isPackage reports whether a folder that is found is a package.
func (w *walked) isPackage(below, base string) bool {
	if base != stackpackage.Folder {
		return false
	}
	folder, err := fs.Sub(w.files, below)
	return err == nil && stackpackage.IsRegistry(folder)
}

// packages reads the packages of a source. What is wrong with them is a finding.
func (p *Package) packages(s source, options Options) []*reader {
	all, err := stackpackage.Read(s.files, s.below, s.name)
	if err != nil {
		if inner := errors.Unwrap(err); inner != nil {
			err = inner
		}
		p.Findings = append(p.Findings, finding(s.name, 0, 0, krm.Error, err.Error()))
		return nil
	}
	var readers []*reader
	for _, c := range all {
		if options.Image != "" {
			c.SetReference(options.Image)
		}
		for _, name := range c.Files.Paths() {
			file := path.Join(c.Path, name)
			p.texts[file] = c.Files[name]
			p.inImage[file] = path.Base(c.Path) != stackpackage.Folder
		}
		if c.Form == stackpackage.FormRegistry {
			inside := source{name: c.Path, path: c.Path, pack: true, named: true}
			p.contents = append(p.contents, c)
			readers = append(readers, &reader{source: inside, options: options, contents: c})
			continue
		}
		file := path.Join(c.Path, stackpackage.StreamFile)
		inside := source{name: file, path: file, pack: true, named: true}
		chunks, err := chunksOf(file, c.Files[stackpackage.StreamFile])
		var unread *unreadable
		if errors.As(err, &unread) {
			p.Findings = append(p.Findings, unread.result())
			continue
		}
		p.contents = append(p.contents, c)
		for _, text := range chunks {
			readers = append(readers, &reader{
				source: inside, chunk: text, options: options, places: newPlaces(file, text), contents: c,
			})
		}
	}
	return readers
}

// unpack reads a package of crossplane v0.3 to v0.10: its documents are the objects that are unpacked from it.
func (r *reader) unpack() {
	unpacked, results := stackpackage.Unpack(r.contents.Files, stackpackage.UnpackOptions{
		Image: r.contents.Reference(), Name: r.contents.Name(), Dir: r.contents.Path,
	})
	r.findings = append(r.findings, aboutPackages(results)...)
	if unpacked == nil {
		return
	}
	for _, object := range slices.Concat(unpacked.CRDs, []*kyaml.RNode{unpacked.Record}) {
		r.documents = append(r.documents, Document{Item: krm.FromSource(object.YNode(), inPackage(r.source.name))})
	}
}

// RulePackageFile is the rule of findings about the files of packages.
const RulePackageFile = "package-file"

// aboutPackages adds the rule to results.
func aboutPackages(results krm.Results) krm.Results {
	for i := range results {
		if results[i].Tags == nil {
			results[i].Tags = map[string]string{}
		}
		results[i].Tags[krm.RuleTag] = RulePackageFile
	}
	return results
}

// finishPackages marks the documents of packages, and checks those of package.yaml in images if all can be read.
func (p *Package) finishPackages(readers []*reader) {
	for _, c := range p.contents {
		var items []*krm.Item
		isWhole := true
		for _, r := range readers {
			if r.contents != c {
				continue
			}
			isWhole = isWhole && len(r.findings) == 0
			for i := range r.documents {
				r.documents[i].Package = c.Path
				items = append(items, r.documents[i].Item)
			}
		}
		if c.Form == stackpackage.FormXPkg && isWhole {
			found := stackpackage.CheckStream(path.Join(c.Path, stackpackage.StreamFile), items)
			p.Findings = append(p.Findings, aboutPackages(found)...)
		}
		stackpackage.Mark(items, c.Reference())
	}
}

// markStreams marks the documents of package.yaml, and of a named file, that has the metadata of a package of today.
func markStreams(readers []*reader) {
	streams := map[string]bool{}
	for _, r := range readers {
		if r.contents == nil && (r.source.named || path.Base(r.source.path) == stackpackage.StreamFile) &&
			slices.ContainsFunc(r.documents, isStreamMetadata) {
			streams[r.source.name] = true
		}
	}
	for _, r := range readers {
		for i := range r.documents {
			if streams[r.source.name] && r.contents == nil {
				r.documents[i].Package = r.source.name
			}
		}
	}
}

func isStreamMetadata(d Document) bool {
	group, _, _ := strings.Cut(d.Item.APIVersion(), "/")
	return group == stacksv1.MetaGroupName
}

// inPackage is the place of all that was unpacked from a package: a krm.Source.
type inPackage string

// Place implements krm.Source.
func (p inPackage) Place(*yaml.Node) krm.Place { return krm.Place{File: string(p)} }

// Inside implements krm.Source.
func (p inPackage) Inside(node *yaml.Node, _, _ int) (krm.Place, bool) { return p.Place(node), false }

// Texts implements krm.Source.
func (p inPackage) Texts() []krm.Text { return nil }
