package cli

import (
	"bytes"

	"github.com/resource-plugins/krm-functions/internal/edit"
	"github.com/resource-plugins/krm-functions/pkg/krm"
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
	known map[string]*edit.Text
}

func newTexts(read func(file string) []byte) *texts {
	return &texts{read: read, known: map[string]*edit.Text{}}
}

// of returns the text of a file, nil where it is not known.
func (t *texts) of(file string) *edit.Text {
	if text, ok := t.known[file]; ok {
		return text
	}
	var text *edit.Text
	if content := t.read(file); content != nil {
		text = edit.New(bytes.TrimPrefix(content, []byte(byteOrderMark)), 0)
	}
	t.known[file] = text
	return text
}

const byteOrderMark = "\ufeff"
