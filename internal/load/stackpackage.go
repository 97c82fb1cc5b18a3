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

// crossplane is the format of these packages.
type crossplane struct{}

// Find implements Format.
func (crossplane) Find(s Source, options Options) *Whole {
	switch {
	case !s.Mode.IsDir():
		if !s.Named || !s.Mode.IsRegular() || HasDocuments(s.Path) || !stackpackage.IsArchive(s.Files, s.Below) {
			return nil
		}
	case s.Named:
		files, err := below(s.Files, s.Below)
		if err != nil || s.Base() != stackpackage.Folder && !stackpackage.IsLayout(files) {
			return nil
		}
		s.Files, s.Below = files, "."
	default:
		folder, err := fs.Sub(s.Files, s.Below)
		if err != nil || s.Base() != stackpackage.Folder || !stackpackage.IsRegistry(folder) {
			return nil
		}
	}
	return &Whole{Read: func() Content { return packages(s, options) }}
}

// Complete implements Format. It marks the documents of package.yaml, and of a named file, that has the metadata of a package
// of today.
func (crossplane) Complete(s Source, documents []Document, _ Options) []Document {
	if (s.Named || path.Base(s.Path) == stackpackage.StreamFile) && slices.ContainsFunc(documents, isStreamMetadata) {
		for i := range documents {
			documents[i].Package = s.Name
		}
	}
	return documents
}

// packages reads the packages of a source. What is wrong with them is a finding.
func packages(s Source, options Options) Content {
	all, err := stackpackage.Read(s.Files, s.Below, s.Name)
	if err != nil {
		if inner := errors.Unwrap(err); inner != nil {
			err = inner
		}
		return Content{Findings: krm.Results{Finding(s.Name, 0, 0, krm.Error, err.Error())}}
	}
	content := Content{Texts: map[string][]byte{}, InImage: true}
	for _, c := range all {
		if options.Image != "" {
			c.SetReference(options.Image)
		}
		for _, name := range c.Files.Paths() {
			content.Texts[path.Join(c.Path, name)] = c.Files[name]
		}
		content.InImage = content.InImage && path.Base(c.Path) != stackpackage.Folder
		var documents []Document
		var findings krm.Results
		if c.Form == stackpackage.FormRegistry {
			documents, findings = unpack(c)
		} else {
			documents, findings = Objects(path.Join(c.Path, stackpackage.StreamFile), c.Files[stackpackage.StreamFile], options)
		}
		var items []*krm.Item
		for i := range documents {
			documents[i].Package = c.Path
			items = append(items, documents[i].Item)
		}
		if c.Form == stackpackage.FormXPkg && len(findings) == 0 {
			found := stackpackage.CheckStream(path.Join(c.Path, stackpackage.StreamFile), items)
			findings = append(findings, aboutPackages(found)...)
		}
		stackpackage.Mark(items, c.Reference())
		content.Documents = append(content.Documents, documents...)
		content.Findings = append(content.Findings, findings...)
	}
	return content
}

// unpack reads a package of crossplane v0.3 to v0.10: its documents are the objects that are unpacked from it.
func unpack(c *stackpackage.Contents) (documents []Document, findings krm.Results) {
	unpacked, results := stackpackage.Unpack(c.Files, stackpackage.UnpackOptions{
		Image: c.Reference(), Name: c.Name(), Dir: c.Path,
	})
	findings = aboutPackages(results)
	if unpacked == nil {
		return nil, findings
	}
	for _, object := range slices.Concat(unpacked.CRDs, []*kyaml.RNode{unpacked.Record}) {
		documents = append(documents, Document{Item: krm.FromSource(object.YNode(), inPackage(c.Path))})
	}
	return documents, findings
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
