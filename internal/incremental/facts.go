package incremental

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/resource-plugins/krm-functions/internal/load"
)

// facts identify the state of a file without reading it, as the index of git does. The zero value is that of
// anything but a regular file.
type facts struct {
	_ struct{} `cbor:",toarray"`

	Device, Inode           uint64
	Size, Modified, Changed int64 // times in nanoseconds
	// Taken is when they were taken. A change right after the last one may have the same times.
	Taken int64
}

// state is that of a file with documents: its facts, or in a git revision the id of its content.
type state struct {
	_ struct{} `cbor:",toarray"`

	Facts facts
	ID    string
}

func stateOf(of load.Source) state {
	if revision, ok := of.Files.(*load.Revision); ok {
		return state{ID: revision.ID(of.Below)}
	}
	return state{Facts: factsOf(of.Path)}
}

// isSame reports whether a file that has this state now is the same as it was.
func (s state) isSame(now state) bool {
	return now.ID != "" && s.ID == now.ID || s.Facts.isSame(now.Facts)
}

// Facts are those of a file that was written.
type Facts struct{ facts }

// The precision of file times, in nanoseconds: of those that are whole seconds the one of the coarsest file systems, of
// others that of the clock of kernels.
const (
	coarse = int64(2100 * time.Millisecond)
	fine   = int64(100 * time.Millisecond)
)

// isSettled reports whether any later change gives the file other facts.
func (f facts) isSettled() bool {
	precision := fine
	if f.Changed%int64(time.Second) == 0 {
		precision = coarse
	}
	return f != (facts{}) && f.Changed+precision < f.Taken
}

// isSame reports whether a file that has these facts now is the same as it was.
func (f facts) isSame(now facts) bool { return f.isSettled() && f.equal(now) }

func (f facts) equal(other facts) bool {
	f.Taken = other.Taken
	return f == other
}

// again returns the facts with the time now, if they did not change.
func (f facts) again(name string) facts {
	if now := factsOf(name); f.equal(now) {
		return now
	}
	return facts{}
}

func factsOf(name string) facts {
	taken := time.Now().UnixNano()
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return facts{}
	}
	f := systemFacts(info)
	if f != (facts{}) {
		f.Size, f.Modified, f.Taken = info.Size(), info.ModTime().UnixNano(), taken
	}
	return f
}

// isIntact reports whether a file of the folder is as it was written. It is read if its facts do not show that.
func (o *output) isIntact(folder string) bool {
	name := filepath.Join(folder, o.Name)
	now := factsOf(name)
	if o.Facts.isSame(now) {
		return true
	}
	text, err := os.ReadFile(name)
	if now == (facts{}) || err != nil || headOf(text) != o.Head {
		return false
	}
	_, rest, _ := bytes.Cut(text, []byte("\n"))
	sum := sha256.Sum256(rest)
	o.Facts = now
	return strings.HasSuffix(o.Head, hex.EncodeToString(sum[:]))
}

// headOf returns the first line of a file.
func headOf(text []byte) string {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return string(line)
}
