package load

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// fileLists are the fields of a kustomization whose entries are files or folders. Some also take URLs and objects.
var fileLists = []string{
	"resources", "components", "crds", "configurations", "generators", "transformers", "validators",
}

// reportMissingFiles reports entries of kustomizations that name files which do not exist, since kustomize fails on them.
// Kustomizations without documents of ours in or below their folders are those of other tools.
func (p *Package) reportMissingFiles(sources []Source, options Options) {
	for _, s := range sources {
		folder := path.Dir(s.Path)
		if !slices.Contains(konfig.RecognizedKustomizationFileNames(), path.Base(s.Path)) || !p.hasOursBelow(folder, options) {
			continue
		}
		var root yaml.Node
		if yaml.Unmarshal(p.texts[s.Name], &root) != nil || len(root.Content) == 0 {
			continue // reported where it is read
		}
		for _, field := range fileLists {
			list := krm.Value(root.Content[0], field)
			if list == nil || list.Kind != yaml.SequenceNode {
				continue
			}
			for i, entry := range list.Content {
				if isMissing(options.Files, folder, entry.Value) {
					p.Findings = append(p.Findings, Finding(s.Name, entry.Line, entry.Column, krm.Warning, fmt.Sprintf(
						"%s[%d]: there is no file or folder %q, so kustomize fails: remove the entry", field, i, entry.Value)))
				}
			}
		}
	}
}

// hasOursBelow reports whether a document of ours is in a folder or below it.
func (p *Package) hasOursBelow(folder string, options Options) bool {
	isBelow := func(file string) bool {
		return folder == "." && !path.IsAbs(file) || strings.HasPrefix(file, folder+"/")
	}
	return slices.ContainsFunc(p.Documents, func(d Document) bool {
		return isBelow(strings.TrimPrefix(d.Item.PlaceOf("").File, options.Label)) && options.isOurs(d)
	}) || slices.ContainsFunc(p.Postponed, func(d Postponed) bool { return isBelow(p.parts[d.part].source.Path) }) ||
		slices.ContainsFunc(p.parts, func(one part) bool { return one.isReused && isBelow(one.source.Path) }) ||
		slices.ContainsFunc(p.unread, isBelow)
}

// isMissing reports whether an entry of a kustomization in a folder is the path of a file that does not exist.
func isMissing(files fs.FS, folder, entry string) bool {
	isObject := strings.Contains(entry, "\n")
	if entry == "" || isObject || isRemoteFile(entry) || isRepository(entry) || filepath.IsAbs(entry) {
		return false
	}
	_, err := fs.Stat(files, path.Join(folder, entry))
	return errors.Is(err, fs.ErrNotExist)
}
