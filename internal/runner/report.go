package runner

import (
	"io"
	"os"
	"strings"
)

// Remain is the message about processes that still run when the script ends.
const Remain = "processes that the script started still run and end with main"

// TerminationLog is the default terminationMessagePath.
const TerminationLog = "/dev/termination-log"

// maxMessage is below the 4,096 bytes that Kubernetes keeps of a termination message.
const maxMessage = 4000

// Reporter writes the messages of one container: to stderr, which kubectl logs shows, and the reason of a failure to the
// termination message, which kubectl describe pod shows.
type Reporter struct {
	// Stderr receives every message.
	Stderr io.Writer
	// TerminationLog is the file of the termination message. It need not exist.
	TerminationLog string
}

// Log writes a message to stderr.
func (r Reporter) Log(line string) {
	_, _ = io.WriteString(r.Stderr, "resourceplugins: "+oneLine(line)+"\n")
}

// Fail writes the reason of a failure to stderr, and appends it to the termination message.
func (r Reporter) Fail(line string) {
	r.Log(line)
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
