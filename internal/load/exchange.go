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

// aboutPlugins returns the readers of sources that are about external plugins, by their index: of discovery folders, and of
// the first message of an exchange. That of the second message has none.
func (p *Package) aboutPlugins(
	sources []source, texts [][]byte, errs []error, options Options,
) (map[int][]*reader, error) {
	known := map[string]int{} // files of messages
	for i, s := range sources {
		if _, key := messageOf(s.path); key != "" && errs[i] == nil {
			known[s.path] = i
		}
	}
	found := map[int][]*reader{}
	for i, s := range sources {
		_, isMessage := known[s.path]
		_, isDone := found[i]
		switch {
		case s.discovery:
			found[i] = []*reader{{source: s, options: options}}
		case isMessage && !isDone:
			one, parts, err := s.exchange(known, sources, texts)
			if err != nil {
				return nil, err
			}
			if one == nil {
				continue
			}
			for _, part := range parts {
				found[part] = nil
			}
			found[i] = []*reader{{source: s, options: options, exchange: one}}
			for _, m := range one.messages {
				p.texts[m.name] = m.text
			}
		}
	}
	return found, nil
}

// exchange returns the exchange that a message is part of, and which of the sources are its messages. The other file of a
// message that is named is read, too. It is nil if the files are those of another program.
func (s source) exchange(known map[string]int, sources []source, texts [][]byte) (*exchange, []int, error) {
	stem, _ := messageOf(s.path)
	one := &exchange{name: path.Base(stem)}
	isOurs := false
	var parts []int
	for _, suffix := range []string{document.RequestFile, document.ResponseFile} {
		m, at, err := s.sibling(stem+suffix, known, texts)
		switch {
		case err != nil:
			return nil, nil, err
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
		return nil, nil, nil
	}
	return one, parts, nil
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
	one := mappingNode(textNode("name"), textNode(r.exchange.name))
	readable := true
	for i, m := range r.exchange.messages {
		root, problem := strictyaml.ParseJSON(m.text)
		switch {
		case problem == nil && (root == nil || root.Kind != yaml.MappingNode):
			message := "must be one JSON object: a " + m.key + " of an external plugin"
			problem = &strictyaml.Problem{Line: 1, Column: 1, Message: message}
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
		one.Content = append(one.Content, textNode(m.key), root)
	}
	if !readable {
		return
	}
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
	metadata := mappingNode(textNode("name"), textNode(name), textNode("annotations"), local)
	return mappingNode(textNode("apiVersion"), textNode(contract.APIVersion), textNode("kind"),
		textNode(contract.ExternalPlugin), textNode("metadata"), metadata, textNode("spec"), spec)
}

func mappingNode(content ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: 1, Column: 1, Content: content}
}

func textNode(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle, Value: text, Line: 1, Column: 1}
}
