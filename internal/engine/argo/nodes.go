package argo

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Phases of Workflows and nodes.
const (
	pending   = "Pending"
	running   = "Running"
	succeeded = "Succeeded"
	failed    = "Failed"
	errored   = "Error"
	skipped   = "Skipped"
	omitted   = "Omitted"
)

// nodeNameKey is the annotation of a Pod with the name of its node.
const nodeNameKey = "workflows." + group + "/node-name"

// taskOfNode returns the task of a node. Nodes are named WORKFLOW.TASK, or WORKFLOW.TASK(N) for a try.
func taskOfNode(workflow, node string) string {
	task, _, _ := strings.Cut(strings.TrimPrefix(node, workflow+"."), "(")
	return task
}

// maxNodes limits the size of decompressed nodes: a Kubernetes object has at most 1.5 MiB, and text is compressed by a
// factor of up to 20.
const maxNodes = 32 << 20

// readNodes decompresses nodes. It returns the reason why they are unknown, or "".
func (s *WorkflowStatus) readNodes() (unread string) {
	switch {
	case len(s.Nodes) > 0:
	case s.OffloadNodeStatusVersion != "":
		unread = "Argo Workflows has put their status into its database"
	case s.CompressedNodes != "":
		if err := s.decompress(); err != nil {
			unread = "their compressed status cannot be read: " + err.Error()
		}
	}
	s.CompressedNodes = ""
	return unread
}

func (s *WorkflowStatus) decompress() error {
	packed, err := base64.StdEncoding.DecodeString(s.CompressedNodes)
	if err != nil {
		return errors.New("it is not base64")
	}
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return errors.New("it is not gzip")
	}
	text, err := io.ReadAll(io.LimitReader(reader, maxNodes+1))
	switch {
	case len(text) > maxNodes:
		return fmt.Errorf("it has more than %d MiB", maxNodes>>20)
	case err != nil:
		return errors.New("it ends too early")
	case json.Unmarshal(text, &s.Nodes) != nil:
		s.Nodes = nil
		return errors.New("it is not JSON of nodes")
	}
	return nil
}
