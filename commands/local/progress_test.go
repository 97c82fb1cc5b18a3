package local_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/resource-plugins/krm-functions/commands/local"
	"github.com/resource-plugins/krm-functions/commands/local/localrun"
)

// On a terminal each step has a row, which is rewritten.
func TestProgress_onATerminal(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	now := time.Unix(0, 0)
	p := &local.Progress{
		Out: &out, Now: func() time.Time { return now },
		Size: func() (columns, rows int) { return 30, 24 },
	}
	for _, step := range []string{"a", "b"} {
		p.Observe(localrun.Event{Resource: "db", Step: step, State: localrun.Waiting})
	}
	p.Observe(localrun.Event{Resource: "db", Step: "a", State: localrun.Running})
	now = now.Add(12 * time.Second)
	p.Note("docker pulls debian")
	p.Observe(localrun.Event{Resource: "db", Step: "a", State: localrun.Failed, Message: "it is too long a message \x1b[31m"})
	p.End()
	assert.Equal(t, "\r\x1b[Kwaiting  db/a\n"+
		"\x1b[1A\r\x1b[Kwaiting  db/a\n\r\x1b[Kwaiting  db/b\n"+
		"\x1b[2A\r\x1b[Krunning  db/a 0s\n\r\x1b[Kwaiting  db/b\n"+
		"\x1b[2A\x1b[Jdocker pulls debian\n\r\x1b[Krunning  db/a 12s\n\r\x1b[Kwaiting  db/b\n"+
		"\x1b[2A\r\x1b[Kfailed   db/a 12s: it is too…\n\r\x1b[Kwaiting  db/b\n"+
		"failed   db/a: it is too long a message \\x1b[31m\n", out.String())
}
