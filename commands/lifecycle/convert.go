package lifecycle

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/edit"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// errByHand is why a native document is not marked: its name must be alone in its line, below which the object begins.
var errByHand = errors.New(
	"a native document must begin with a line `name: NAME` to be marked: convert it with rplug import")

// convert makes a native document a KRM object that is absent: it inserts lines above that of the name, which becomes the
// name of the metadata. Nothing else changes.
func convert(name string, text []byte, kind string, at krm.Place) ([]byte, error) {
	file := edit.NewFile(name, text)
	start, ok := file.Offset(at.Line, 1)
	if !ok {
		return nil, errByHand
	}
	line := file.Line(at.Line)
	indent := line[:len(line)-len(bytes.TrimLeft(line, " "))]
	if !bytes.HasPrefix(line[len(indent):], []byte("name:")) || len(indent) != at.Column-1 {
		return nil, errByHand
	}
	end := "\n"
	if rest := text[start+len(line):]; bytes.HasPrefix(rest, []byte("\r\n")) {
		end = "\r\n"
	}
	var head strings.Builder
	for _, one := range []string{
		"apiVersion: " + contract.APIVersion, "kind: " + kind, "metadata:", "  annotations:",
		fmt.Sprintf("    %s: %s", contract.StateKey, contract.Absent),
	} {
		head.WriteString(string(indent) + one + end)
	}
	head.WriteString("  ")
	return bytes.Join([][]byte{text[:start], []byte(head.String()), text[start:]}, nil), nil
}
