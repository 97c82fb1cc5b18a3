//go:build e2e

package container

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/resource-plugins/krm-functions/commands/local/localrun"
)

func pointer[T any](value T) *T { return &value }

// The script's environment matches the Pod template and the container.
func TestRunHonours(t *testing.T) {
	main := func(edit func(*corev1.Container)) func(*localrun.Container) {
		return func(c *localrun.Container) { edit(&c.Template.Spec.Containers[0]) }
	}
	security := func(security corev1.SecurityContext) func(*localrun.Container) {
		return main(func(c *corev1.Container) { c.SecurityContext = &security })
	}
	tests := map[string]struct {
		edit         func(*localrun.Container)
		script, want string
	}{
		"user":         {security(corev1.SecurityContext{RunAsUser: pointer[int64](1000), RunAsGroup: pointer[int64](1001)}), "id -u; id -g", "1000\n1001\n"},
		"groups":       {pod(corev1.PodSecurityContext{FSGroup: pointer[int64](77), SupplementalGroups: []int64{78}}), "id -G", "0 77 78\n"},
		"no user":      {nil, "id -u", "0\n"},
		"capabilities": {nil, "grep CapEff /proc/self/status", "CapEff:\t00000000a80425fb\n"},
		"drop and add": {security(corev1.SecurityContext{Capabilities: &corev1.Capabilities{
			Drop: []corev1.Capability{"ALL"}, Add: []corev1.Capability{"KILL"},
		}}), "grep CapEff /proc/self/status", "CapEff:\t0000000000000020\n"},
		"privileges":  {security(corev1.SecurityContext{AllowPrivilegeEscalation: pointer(false)}), "grep NoNewPrivs /proc/self/status", "NoNewPrivs:\t1\n"},
		"working dir": {func(c *localrun.Container) { c.WorkingDir = "/tmp" }, "pwd", "/tmp\n"},
		"read-only root": {func(c *localrun.Container) {
			security(corev1.SecurityContext{ReadOnlyRootFilesystem: pointer(true)})(c)
			c.Folders = []string{"/outputs", "/new/empty"}
			c.Files = append(c.Files, localrun.File{Path: "/new/file", Content: []byte("content\n"), Mode: 0o444})
		}, "cat /new/file; touch /x /tmp/x 2>&1; touch /new/empty/x && ls /new/empty", "content\ntouch: /x: Read-only file system\ntouch: /tmp/x: Read-only file system\nx\n"},
		"files cannot be changed": {func(c *localrun.Container) {
			c.Files = append(c.Files, localrun.File{Path: "/etc/new", Content: []byte("content\n"), Mode: 0o444})
		}, "echo x 2>/dev/null > /etc/new || cat /etc/new; ls /etc/passwd", "content\n/etc/passwd\n"},
		"paths": {func(c *localrun.Container) {
			c.Files = append(c.Files, localrun.File{Path: `/in/a,"b" $x;ü`, Content: []byte("1\n"), Mode: 0o444})
			c.Folders = []string{"/in/c,d e"}
		}, `cat '/in/a,"b" $x;ü'; touch '/in/c,d e/x'`, "1\n"},
		"folders": {func(c *localrun.Container) {
			c.Folders = []string{"/root"}
			security(corev1.SecurityContext{RunAsUser: pointer[int64](1000)})(c)
		}, "stat -c %a /root; cp /bin/busybox /root/true && /root/true && ls /root", "777\ntrue\n"},
		"limit of a folder": {func(c *localrun.Container) {
			c.Folders = []string{"/data"}
			c.Template.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: pointer(resource.MustParse("64Ki"))}}}}
			c.Template.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "data", MountPath: "/data"}}
		}, "head -c 100000 /dev/zero 2>/dev/null > /data/x || stat -c %s /data/x", "65536\n"},
		"host aliases": {func(c *localrun.Container) {
			c.Template.Spec.HostAliases = []corev1.HostAlias{{IP: "10.1.2.3", Hostnames: []string{"db", "db2"}}}
		}, "grep -c '10.1.2.3.*db' /etc/hosts", "2\n"},
	}
	for _, program := range Programs() {
		t.Run(program, func(t *testing.T) {
			engine := newEngine(t, program, nil)
			for name, test := range tests {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					script := "#!/bin/sh\n" + test.script + "\n"
					for i, container := range []localrun.Container{plain(script), step(script)} {
						if test.edit != nil {
							test.edit(&container)
						}
						if name == "host aliases" && engine.podman {
							return // podman creates no /etc/hosts without a network
						}
						_, log := run(t, engine, container)
						assert.Equal(t, test.want, log, "%d", i)
					}
				})
			}
		})
	}
}

func pod(security corev1.PodSecurityContext) func(*localrun.Container) {
	return func(c *localrun.Container) { c.Template.Spec.SecurityContext = &security }
}

// Values reach the script unchanged, and variables of docker in a document do not affect docker.
func TestRunPassesVariables(t *testing.T) {
	values := map[string]string{
		"EMPTY": "", "LINES": "\n a\r\n\tb \n", "DOLLAR": "$(HOME) ${HOME} $$ $HOME", "QUOTES": `"a" 'b' \c ` + "`d`", "BYTES": "\x01\x7f\u0085",
		"EQUAL": "a=b=", "UNICODE": "größer – 数据 \u2028", "LONG": strings.Repeat("x", 100_000), "dots.and-dashes": "x",
		"HOME": "/tmp", "DOCKER_HOST": "tcp://127.0.0.1:1", "CONTAINER_HOST": "tcp://127.0.0.1:1", "LD_PRELOAD": "/no/such", "HTTPS_PROXY": "http://u:p@h",
		"PATH": "/bin:/opt/bin", "XDG_RUNTIME_DIR": "/no", "GODEBUG": "x=y",
	}
	for _, program := range Programs() {
		t.Run(program, func(t *testing.T) {
			engine := newEngine(t, program, nil)
			container := with(step("#!/bin/sh\ncat /proc/$$/environ > /outputs/environ\n", "environ"), func(c *localrun.Container) {
				for name, value := range values {
					c.Env = append(c.Env, localrun.Variable{Name: name, Value: value})
				}
			})
			result, log := run(t, engine, container)
			got := map[string]string{}
			for text := range strings.SplitSeq(string(result.Outputs["environ"]), "\x00") {
				name, value, _ := strings.Cut(text, "=")
				got[name] = value
			}
			for name, want := range values {
				assert.Equal(t, want, got[name], "%s %s", name, log)
			}
		})
	}
}

func TestVariablesRefuses(t *testing.T) {
	t.Parallel()
	engine := &Engine{Program: &Program{name: "docker", environment: []string{"MINE=1"}}}
	for name, value := range map[string]string{
		"": "x", "BYTES": "\xff", "A=B": "x", "NUL": "a\x00b", "DOCKER_HOST": "a\nb", "LD_PRELOAD": "a\nb", "PATH": " x", "ld_x": `"a"`, "MINE": "a\nb",
		"https_proxy": "\xff", "HOME": strings.Repeat("x", 70_000),
	} {
		_, _, err := engine.variables(localrun.Container{Env: []localrun.Variable{{Name: name, Value: value}}}, t.TempDir())
		assert.ErrorContains(t, err, "of main", name)
	}
}

// Values of variables and files are not in the arguments of the program.
func TestCreateHidesValues(t *testing.T) {
	engine := newEngine(t, "docker", nil)
	container := plain("#!/bin/sh\n")
	container.Env = []localrun.Variable{{Name: "A", Value: "secret-value"}, {Name: "DOCKER_A", Value: "secret-value"}}
	container.Files = append(container.Files, localrun.File{Path: "/a", Content: []byte("secret-value")})
	command, err := engine.create(t.Context(), container, t.TempDir())
	require.NoError(t, err)
	assert.NotContains(t, strings.Join(command.Args, " "), "secret-value")
	assert.True(t, slices.Contains(command.Env, "A=secret-value"))
	assert.Equal(t, "docker", path.Base(command.Path))
}
