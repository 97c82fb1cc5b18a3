package krm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/resource-plugins/krm-functions/internal/yamlprint"
	"github.com/resource-plugins/krm-functions/pkg/krm/internal/scan"
)

// isJSON reports whether a text is a JSON object.
func isJSON(src []byte) bool {
	src = bytes.TrimPrefix(src, []byte(scan.ByteOrderMark))
	return bytes.HasPrefix(bytes.TrimLeft(src, " \t\r\n"), []byte("{")) && utf8.Valid(src) && json.Valid(src)
}

// jsonTree builds the tree of a valid JSON text.
func jsonTree(src []byte) (*yaml.Node, error) {
	if at := yamlprint.HalfCharacter(src); at >= 0 {
		return nil, fmt.Errorf("line %d: %s", 1+bytes.Count(src[:at], []byte("\n")), yamlprint.MustBePair)
	}
	return yamlprint.ReadJSON(string(bytes.TrimPrefix(src, []byte(scan.ByteOrderMark)))), nil
}
