package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
)

const (
	prompt = "\x1b[32m$\x1b[0m "
	// This many typed characters appear together, each time after keyTime.
	typed   = 3
	keyTime = 60 * time.Millisecond
	// runTime is the time between the last key and the output.
	runTime = 300 * time.Millisecond
	// afterRun is the time between the output and the next key.
	afterRun = 800 * time.Millisecond
	// openingTime is how long the last screen is shown at the beginning: a viewer that shows the first frame must not be blank.
	openingTime = 2 * time.Second
)

// recording holds the screens of the terminal.
type recording struct {
	cols, rows int
	frames     []frame
	length     time.Duration
}

// frame is the screen starting at a time, as rows of cells.
type frame struct {
	from  time.Duration
	cells [][]vt10x.Glyph
}

// player runs a terminal emulator and records frames of its screen.
type player struct {
	recording
	terminal vt10x.Terminal
	folder   string
	env      []string
}

// play runs a script in a folder.
func play(s script, folder, programs string) (recording, error) {
	home := filepath.Join(folder, "home")
	work := filepath.Join(folder, "work")
	for _, name := range []string{home, work} {
		if err := os.Mkdir(name, 0o755); err != nil {
			return recording{}, err
		}
	}
	p := &player{
		recording: recording{cols: s.cols, rows: s.rows},
		terminal:  vt10x.New(vt10x.WithSize(s.cols, s.rows)),
		folder:    work,
		env: []string{"PATH=" + programs + ":" + os.Getenv("PATH"), "HOME=" + home, "TERM=xterm-256color", "LC_ALL=C.UTF-8",
			"GIT_CONFIG_NOSYSTEM=1", "TMPDIR=" + home},
	}
	p.take(0)
	for _, next := range s.actions {
		if err := p.do(next); err != nil {
			return recording{}, fmt.Errorf("line %d: %w", next.line, err)
		}
	}
	return p.opened(), nil
}

// opened returns the recording with its last screen at the beginning.
func (r recording) opened() recording {
	frames := make([]frame, 0, 1+len(r.frames))
	frames = append(frames, frame{from: 0, cells: r.frames[len(r.frames)-1].cells})
	for _, f := range r.frames {
		frames = append(frames, frame{from: f.from + openingTime, cells: f.cells})
	}
	r.frames, r.length = frames, r.length+openingTime
	return r
}

func (p *player) do(next action) error {
	switch next.kind {
	case hidden:
		return p.run(next, false)
	case clearing:
		p.write("\x1b[2J\x1b[H")
		p.take(0)
	case pause:
		p.length += next.length
	case shown:
		p.write(prompt)
		keys := []rune(next.text)
		for i := 0; i < len(keys); i += typed {
			p.write(string(keys[i:min(i+typed, len(keys))]))
			p.take(keyTime)
		}
		p.write("\r\n")
		p.length += runTime
		if err := p.run(next, true); err != nil {
			return err
		}
		p.take(0)
		p.length += afterRun
	}
	return nil
}

// write sends text to the emulator.
func (p *player) write(text string) {
	_, _ = p.terminal.Write([]byte(text)) // never fails
}

// take records the current screen, and advances the time.
func (p *player) take(passes time.Duration) {
	p.terminal.Lock()
	defer p.terminal.Unlock()
	cells := make([][]vt10x.Glyph, p.rows)
	for y := range cells {
		cells[y] = make([]vt10x.Glyph, p.cols)
		for x := range cells[y] {
			cells[y][x] = p.terminal.Cell(x, y)
		}
	}
	p.frames = append(p.frames, frame{from: p.length, cells: cells})
	p.length += passes
}

// run runs a command in a new terminal. Its output goes to the emulator if show is set.
func (p *player) run(next action, show bool) error {
	command := exec.Command("bash", "-c", next.text)
	command.Dir, command.Env = p.folder, p.env
	terminal, err := pty.StartWithSize(command, &pty.Winsize{Cols: uint16(p.cols), Rows: uint16(p.rows)})
	if err != nil {
		return err
	}
	defer terminal.Close()
	output, err := io.ReadAll(terminal)
	if err != nil && !errors.Is(err, syscall.EIO) { // Linux reports the end of a terminal's output in this way
		return err
	}
	var failed *exec.ExitError
	if err := command.Wait(); err != nil && !errors.As(err, &failed) {
		return err
	}
	if code := command.ProcessState.ExitCode(); code != next.exit {
		return fmt.Errorf("exit code %d, not %d\n%s", code, next.exit, output)
	}
	if show {
		p.write(string(output))
	}
	return nil
}
