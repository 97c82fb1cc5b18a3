package status

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// node is what a Workflow's status says of a task, of one of its tries, or of a container of it.
type node struct {
	Name       string      `json:"name"`
	Phase      string      `json:"phase"`
	Message    string      `json:"message"`
	StartedAt  metav1.Time `json:"startedAt"`
	FinishedAt metav1.Time `json:"finishedAt"`
}

// taskOfNode returns the task of a node: nodes are called WORKFLOW.TASK, or WORKFLOW.TASK(N) for a try.
func taskOfNode(workflow, node string) string {
	task, _, _ := strings.Cut(strings.TrimPrefix(node, workflow+"."), "(")
	return task
}

// maxNodes is how much compressed nodes may have: an object of Kubernetes has at most 1.5 MiB, and text becomes 20 times
// smaller.
const maxNodes = 32 << 20

// readNodes reads nodes that are compressed, and notes why they are not known.
func (w *workflow) readNodes() {
	switch {
	case len(w.Status.Nodes) > 0:
	case w.Status.OffloadNodeStatusVersion != "":
		w.unread = "Argo Workflows has put their status into its database"
	case w.Status.CompressedNodes != "":
		if err := w.decompress(); err != nil {
			w.unread = "their compressed status cannot be read: " + err.Error()
		}
	}
	w.Status.CompressedNodes = ""
}

func (w *workflow) decompress() error {
	packed, err := base64.StdEncoding.DecodeString(w.Status.CompressedNodes)
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
	case json.Unmarshal(text, &w.Status.Nodes) != nil:
		w.Status.Nodes = nil
		return errors.New("it is not JSON of nodes")
	}
	return nil
}
