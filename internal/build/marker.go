package build

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/resource-plugins/krm-functions/internal/contract"
)

// marked returns a file's content after a marker line. The marker has the name of the file, so that a copy is not ours, and
// the digest of the rest, so that edits are noticed.
func marked(name string, content []byte) []byte {
	line := markerLine(name, content)
	out := make([]byte, 0, len(line)+len(content))
	return append(append(out, line...), content...)
}

func markerLine(name string, content []byte) []byte {
	sum := sha256.Sum256(content)
	return fmt.Appendf(nil, "%s %s sha256:%s\n", contract.BuildMarker, name, hex.EncodeToString(sum[:]))
}

// origin is the origin of a file.
type origin int

// Files of other tools, our unchanged files, and our files after edits.
const (
	foreign origin = iota
	intact
	edited
)

// conflict is how git starts a file in which two branches have changed the first line.
const conflict = "<<<<<<< "

// originOf returns the origin of a file with a content.
func originOf(name string, content []byte) origin {
	line, rest, _ := bytes.Cut(content, []byte("\n"))
	if bytes.HasPrefix(line, []byte(conflict)) {
		line, _, _ = bytes.Cut(rest, []byte("\n"))
		rest = nil
	}
	switch {
	case !bytes.HasPrefix(line, []byte(contract.BuildMarker+" "+name+" ")):
		return foreign
	case !bytes.Equal(append(line, '\n'), markerLine(name, rest)):
		return edited
	}
	return intact
}
