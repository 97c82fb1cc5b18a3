package container

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/resource-plugins/krm-functions/commands/local/localrun"
)

// reserved are prefixes of names that the program, the Go runtime or the dynamic linker may read from the environment.
var reserved = []string{
	"BUILD", "COMPOSE_", "CONTAINER", "DBUS_", "DOCKER_", "GCONV_", "GETCONF_", "GLIBC_", "GO", "HOSTALIASES", "LANG", "LC_",
	"LD_", "LISTEN_", "LOCALDOMAIN", "LOCPATH", "MALLOC_", "NETAVARK", "NLSPATH", "NOTIFY_", "OTEL_", "PODMAN_", "REGISTR",
	"RES_", "RESOLV_", "SSH_", "SSL_", "STORAGE_", "TZ", "XDG_", "_",
}

// variables passes variables to the container without showing their values in the command line. It returns flags of
// `create`, and variables for the environment of the program.
//
// With `--env NAME` the program passes on a variable from its own environment, whatever bytes the value contains. But a
// document must not affect the program itself, which reads DOCKER_HOST, PATH and LD_PRELOAD. Such names, and all names in
// the program's environment, are passed in a file, which supports only values of one line.
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

// isReserved reports whether a variable may affect the program.
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

// maxEnvLine is below the longest line that docker and podman can read from a file.
const maxEnvLine = 60_000

// isLine reports whether every version of docker and podman reads a line of a variables file unchanged.
func isLine(line string) bool {
	value := line[strings.IndexByte(line, '=')+1:]
	return utf8.ValidString(line) && len(line) < maxEnvLine && line[0] != '#' && strings.TrimSpace(line) == line &&
		strings.Trim(value, " \t\"'`") == value && !strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) })
}
