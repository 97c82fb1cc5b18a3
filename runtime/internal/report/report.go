// Package report tells people why a container ended: one line on stderr, which kubectl logs shows, and the same line in
// the termination message, which kubectl describe shows and which outlives the log.
package report

import (
	"io"
	"os"
	"strings"
)

// TerminationLog is where Kubernetes looks for a container's last words unless its terminationMessagePath says otherwise.
const TerminationLog = "/dev/termination-log"

// maxMessage is a bit below the 4,096 bytes that Kubernetes keeps of a termination message.
const maxMessage = 4000

// Reporter writes the lines of one container.
type Reporter struct {
	// Stderr is where every line goes.
	Stderr io.Writer
	// TerminationLog is the file that the kubelet made for the last one. A missing file is no error.
	TerminationLog string
}

// Say tells how things stand.
func (r Reporter) Say(line string) {
	_, _ = io.WriteString(r.Stderr, "resourceplugins: "+oneLine(line)+"\n")
}

// Fail tells why the container fails. What the script wrote to the termination message stays in front.
func (r Reporter) Fail(line string) {
	r.Say(line)
	file, err := os.OpenFile(r.TerminationLog, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return
	}
	_, _ = file.WriteString(oneLine(line) + "\n")
	_ = file.Close()
}

func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text)
	return text[:min(len(text), maxMessage)]
}
