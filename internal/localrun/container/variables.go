package container

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/resource-plugins/krm-functions/local/localrun"
)

// reserved are the beginnings of names that the program, the Go runtime or the dynamic linker may read in an environment.
var reserved = []string{
	"BUILD", "COMPOSE_", "CONTAINER", "DBUS_", "DOCKER_", "GCONV_", "GETCONF_", "GLIBC_", "GO", "HOSTALIASES", "LANG", "LC_",
	"LD_", "LISTEN_", "LOCALDOMAIN", "LOCPATH", "MALLOC_", "NETAVARK", "NLSPATH", "NOTIFY_", "OTEL_", "PODMAN_", "REGISTR",
	"RES_", "RESOLV_", "SSH_", "SSL_", "STORAGE_", "TZ", "XDG_", "_",
}

// variables gives the container its variables without their values in the command line. It returns the flags of `create` and
// the variables that the program must have in its own environment.
//
// With `--env NAME` the program passes on a variable of its own, whatever the bytes of the value. But a document must not
// say how the program works: DOCKER_HOST, PATH and LD_PRELOAD mean something to the program itself. Those names, and all
// that the program has anyway, go by a file, which can hold only values of one line.
func (e *Engine) variables(container localrun.Container, folder string) (flags, environment []string, err error) {
	var lines strings.Builder
	for _, variable := range container.Env {
		name, value := variable.Name, variable.Value
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.IndexByte(value, 0) >= 0 {
			return nil, nil, fmt.Errorf("variable %q of main: its name must not be empty or contain \"=\", and neither its name "+
				"nor its value may contain a NUL byte", name)
		}
		if !utf8.ValidString(name + value) {
			return nil, nil, fmt.Errorf("variable %q of main must be UTF-8, as for Kubernetes: read bytes as a file, with "+
				"as.path", name)
		}
		switch {
		case !e.isReserved(name):
			flags = append(flags, "--env", name)
			environment = append(environment, name+"="+value)
		case isLine(name + "=" + value):
			fmt.Fprintf(&lines, "%s=%s\n", name, value)
		default:
			return nil, nil, fmt.Errorf("variable %q of main: the engine %s can pass a value under this name only if it "+
				"is one line of printable text without spaces and quotes at its ends: use another name", name, e.name)
		}
	}
	if lines.Len() == 0 {
		return flags, environment, nil
	}
	file := filepath.Join(folder, "variables")
	return append([]string{"--env-file", file}, flags...), environment, os.WriteFile(file, []byte(lines.String()), 0o600)
}

// isReserved reports whether a variable may change what the program does.
func (e *Engine) isReserved(name string) bool {
	upper := strings.ToUpper(name)
	for _, prefix := range reserved {
		if strings.HasPrefix(upper, prefix) {
			return true
		}
	}
	for _, own := range []string{"HOME", "PATH", "TMPDIR", "USER"} {
		if upper == own {
			return true
		}
	}
	if strings.HasSuffix(upper, "_PROXY") {
		return true
	}
	for _, variable := range e.environment {
		if strings.HasPrefix(variable, name+"=") {
			return true
		}
	}
	return false
}

// maxEnvLine is shorter than the longest line of a file that docker and podman read.
const maxEnvLine = 60_000

// isLine reports whether every version of docker and podman reads a line of a variables file as it is.
func isLine(line string) bool {
	value := line[strings.IndexByte(line, '=')+1:]
	return utf8.ValidString(line) && len(line) < maxEnvLine && line[0] != '#' && strings.TrimSpace(line) == line &&
		strings.Trim(value, " \t\"'`") == value && !strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) })
}
