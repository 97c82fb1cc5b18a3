package kubebuilder

import (
	"encoding/json"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/load"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
	"github.com/resource-plugins/krm-functions/kubebuilder/v1alpha1"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// Files NAME.request.json and NAME.response.json hold a message to an external plugin of kubebuilder and its response. Both
// become one ExternalPlugin document.

// message is a file with one of the messages.
type message struct {
	name string // of the file
	key  string // of an exchange
	text []byte
}

// exchangeFiles are the files of an exchange, one or two.
type exchangeFiles struct {
	name     string
	messages []message
}

// messageOf returns the path of an exchange without the suffix of its files, and which message a file contains; empty for
// other files.
func messageOf(file string) (stem, key string) {
	if stem, isRequest := strings.CutSuffix(file, v1alpha1.RequestFile); isRequest {
		return stem, "request"
	}
	if stem, isResponse := strings.CutSuffix(file, v1alpha1.ResponseFile); isResponse {
		return stem, "response"
	}
	return "", ""
}

// findExchange returns the exchange that a file belongs to, with its other message if it exists. It returns nil for other
// files: one in a folder may belong to another program.
func findExchange(s load.Source) *load.Whole {
	stem, key := messageOf(s.Path)
	if key == "" {
		return nil
	}
	text, ok := s.Text()
	if !ok {
		return nil
	}
	isOurs := s.Named || isMessage(text)
	x := exchangeFiles{name: path.Base(stem)}
	var parts []string
	for _, suffix := range []string{v1alpha1.RequestFile, v1alpha1.ResponseFile} {
		m := message{name: strings.TrimSuffix(s.Name, s.Path) + stem + suffix, text: text}
		if _, m.key = messageOf(suffix); m.key != key {
			other := s
			other.Name, other.Below = m.name, strings.TrimSuffix(s.Below, path.Base(s.Below))+path.Base(stem)+suffix
			if m.text, ok = other.Text(); !ok {
				continue
			}
			isOurs = isOurs || isMessage(m.text)
			parts = append(parts, stem+suffix)
		}
		x.messages = append(x.messages, m)
	}
	if !isOurs {
		return nil
	}
	return &load.Whole{Read: x.read, Parts: parts}
}

// isMessage reports whether a text is a request or a response, and not a file of another program with the same name.
func isMessage(text []byte) bool {
	var keys struct {
		APIVersion, Command string
		Universe            json.RawMessage
	}
	return json.Unmarshal(text, &keys) == nil && keys.Command != "" && (keys.APIVersion != "" || keys.Universe != nil)
}

// read creates the document of an exchange, if all its messages can be read.
func (x exchangeFiles) read() load.Content {
	exchange := mappingNode(textNode("name"), textNode(x.name))
	content := load.Content{Texts: map[string][]byte{}}
	var places *load.Places
	for i, m := range x.messages {
		content.Texts[m.name] = m.text
		root, problem := strictyaml.ParseJSON(m.text)
		switch {
		case problem == nil && (root == nil || root.Kind != yaml.MappingNode):
			message := "must be one JSON object: a " + m.key + " of an external plugin"
			problem = &strictyaml.Problem{Line: 1, Column: 1, Message: message}
			fallthrough
		case problem != nil:
			finding := load.Finding(m.name, problem.Line, problem.Column, krm.Error, problem.Message)
			content.Findings = append(content.Findings, finding)
			continue
		case i == 0 || places == nil:
			places = load.NewPlaces(m.name, m.text)
		default:
			places.Splice(root, m.name, m.text)
		}
		exchange.Content = append(exchange.Content, textNode(m.key), root)
	}
	if len(content.Findings) > 0 {
		return content
	}
	list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Line: 1, Column: 1, Content: []*yaml.Node{exchange}}
	spec := mappingNode(textNode("exchanges"), list)
	content.Documents = []load.Document{{Item: krm.FromSource(newDocument(x.name, spec), places)}}
	return content
}

// newDocument returns an ExternalPlugin document that is not in a file: it is checked, but not printed.
func newDocument(name string, spec *yaml.Node) *yaml.Node {
	local := mappingNode(textNode(contract.LocalConfigKey), textNode("true"))
	metadata := mappingNode(textNode("name"), textNode(name), textNode("annotations"), local)
	return mappingNode(textNode("apiVersion"), textNode(contract.APIVersion), textNode("kind"),
		textNode(v1alpha1.Kind), textNode("metadata"), metadata, textNode("spec"), spec)
}

func mappingNode(content ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: 1, Column: 1, Content: content}
}

func textNode(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle, Value: text, Line: 1, Column: 1}
}
