package process

import (
	"bytes"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/position"
)

// report is what findings are printed from.
type report struct {
	name, version string
	rules         []RuleDescription
	list          *krm.ResourceList
	results       krm.Results
	summary       string
	texts         *texts
	look          look
	folder        string // the working folder, empty where it is not known
}

// texts gives the texts of the files that places are in. A byte order mark is not part of a text.
type texts struct {
	read  func(file string) []byte
	known map[string]*position.Text
}

func newTexts(read func(file string) []byte) *texts {
	return &texts{read: read, known: map[string]*position.Text{}}
}

// of returns the text of a file, nil where it is not known.
func (t *texts) of(file string) *position.Text {
	if text, ok := t.known[file]; ok {
		return text
	}
	var text *position.Text
	if content := t.read(file); content != nil {
		text = position.New(bytes.TrimPrefix(content, []byte(byteOrderMark)), 0)
	}
	t.known[file] = text
	return text
}

const byteOrderMark = "\ufeff"
