package cluster

import (
	"encoding/json"
	"strings"
)

// maxQuoted limits how much of a response's message is quoted, in bytes.
const maxQuoted = 1000

// FieldConflict is a field that another field manager has set to another value.
type FieldConflict struct {
	// Field is the path of the field.
	Field string `json:"field"`
	// Message names the other manager, as reported by the server.
	Message string `json:"message"`
}

// status is the part of a failed request's Status that is read.
type status struct {
	Message string
	Details struct {
		Causes []struct {
			FieldConflict
			Reason string
		}
	}
}

// quote copies the message and the conflicts from a response. One that is not a Status, such as that of a proxy, is not
// quoted.
func (f *Failure) quote(content []byte) {
	var of status
	if json.Unmarshal(content, &of) != nil {
		return
	}
	f.Message = strings.ToValidUTF8(of.Message[:min(len(of.Message), maxQuoted)], "")
	for _, cause := range of.Details.Causes {
		if cause.Reason == "FieldManagerConflict" {
			f.Conflicts = append(f.Conflicts, cause.FieldConflict)
		}
	}
}
