//go:build e2e

package container

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/commands/local/localrun"
)

// marker calls a function at the first output of a container.
type marker struct{ once func() }

func (m *marker) Write(content []byte) (int, error) {
	if m.once != nil {
		m.once()
	}
	m.once = nil
	return len(content), nil
}

// When the context ends, the script gets SIGTERM, and SIGKILL after the grace period. Nothing remains.
func TestRunStopsAtTheEndOfTheContext(t *testing.T) {
	for _, program := range Programs() {
		t.Run(program, func(t *testing.T) {
			engine := newEngine(t, program, nil)
			for name, test := range map[string]struct {
				script string
				code   int
			}{
				"SIGTERM": {"trap 'exit 5' TERM; echo; while :; do sleep 0.05; done", 5},
				"SIGKILL": {"trap '' TERM; echo; while :; do sleep 0.05; done", 137},
			} {
				for kind, container := range map[string]localrun.Container{
					"plain": plain("#!/bin/sh\n" + test.script + "\n"), "with the runner": step("#!/bin/sh\n" + test.script + "\n"),
				} {
					t.Run(name+" "+kind, func(t *testing.T) {
						t.Parallel()
						ctx, cancel := context.WithCancel(t.Context())
						container.Log = &marker{cancel}
						container.Template.Spec.TerminationGracePeriodSeconds = pointer[int64](2)
						result, err := engine.Run(ctx, container)
						require.NoError(t, err)
						assert.Equal(t, test.code, result.ExitCode)
						assert.True(t, result.Interrupted)
					})
				}
			}
			t.Run("before the start", func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				cancel(errors.New("the user is tired"))
				_, err := engine.Run(ctx, plain("#!/bin/sh\nsleep 1000\n"))
				require.Error(t, err)
			})
		})
	}
}

// left returns the remaining containers of an engine.
func left(t *testing.T, engine *Engine) []string {
	t.Helper()
	ids, err := engine.owned(t.Context(), containerKind, func(mark string) bool { return mark == engine.owner })
	require.NoError(t, err)
	return ids
}

// After an interrupt at any time, no container, volume or file remains.
func TestRunLeavesNothing(t *testing.T) {
	for _, program := range Programs() {
		t.Run(program, func(t *testing.T) {
			engine := newEngine(t, program, nil)
			volumes, err := engine.output(t.Context(), "volume", "ls", "--quiet", "--filter", "dangling=true")
			require.NoError(t, err)
			for i := range 12 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*60*time.Millisecond)
				container := step("#!/bin/sh\nmkdir -p /e/x; touch /e/x/y; sleep 1000\n", "x")
				container.Folders = []string{"/e"}
				container.Template.Spec.TerminationGracePeriodSeconds = pointer[int64](0)
				_, _ = engine.Run(ctx, container)
				cancel()
			}
			assert.Empty(t, left(t, engine))
			after, err := engine.output(t.Context(), "volume", "ls", "--quiet", "--filter", "dangling=true")
			require.NoError(t, err)
			assert.Equal(t, volumes, after)
			files, err := filepath.Glob(filepath.Join(engine.files, "step-*"))
			require.NoError(t, err)
			assert.Empty(t, files)
			require.NoError(t, engine.Close())
			assert.NoDirExists(t, engine.files)
		})
	}
}

// The next engine removes the containers, networks and files of killed processes, and no others.
func TestNewRemovesLeftovers(t *testing.T) {
	for _, program := range Programs() {
		t.Run(program, func(t *testing.T) {
			engine, folder := newEngine(t, program, nil), t.TempDir()
			mine := strings.Split(localrun.NewMark(), ".")
			mine[3] += "00" // a mark that no other test of this process has
			owners := map[string]string{"other machine": "elsewhere.1.1.1", "odd": "x", "mine": strings.Join(mine, ".")}
			mine[2] = "1" // another process that had the same id
			owners["killed"] = strings.Join(mine, ".")
			for _, mark := range owners {
				label := localrun.LabelOwner + "=" + mark
				id, err := engine.output(t.Context(), "create", "--label", label, "--network", "none", shellImage, "sleep", "1000")
				require.NoError(t, err)
				network := "rplug-leftover-" + mark
				_, err = engine.output(t.Context(), "network", "create", "--label", label, network)
				require.NoError(t, err)
				t.Cleanup(func() { _ = engine.Remove(context.Background(), []string{id}, []string{network}) })
				require.NoError(t, os.Mkdir(filepath.Join(folder, "rplug-"+mark), 0o700))
			}
			again := newEngine(t, engine.Name(), func(o *Options) { o.Folder = folder })
			for name, mark := range owners {
				want := 1
				if name == "killed" {
					want = 0
				}
				for _, of := range []kind{containerKind, networkKind} {
					found, err := again.owned(t.Context(), of, func(other string) bool { return other == mark })
					require.NoError(t, err)
					assert.Len(t, found, want, "%s %s", of.list, name)
				}
			}
			folders, err := os.ReadDir(folder)
			require.NoError(t, err)
			assert.Len(t, folders, 4, "three others, and the new one")
		})
	}
}

func TestImages(t *testing.T) {
	for _, program := range Programs() {
		t.Run(program, func(t *testing.T) {
			engine := newEngine(t, program, nil)
			for want, edit := range map[string]func(*localrun.Container){
				`image "registry.invalid/x:1" cannot be pulled: check its name, log in with`: func(c *localrun.Container) { c.Image = "registry.invalid/x:1" },
				`the image of main must be a valid image reference, not "--detach"`:          func(c *localrun.Container) { c.Image = "--detach" },
				"the image of main must be set":                                              func(c *localrun.Container) { c.Image = "" },
				`image "registry.invalid/y" is not on this machine, and imagePullPolicy is Never: load or build it`: func(c *localrun.Container) {
					c.Image = "registry.invalid/y"
					c.Template.Spec.Containers[0].ImagePullPolicy = corev1.PullNever
				},
				"securityContext.runAsNonRoot of main is true, but it would run as root": func(c *localrun.Container) {
					c.Template.Spec.SecurityContext = &corev1.PodSecurityContext{RunAsNonRoot: pointer(true)}
				},
				`path "/a:b" of a mount of main must be absolute`: func(c *localrun.Container) { c.Folders = []string{"/a:b"} },
				`path "/a\nb" must not contain line breaks`:       func(c *localrun.Container) { c.Folders = []string{"/a\nb"} },
			} {
				_, err := engine.Run(t.Context(), with(plain(""), edit))
				require.ErrorContains(t, err, want)
				assert.NotContains(t, err.Error(), "\n")
			}
			assert.Empty(t, left(t, engine))
		})
	}
}

// If rplug is not a program for the image's system, the runner of the helper image is used.
func TestRunnerOfTheHelperImage(t *testing.T) {
	for _, program := range Programs() {
		t.Run(program, func(t *testing.T) {
			engine := newEngine(t, program, nil)
			none := newEngine(t, engine.Name(), func(o *Options) { o.Runner, o.HelperImage = Runner{}, shellImage })
			_, err := none.Run(t.Context(), step("#!/bin/sh\necho 1 > /outputs/x\n", "x"))
			require.ErrorContains(t, err, "helper image")
			helper := newEngine(t, engine.Name(), func(o *Options) { o.Runner, o.HelperImage = Runner{}, helperImage })
			result, log := run(t, helper, step("#!/bin/sh\necho 1 > /outputs/x\n", "x"))
			assert.Equal(t, "1\n", string(result.Outputs["x"]), log)
		})
	}
}

func TestIsStatic(t *testing.T) {
	t.Parallel()
	assert.False(t, isStatic("/bin/ls"))
	assert.False(t, isStatic("main_test.go"))
	assert.True(t, isStatic("/bin/busybox"))
}
