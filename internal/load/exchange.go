package load

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/document"
	"github.com/resource-plugins/krm-functions/internal/edit"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/internal/template"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Files NAME.request.json and NAME.response.json hold a message to an external plugin of kubebuilder and its answer. Both
// become one ExternalPlugin document.

// message is a file with one of the two messages.
type message struct {
	source
	key  string // of an exchange
	text []byte
}

// exchange is the files of an exchange, one or two.
type exchange struct {
	name     string
	messages []message
}

// messageOf returns the path of an exchange without the end of the file's name, and which message the file holds; empty for
// other files.
func messageOf(file string) (stem, key string) {
	if stem, isRequest := strings.CutSuffix(file, document.RequestFile); isRequest {
		return stem, "request"
	}
	if stem, isResponse := strings.CutSuffix(file, document.ResponseFile); isResponse {
		return stem, "response"
	}
	return "", ""
}

// exchanges finds the exchanges among the sources, by the index of their first source; those of their second one are nil.
// The other file of a message that is named is read, too.
func (p *Package) exchanges(sources []source, texts [][]byte, errs []error) (map[int]*exchange, error) {
	known := map[string]int{}
	for i, s := range sources {
		if _, key := messageOf(s.path); key != "" && errs[i] == nil {
			known[s.path] = i
		}
	}
	found := map[int]*exchange{}
	for i, s := range sources {
		stem, _ := messageOf(s.path)
		if _, isKnown := known[s.path]; !isKnown || found[i] != nil {
			continue
		}
		one := &exchange{name: path.Base(stem)}
		isOurs := false
		var parts []int
		for _, suffix := range []string{document.RequestFile, document.ResponseFile} {
			m, at, err := s.sibling(stem+suffix, known, texts)
			switch {
			case err != nil:
				return nil, err
			case m == nil:
				continue
			case at >= 0:
				parts = append(parts, at)
				isOurs = isOurs || sources[at].named
			}
			_, m.key = messageOf(m.path)
			isOurs = isOurs || isMessage(m.text)
			one.messages = append(one.messages, *m)
		}
		if !isOurs {
			continue
		}
		for _, part := range parts {
			found[part] = nil
		}
		found[i] = one
		for _, m := range one.messages {
			p.texts[m.name] = m.text
		}
	}
	return found, nil
}

// sibling returns a message of the same exchange, with its index among the sources, -1 if it is none of them. It is nil if
// there is none.
func (s source) sibling(file string, known map[string]int, texts [][]byte) (*message, int, error) {
	other := s
	other.path = file
	other.name = strings.TrimSuffix(s.name, s.path) + file
	other.below = strings.TrimSuffix(s.below, path.Base(s.below)) + path.Base(file)
	if at, found := known[file]; found {
		return &message{source: other, text: texts[at]}, at, nil
	}
	text, err := other.text(nil)
	var unread *unreadable
	switch _, statErr := fs.Stat(s.files, other.below); {
	case errors.Is(statErr, fs.ErrNotExist), errors.As(err, &unread):
		return nil, -1, nil
	case err != nil:
		return nil, -1, err
	}
	return &message{source: other, text: text}, -1, nil
}

// isMessage reports whether a text is a request or a response, and not a file of another program with such a name.
func isMessage(text []byte) bool {
	var keys struct {
		APIVersion, Command string
		Universe            json.RawMessage
	}
	return json.Unmarshal(text, &keys) == nil && keys.Command != "" && (keys.APIVersion != "" || keys.Universe != nil)
}

// readExchange makes the document of an exchange, if all its messages can be read.
func (r *reader) readExchange() {
	pairs := []*yaml.Node{textNode("name"), textNode(r.exchange.name)}
	readable := true
	for i, m := range r.exchange.messages {
		root, problem := strictyaml.ParseJSON(m.text)
		switch {
		case problem == nil && (root == nil || root.Kind != yaml.MappingNode):
			problem = &strictyaml.Problem{Line: 1, Column: 1, Message: "must be one JSON object: a " + m.key + " of an external plugin"}
			fallthrough
		case problem != nil:
			r.findings = append(r.findings, finding(m.name, problem.Line, problem.Column, krm.Error, problem.Message))
			readable = false
			continue
		case i == 0:
			r.places = newPlaces(m.name, chunk{text: m.text, isJSON: true})
		default:
			r.places.splice(root, m.name, m.text)
		}
		pairs = append(pairs, textNode(m.key), root)
	}
	if !readable {
		return
	}
	one := mappingNode(pairs...)
	list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Line: 1, Column: 1, Content: []*yaml.Node{one}}
	spec := mappingNode(textNode("exchanges"), list)
	r.documents = append(r.documents, Document{Item: krm.FromSource(externalPlugin(r.exchange.name, spec), r.places)})
}

// splice adds a tree that is read from another file.
func (p *places) splice(root *yaml.Node, file string, text []byte) {
	if p.origins == nil {
		p.origins, p.embedded = map[*yaml.Node][]template.Origin{}, map[string]*edit.Text{}
	}
	p.embedded[file] = edit.NewFile(file, text)
	var each func(*yaml.Node)
	each = func(node *yaml.Node) {
		p.origins[node] = []template.Origin{{File: file, Line: node.Line, Column: node.Column}}
		for _, child := range node.Content {
			each(child)
		}
	}
	each(root)
}

// externalPlugin is an ExternalPlugin document that is in no file: it is for those who check it, and not printed.
func externalPlugin(name string, spec *yaml.Node) *yaml.Node {
	local := mappingNode(textNode(contract.LocalConfigKey), textNode("true"))
	return mappingNode(textNode("apiVersion"), textNode(contract.APIVersion), textNode("kind"), textNode(contract.ExternalPlugin),
		textNode("metadata"), mappingNode(textNode("name"), textNode(name), textNode("annotations"), local), textNode("spec"), spec)
}

func mappingNode(content ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: 1, Column: 1, Content: content}
}

func textNode(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle, Value: text, Line: 1, Column: 1}
}
