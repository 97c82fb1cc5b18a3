package stacks

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/pkg/krm"
	stacksv1 "github.com/resource-plugins/krm-functions/stacks/api/v1"
	"github.com/resource-plugins/krm-functions/stacks/api/v1alpha1"
	"github.com/resource-plugins/krm-functions/stacks/pack"
	"github.com/resource-plugins/krm-functions/stacks/registry"
	"github.com/resource-plugins/krm-functions/stacks/rules"
)

// Packages of Crossplane are read as a whole:
//
//   - A `.registry` folder with an app.yaml, wherever it is found. Its files are not separate documents.
//   - An OCI layout or a tar that is named. Folders are not searched for them: an image must be read completely to see
//     whether it is a package, and images of other programs do not concern us.
//   - package.yaml is read like any other file.

// format returns the format of these packages.
func format() load.Format {
	return load.Format{
		Groups: []load.Group{
			{Name: v1alpha1.GroupName}, {Name: v1alpha1.ExtensionsGroup}, {Name: stacksv1.MetaGroupName},
			{Name: stacksv1.GroupName, Kinds: requestKinds},
		},
		Find: find, Complete: complete,
	}
}

// requestKinds are the kinds of pkg.crossplane.io that ask for packages; others are the cluster's.
var requestKinds = []string{stacksv1.KindProvider, stacksv1.KindConfiguration, stacksv1.KindFunction}

// find finds a package.
func find(s load.Source, options load.Options) *load.Whole {
	switch {
	case !s.Mode.IsDir():
		if !s.Named || !s.Mode.IsRegular() || load.HasDocuments(s.Path) || !pack.IsArchive(s.Files, s.Below) {
			return nil
		}
	case s.Named:
		files, err := s.Folder()
		if err != nil || s.Base() != registry.Folder && !pack.IsLayout(files) {
			return nil
		}
		s.Files, s.Below = files, "."
	default:
		folder, err := fs.Sub(s.Files, s.Below)
		if err != nil || s.Base() != registry.Folder || !registry.Is(folder) {
			return nil
		}
	}
	return &load.Whole{Read: func() load.Content { return packages(s, options) }}
}

// complete marks the documents of a package.yaml or a named file that has the metadata of one of today's packages.
func complete(s load.Source, documents []load.Document, _ load.Options) []load.Document {
	if (s.Named || path.Base(s.Path) == pack.StreamFile) && slices.ContainsFunc(documents, isStreamMetadata) {
		for i := range documents {
			documents[i].Package = s.Name
		}
	}
	return documents
}

// packages reads the packages of a source, and reports problems with them as findings.
func packages(s load.Source, options load.Options) load.Content {
	all, err := pack.Read(s.Files, s.Below, s.Name)
	if err != nil {
		if inner := errors.Unwrap(err); inner != nil {
			err = inner
		}
		return load.Content{Findings: krm.Results{load.Finding(s.Name, 0, 0, krm.Error, err.Error())}}
	}
	content := load.Content{Texts: map[string][]byte{}, InImage: true}
	for _, c := range all {
		if options.Image != "" {
			c.SetReference(options.Image)
		}
		for _, name := range c.Files.Paths() {
			content.Texts[path.Join(c.Path, name)] = c.Files[name]
		}
		content.InImage = content.InImage && path.Base(c.Path) != registry.Folder
		var documents []load.Document
		var findings krm.Results
		if c.Form == pack.FormRegistry {
			documents, findings = unpack(c)
		} else {
			documents, findings = load.Objects(path.Join(c.Path, pack.StreamFile), c.Files[pack.StreamFile], options)
		}
		var items []*krm.Item
		for i := range documents {
			documents[i].Package = c.Path
			items = append(items, documents[i].Item)
		}
		if c.Form == pack.FormXPkg && len(findings) == 0 {
			found := pack.CheckStream(path.Join(c.Path, pack.StreamFile), items)
			findings = append(findings, aboutPackages(found)...)
		}
		pack.Mark(items, c.Reference())
		content.Documents = append(content.Documents, documents...)
		content.Findings = append(content.Findings, findings...)
	}
	return content
}

// unpack reads a package of crossplane v0.3 to v0.10: its documents are the objects that are unpacked from it.
func unpack(c *pack.Contents) (documents []load.Document, findings krm.Results) {
	unpacked, results := pack.Unpack(c.Files, registry.Options{
		Image: c.Reference(), Name: c.Name(), Dir: c.Path,
	})
	findings = aboutPackages(results)
	if unpacked == nil {
		return nil, findings
	}
	for _, object := range slices.Concat(unpacked.CRDs, []*yaml.Node{unpacked.Record}) {
		documents = append(documents, load.Document{Item: krm.FromSource(object, InPackage(c.Path))})
	}
	return documents, findings
}

// aboutPackages adds the rule to results.
func aboutPackages(results krm.Results) krm.Results {
	for i := range results {
		if results[i].Tags == nil {
			results[i].Tags = map[string]string{}
		}
		results[i].Tags[krm.RuleTag] = rules.FileRule
	}
	return results
}

func isStreamMetadata(d load.Document) bool {
	group, _, _ := strings.Cut(d.Item.APIVersion(), "/")
	return group == stacksv1.MetaGroupName
}

// InPackage is the place of all objects that were unpacked from a package: a krm.Source.
type InPackage string

// Place implements krm.Source.
func (p InPackage) Place(*yaml.Node) krm.Place { return krm.Place{File: string(p)} }

// Inside implements krm.Source.
func (p InPackage) Inside(node *yaml.Node, _, _ int) (krm.Place, bool) { return p.Place(node), false }

// Texts implements krm.Source.
func (p InPackage) Texts() []krm.Text { return nil }
