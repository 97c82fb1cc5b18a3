package load

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// reader turns one document's text into objects.
type reader struct {
	source  *Source
	chunk   chunk
	key     Key
	options *Options
	shared  *inserts // by all readers

	places    *Places // of all objects of the text
	documents []Document
	findings  krm.Results
	skipped   []Skipped
	embedded  map[string][]byte // the files that the document embeds
	foreign   string            // why the text is not for us, unless the file has documents of ours and it is not valid
	content   Content           // of a source that is read as a whole
}

func (r *reader) read() {
	if r.source.whole == nil {
		r.readText()
		return
	}
	r.content = r.source.whole.Read()
	r.documents, r.findings = r.content.Documents, r.content.Findings
}

func (r *reader) readText() {
	if item, above := r.options.foreign(r.chunk); item != nil {
		r.places.above = r.chunk.line + above
		item.Locate(r.places)
		r.documents = append(r.documents, Document{Item: item})
		return
	}
	if !r.source.Named && !canBeDocument(r.chunk.text) {
		r.foreign = noDocument
		return
	}
	root, problems := parse(r.chunk)
	if len(problems) > 0 && !r.source.Named && !r.options.isMeant(r.chunk.text) {
		r.foreign = whyUnreadable(r.chunk)
		return
	}
	separators := r.separators()
	if root == nil && len(separators) > 0 {
		problems = separators // the parser reports only their effect on lines
	}
	r.reportAll(problems)
	if root == nil || root.Kind == yaml.ScalarNode && root.ShortTag() == "!!null" {
		return
	}
	mergeTop(root)
	r.document(root)
	if slices.ContainsFunc(r.documents, r.options.isOurs) {
		r.reportAll(separators)
	}
}

// whyUnreadable returns the reason why a text that is not meant for us cannot be read.
func whyUnreadable(of chunk) string {
	switch {
	case hasActions(of.text):
		return isTemplate
	case of.isJSON:
		return noJSON
	}
	return noYAML
}

// separators reports the characters that are line breaks to YAML readers, but not to JSON readers.
func (r *reader) separators() []strictyaml.Problem {
	if r.chunk.isJSON {
		return nil
	}
	return strictyaml.Separators(r.chunk.text)
}

// foreign returns an object of another API group without parsing it, since its tree may not be needed, and how many
// lines of the text are above it. It returns nil if the text may be anything else.
func (o Options) foreign(of chunk) (item *krm.Item, above int) {
	if of.isJSON {
		return nil, 0
	}
	if item, above = header(of.text); item == nil {
		return nil, 0
	}
	switch group, _, _ := strings.Cut(item.APIVersion(), "/"); {
	case group == contract.Group, group == listGroup, group == contract.VendorGroup, group == "",
		slices.Contains(documentKinds, item.Kind()),
		strings.HasSuffix(item.Kind(), listSuffix) && o.mayHoldOurs(of.text):
		return nil, 0
	}
	return item, above
}

// header returns the object that a text seems to be, which is not parsed if its names are plain to see, and how many lines
// of the text are above it. It returns nil if the text may be anything else.
func header(text []byte) (item *krm.Item, above int) {
	if bytes.HasPrefix(text, []byte("---")) {
		if !isBlank(text[:lineEnd(text, 0)]) {
			return nil, 0
		}
		text = text[lineEnd(text, 0):]
		above = 1
	}
	if !bytes.HasPrefix(text, []byte("apiVersion:")) && !bytes.Contains(text, []byte("\napiVersion:")) {
		return nil, 0
	}
	item, err := krm.NewItem(text)
	if err != nil || item.Kind() == "" {
		return nil, 0
	}
	return item, above
}

// documentKinds are the kinds that another group's object may be mistaken for, or the other way round.
var documentKinds = []string{contract.ResourcePlugin, contract.Sandbox, contract.RouteGroup}

// document reads a tree according to its top-level keys.
func (r *reader) document(root *yaml.Node) {
	item := krm.FromSource(root, r.places)
	switch hasVersion, hasKind := item.APIVersion() != "", item.Kind() != ""; {
	case !r.source.Named && hasMappingKey(root) && hasActions(r.chunk.text):
		r.skip(root.Line, isTemplate)
	case hasVersion && hasKind:
		r.object(root, 0)
		r.unsupported(root, vendorObject(item))
	case hasVersion || hasKind:
		r.half(item, root)
	case vendorKind(root) != "":
		r.unsupported(root, vendorKind(root))
	case r.isNative(root):
		r.native(root)
	default:
		r.other(root)
	}
}

// half reports an object of ours without kind or apiVersion.
func (r *reader) half(item *krm.Item, root *yaml.Node) {
	switch {
	case document.LooksLike(item) != "":
		result := krm.At(item, "apiVersion", krm.Error, document.WrongVersion(item.Kind(), ""))
		result.Tags = map[string]string{krm.RuleTag: "api-version"}
		r.findings = append(r.findings, result)
	case strings.HasPrefix(item.APIVersion(), contract.Group+"/"):
		r.report(root.Line, root.Column, krm.Error, "kind must be set: an object of "+contract.Group+" must have one")
	default:
		r.other(root)
	}
}

// unsupported reports a document of the vendor that is named, and skips that of a folder unless it is an object, which is
// passed on.
func (r *reader) unsupported(root *yaml.Node, kind string) {
	message := kind + " of Signadot: not supported, so it is neither checked nor rendered"
	switch {
	case kind == "":
	case r.source.Named:
		r.report(root.Line, root.Column, krm.Warning, message)
	case len(r.documents) == 0:
		r.skip(root.Line, message)
	}
}

// other handles a tree that is neither an object nor a native document: it is an error in a file that was named. In a
// folder it is skipped, since other tools have their files there, unless it has a spec of ours under another key.
func (r *reader) other(root *yaml.Node) {
	misspelled := misspelledSpec(root)
	switch {
	case r.source.objectsOnly:
		r.report(root.Line, root.Column, krm.Error, "must be a Kubernetes object (apiVersion, kind, metadata)")
	case r.source.Named:
		r.report(root.Line, root.Column, krm.Error,
			`must be a Kubernetes object (apiVersion, kind, metadata) or a native document (name, spec)`)
	case misspelled != nil:
		r.report(misspelled.Line, misspelled.Column, krm.Error,
			fmt.Sprintf("unknown key %q: did you mean %q?", misspelled.Value, "spec"))
	default:
		r.skip(root.Line, noDocument)
	}
}

// firstLine is the line of the file on which the chunk's content starts.
func (r *reader) firstLine() int {
	blank := 0
	for line := range bytes.Lines(r.chunk.text) {
		if !isBlank(line) {
			break
		}
		blank++
	}
	return r.chunk.line + blank + 1
}

func (r *reader) skip(line int, reason string) {
	r.skipped = append(r.skipped, Skipped{File: r.source.Name, Line: line, Reason: reason})
}

// finish decides about a text that is not for us, once it is known whether its file has documents of ours.
func (r *reader) finish(oursInFile bool) {
	if r.foreign == "" {
		return
	}
	if oursInFile {
		_, problems := parse(r.chunk)
		r.reportAll(problems)
	}
	if len(r.findings) == 0 {
		r.skip(r.firstLine(), r.foreign)
	}
}

func (r *reader) reportAll(problems []strictyaml.Problem) {
	for _, p := range problems {
		r.report(p.Line+r.chunk.line, p.Column, krm.Severity(p.Severity), p.Message)
	}
}

func (r *reader) report(line, column int, severity krm.Severity, message string) {
	r.findings = append(r.findings, Finding(r.source.Name, line, column, severity, message))
}

// key returns the index of a key in a mapping's content, ignoring case, -1 if it is absent. The exact key is preferred.
func key(mapping *yaml.Node, name string) int {
	other := -1
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == name {
			return i
		}
		if other < 0 && strings.EqualFold(mapping.Content[i].Value, name) {
			other = i
		}
	}
	return other
}
