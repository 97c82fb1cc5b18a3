//go:build linux

package runner

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// maxLine is the length of a #! line that Linux reads (BINPRM_BUF_SIZE).
const maxLine = 256

// firstLine returns the first line of the script, and whether it can be read.
func firstLine(file string) (line string, readable bool) {
	opened, err := openNonblocking(file)
	if err != nil {
		return "", false
	}
	defer func() { _ = opened.Close() }()
	line, err = bufio.NewReader(io.LimitReader(opened, maxLine)).ReadString('\n')
	return line, err == nil || errors.Is(err, io.EOF)
}

// interpreterOf returns the program of a #! line, or "". A carriage return is part of it, as for the kernel.
func interpreterOf(line string) string {
	words := shebang(line)
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// missingEnvProgram returns the program that /usr/bin/env did not find on the PATH, or "".
func missingEnvProgram(file string) string {
	line, _ := firstLine(file)
	words := shebang(line)
	if len(words) < 2 || filepath.Base(words[0]) != "env" {
		return ""
	}
	name := words[1]
	if name == "-S" && len(words) > 2 {
		name = words[2]
	}
	if strings.HasPrefix(name, "-") || strings.Contains(name, "=") {
		return ""
	}
	for _, folder := range filepath.SplitList(os.Getenv("PATH")) {
		if info, err := os.Stat(filepath.Join(folder, name)); err == nil && !info.IsDir() && info.Mode()&0o111 != 0 {
			return ""
		}
	}
	return name
}

func shebang(line string) []string {
	rest, found := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "#!")
	if !found {
		return nil
	}
	return strings.FieldsFunc(rest, func(r rune) bool { return r == ' ' || r == '\t' })
}

func endsInCarriageReturn(line string) bool {
	return strings.HasSuffix(strings.TrimSuffix(line, "\n"), "\r")
}
